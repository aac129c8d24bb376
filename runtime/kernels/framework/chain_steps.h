#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/framework/element_inputs.h"

namespace tfbuild {

// A chain of elementwise ops for the one kernel of a GPU that runs them all (elementwise_chain.cu):
// each thread takes some neighbouring elements through all the steps.

// The formulas that it knows (functors.h), in the order of their codes: those that are short, since
// all of them are in that kernel.
#define TFBUILD_CHAIN_UNARY(X)                                                              \
  X(Abs) X(Ceil) X(Erf) X(Exp) X(Expm1) X(Floor) X(Log) X(Log1p) X(Neg) X(Reciprocal)       \
  X(Relu) X(Round) X(Rsqrt) X(Sigmoid) X(Sign) X(Softplus) X(Sqrt) X(Square) X(Tanh)
#define TFBUILD_CHAIN_BINARY(X)                                                             \
  X(Add) X(Sub) X(Mul) X(Div) X(DivNoNan) X(Maximum) X(Minimum) X(SquaredDifference)        \
  X(ReciprocalGrad) X(ReluGrad) X(RsqrtGrad) X(SigmoidGrad) X(SoftplusGrad) X(SqrtGrad)     \
  X(TanhGrad)

enum class ChainOp : uint8_t {
#define CODE(formula) k##formula,
  TFBUILD_CHAIN_UNARY(CODE) TFBUILD_CHAIN_BINARY(CODE)
#undef CODE
};

// Results that a thread keeps for later than the next step, in shared memory: as many as leave room
// for all the threads that a processor can have.
constexpr int kChainSlots = 4;

// Where a step finds an operand, or puts its result.
using ChainPlace = uint8_t;  // below kMaxElementInputs: an input
constexpr ChainPlace kChainSlot = kMaxElementInputs;                // and those behind it
constexpr ChainPlace kChainPrevious = kChainSlot + kChainSlots;     // the step before

struct ChainStep {
  ChainOp op;
  ChainPlace left;
  ChainPlace right;  // of one operand: left
  ChainPlace to;     // kChainPrevious: nobody needs it but the next step
};

struct ChainSteps {
  int count = 0;
  ChainStep at[kMaxElementSteps] = {};
};

// The steps of a program of elementwise ops (ElementProgram::Make says what that is); none where the
// kernel does not know an op, or more results would have to be kept than it has room for.
std::optional<ChainSteps> PlanChainSteps(const std::vector<std::string>& ops,
                                         const std::vector<int64_t>& operands, int inputs);

}  // namespace tfbuild
