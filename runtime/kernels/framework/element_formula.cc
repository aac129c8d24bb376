#include "kernels/framework/element_formula.h"

#include <algorithm>
#include <type_traits>

#include "kernels/framework/element_inputs.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/rounded.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {

struct FormulaArgs {
  struct Operand {
    const float* data;
    int64_t step;  // 1, or 0: one number, kBlock times
  };
  Operand at[kFormulaPlaces];
  float sign_b;
  float sign_e;
  int32_t zero;
};

namespace {

// Loops are over as many elements as the longest vector has, again and again: without a rest there is
// a third of the code.
constexpr int64_t kBlock = 16;

// A function's result, rounded: only that of exp is a product.
template <typename F>
TFBUILD_ALWAYS_INLINE float ResultOf(float result, int32_t zero) {
  return std::is_same<F, functor::Exp>::value ? Rounded(result, zero) : result;
}

// What SiLU is, and what gates of cells are.
template <typename F>
struct GateLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const FormulaArgs* args, float* out, int64_t count) {
    constexpr int64_t kVector = kVectorBytes / sizeof(float);
    const float* x = args->at[kFormulaX].data;
    const float* w = args->at[kFormulaW].data;
    for (int64_t i = 0; i < count; i += kVector) {
#pragma omp simd
      for (int64_t j = 0; j < kVector; ++j) out[i + j] = F::Apply(x[i + j]) * w[i + j];
    }
  }
};

// What GELU and most others are.
template <typename F>
struct FewLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const FormulaArgs* args, float* out, int64_t count) {
    constexpr int64_t kVector = kVectorBytes / sizeof(float);
    const float* x = args->at[kFormulaX].data;
    const FormulaArgs::Operand w = args->at[kFormulaW];
    const float a = *args->at[kFormulaA].data;
    const float e = *args->at[kFormulaE].data * args->sign_e;
    const float f = *args->at[kFormulaF].data;
    const int32_t zero = args->zero;
    for (int64_t i = 0; i < count; i += kVector) {
#pragma omp simd
      for (int64_t j = 0; j < kVector; ++j) {
        const float result = ResultOf<F>(F::Apply(x[i + j] * a), zero);
        out[i + j] = (result + e) * (w.data[i * w.step + j] * f);
      }
    }
  }
};

template <typename F>
struct AllLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const FormulaArgs* args, float* out, int64_t count) {
    constexpr int64_t kVector = kVectorBytes / sizeof(float);
    const FormulaArgs of = *args;
    const auto at = [&of](int place, int64_t i, int64_t j) TFBUILD_INLINE_BODY {
      return of.at[place].data[i * of.at[place].step + j];
    };
    for (int64_t i = 0; i < count; i += kVector) {
#pragma omp simd
      for (int64_t j = 0; j < kVector; ++j) {
        const float product = Rounded(at(kFormulaX, i, j) * at(kFormulaA, i, j), of.zero);
        const float argument = (product + at(kFormulaB, i, j) * of.sign_b) * at(kFormulaC, i, j);
        const float result = Rounded(F::Apply(argument) * at(kFormulaD, i, j), of.zero);
        out[i + j] = (result + at(kFormulaE, i, j) * of.sign_e) *
                     (at(kFormulaW, i, j) * at(kFormulaF, i, j));
      }
    }
  }
};

template <typename F>
constexpr FormulaFunction kFunction = {
    RunVectorised<GateLoop<F>, float, const FormulaArgs*, float*, int64_t>,
    RunVectorised<FewLoop<F>, float, const FormulaArgs*, float*, int64_t>,
    RunVectorised<AllLoop<F>, float, const FormulaArgs*, float*, int64_t>};

const FormulaFunction* FunctionOf(const std::string& op) {
  if (op == "Erf") return &kFunction<functor::Erf>;
  if (op == "Exp") return &kFunction<functor::Exp>;
  if (op == "Sigmoid") return &kFunction<functor::Sigmoid>;
  if (op == "Softplus") return &kFunction<functor::Softplus>;
  if (op == "Tanh") return &kFunction<functor::Tanh>;
  return nullptr;
}

// Looks for formulas in a program.
class Finder {
 public:
  Finder(const std::vector<std::string>& ops, const std::vector<int64_t>& operands, int inputs)
      : ops_(ops), operands_(operands), inputs_(inputs), taken_(ops.size()) {
    readers_.resize(ops.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] >= inputs) {
        readers_[static_cast<size_t>(operands[i] - inputs)].push_back(static_cast<int>(i / 2));
      }
    }
  }

  std::vector<Formula> Find() {
    std::vector<Formula> formulas;
    for (int k = 0; k < static_cast<int>(ops_.size()); ++k) {
      Formula formula;
      formula.function = FunctionOf(Op(k));
      if (formula.function == nullptr) continue;
      formula.steps = {k};
      LookBefore(k, &formula);
      LookBehind(k, &formula);
      if (formula.steps.size() == 1) continue;
      std::sort(formula.steps.begin(), formula.steps.end());
      formulas.push_back(std::move(formula));
    }
    return formulas;
  }

 private:
  const std::string& Op(int step) const { return ops_[static_cast<size_t>(step)]; }
  int Left(int step) const { return static_cast<int>(operands_[2 * static_cast<size_t>(step)]); }
  int Right(int step) const {
    return static_cast<int>(operands_[2 * static_cast<size_t>(step) + 1]);
  }
  bool IsProduct(int step) const { return Op(step) == "Mul"; }
  bool IsSum(int step) const { return Op(step) == "Add" || Op(step) == "AddV2"; }
  bool IsDifference(int step) const { return Op(step) == "Sub"; }

  void Join(int step, Formula* formula) {
    taken_[static_cast<size_t>(step)] = true;
    formula->steps.push_back(step);
  }

  // The step whose result the value is, where only one step reads it and no formula has it.
  int StepBehind(int value) const {
    if (value < inputs_) return Formula::kNone;
    const size_t step = static_cast<size_t>(value - inputs_);
    return readers_[step].size() == 1 && !taken_[step] ? value - inputs_ : Formula::kNone;
  }

  // From the argument of the function backwards: c, b, a, as far as the steps go.
  void LookBefore(int function, Formula* formula) {
    int value = Left(function);
    for (int place = kFormulaC; place >= kFormulaA; --place) {
      const int step = StepBehind(value);
      if (step == Formula::kNone) break;
      if (place == kFormulaB ? !IsSum(step) && !IsDifference(step) : !IsProduct(step)) continue;
      // What goes on may stand on either side of a sum or a product.
      const bool left = IsDifference(step) || StepBehind(Right(step)) == Formula::kNone;
      value = left ? Left(step) : Right(step);
      formula->values[static_cast<size_t>(place)] = left ? Right(step) : Left(step);
      if (place == kFormulaB) formula->subtracts_b = IsDifference(step);
      Join(step, formula);
    }
    auto& values = formula->values;
    values[kFormulaX] = value;
    if (values[kFormulaA] == Formula::kNone && values[kFormulaB] == Formula::kNone) {
      std::swap(values[kFormulaA], values[kFormulaC]);
    }
  }

  // From its result on: d, e, w.
  void LookBehind(int function, Formula* formula) {
    int last = function;
    for (int place = kFormulaD; place <= kFormulaW; ++place) {
      const auto& readers = readers_[static_cast<size_t>(last)];
      if (readers.size() != 1 || taken_[static_cast<size_t>(readers[0])]) break;
      const int step = readers[0];
      const int value = inputs_ + last;
      const bool taken_from = IsDifference(step) && Left(step) == value;
      if (place == kFormulaE ? !IsSum(step) && !taken_from : !IsProduct(step)) continue;
      formula->values[static_cast<size_t>(place)] =
          Left(step) == value ? Right(step) : Left(step);
      if (place == kFormulaE) formula->subtracts_e = taken_from;
      Join(step, formula);
      last = step;
    }
    auto& values = formula->values;
    // The last factor may be any number, and itself a product.
    if (values[kFormulaE] == Formula::kNone && values[kFormulaW] == Formula::kNone) {
      std::swap(values[kFormulaD], values[kFormulaW]);
    }
    const int factor = StepBehind(values[kFormulaW]);
    if (factor == Formula::kNone || !IsProduct(factor) || EndsFunction(factor)) return;
    values[kFormulaW] = Left(factor);
    values[kFormulaF] = Right(factor);
    Join(factor, formula);
  }

  // Whether a function's result goes into the step, which belongs to that function's formula.
  bool EndsFunction(int step) const {
    const auto is_function = [this](int value) {
      return value >= inputs_ && FunctionOf(Op(value - inputs_)) != nullptr;
    };
    return is_function(Left(step)) || is_function(Right(step));
  }

  const std::vector<std::string>& ops_;
  const std::vector<int64_t>& operands_;
  int inputs_;
  std::vector<bool> taken_;
  std::vector<std::vector<int>> readers_;
};

}  // namespace

std::vector<Formula> FindFormulas(const std::vector<std::string>& ops,
                                  const std::vector<int64_t>& operands, int inputs) {
  return Finder(ops, operands, inputs).Find();
}

void Formula::Run(FormulaOperands operands, float* out, int64_t count) const {
  // Either side of a product may be what moves.
  if (!operands[kFormulaX].moves && operands[kFormulaA].moves) {
    std::swap(operands[kFormulaX], operands[kFormulaA]);
  }
  if (!operands[kFormulaW].moves && operands[kFormulaF].moves) {
    std::swap(operands[kFormulaW], operands[kFormulaF]);
  }
  alignas(64) float kept[kFormulaPlaces][kBlock];
  FormulaArgs args;
  args.sign_b = subtracts_b ? -1.0f : 1.0f;
  args.sign_e = subtracts_e ? -1.0f : 1.0f;
  args.zero = 0;
  bool gate = true;
  bool few = true;
  for (int place = 0; place < kFormulaPlaces; ++place) {
    const FormulaOperand& operand = operands[static_cast<size_t>(place)];
    gate = gate && (place == kFormulaX || place == kFormulaW ? operand.moves
                                                             : operand.data == nullptr);
    const bool left_out = place == kFormulaB || place == kFormulaC || place == kFormulaD;
    few = few && (left_out ? operand.data == nullptr
                           : place == kFormulaW || operand.moves == (place == kFormulaX));
    args.at[place] = {operand.data, 1};
    if (operand.moves) continue;
    // x + -0 and x * 1 are x, whatever its sign.
    const float neutral = place == kFormulaB || place == kFormulaE ? -0.0f : 1.0f;
    std::fill_n(kept[place], kBlock, operand.data == nullptr ? neutral : *operand.data);
    args.at[place] = {kept[place], 0};
  }
  const FormulaLoop loop = gate ? function->gate : few ? function->few : function->all;
  const int64_t whole = count / kBlock * kBlock;
  const int64_t rest = count - whole;
  loop(&args, out, whole);
  if (rest == 0) return;
  for (int place = 0; place < kFormulaPlaces; ++place) {
    if (args.at[place].step == 0) continue;
    std::fill(std::copy_n(args.at[place].data + whole, rest, kept[place]), kept[place] + kBlock,
              1.0f);
    args.at[place].data = kept[place];
  }
  float results[kBlock];
  loop(&args, results, kBlock);
  std::copy_n(results, rest, out + whole);
}

}  // namespace tfbuild
