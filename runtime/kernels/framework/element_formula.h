#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tfbuild {

// Several steps of a program of float (element_program.h) as one loop, which reads what is in memory
// while it computes: a function, and the products, sums and differences on both sides of it,
//
//   (function((x * a + b) * c) * d + e) * (w * f)
//
// GELU, SiLU and the gates of cells are such formulas. What is missing is a neutral number, and each
// step is rounded as its own kernel rounds it: the result has the same bits.
enum FormulaPlace { kFormulaX, kFormulaA, kFormulaB, kFormulaC, kFormulaD, kFormulaE, kFormulaW,
                    kFormulaF, kFormulaPlaces };

struct FormulaOperand {
  const float* data = nullptr;  // null: there is none
  bool moves = false;           // or it is one number
};
using FormulaOperands = std::array<FormulaOperand, kFormulaPlaces>;

// The function, from x = (x * a + b) * c to what is done with its result.
struct FormulaArgs;
using FormulaLoop = void (*)(const FormulaArgs* args, float* out, int64_t count);
struct FormulaFunction {
  FormulaLoop gate;  // function(x) * w, where both move
  FormulaLoop few;   // (function(x * a) + e) * (w * f), where only x moves, and perhaps w
  FormulaLoop all;
};

struct Formula {
  static constexpr int kNone = -1;

  // Computes `count` elements. `out` may be the memory of an operand that moves.
  void Run(FormulaOperands operands, float* out, int64_t count) const;

  const FormulaFunction* function = nullptr;
  std::vector<int> steps;  // that are joined, in their order; the last gives the result
  // Values by place: i is input i of the program, inputs + k the result of step k.
  std::array<int, kFormulaPlaces> values = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  bool subtracts_b = false;
  bool subtracts_e = false;
};

// The formulas in a program of float, which ElementProgram::Make has found to be one.
std::vector<Formula> FindFormulas(const std::vector<std::string>& ops,
                                  const std::vector<int64_t>& operands, int inputs);

}  // namespace tfbuild
