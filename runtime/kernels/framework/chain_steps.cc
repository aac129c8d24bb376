#include "kernels/framework/chain_steps.h"

#include <algorithm>
#include <unordered_map>

namespace tfbuild {
namespace {

std::optional<ChainOp> ChainOpOf(const std::string& op) {
  static const auto* codes = new std::unordered_map<std::string, ChainOp>{
#define CODE(formula) {#formula, ChainOp::k##formula},
      TFBUILD_CHAIN_UNARY(CODE) TFBUILD_CHAIN_BINARY(CODE)
#undef CODE
      {"AddV2", ChainOp::kAdd},
      {"RealDiv", ChainOp::kDiv},
  };
  const auto found = codes->find(op);
  return found == codes->end() ? std::nullopt : std::optional<ChainOp>(found->second);
}

// For each step the last one that reads its result, but for the one behind it; itself where there is
// none.
std::vector<size_t> LateReaders(const std::vector<int64_t>& operands, int inputs) {
  std::vector<size_t> last(operands.size() / 2);
  for (size_t k = 0; k < last.size(); ++k) {
    last[k] = k;
    for (const int64_t operand : {operands[2 * k], operands[2 * k + 1]}) {
      if (operand < inputs) continue;
      const size_t step = static_cast<size_t>(operand - inputs);
      if (step + 1 < k) last[step] = k;
    }
  }
  return last;
}

}  // namespace

std::optional<ChainSteps> PlanChainSteps(const std::vector<std::string>& ops,
                                         const std::vector<int64_t>& operands, int inputs) {
  const std::vector<size_t> last = LateReaders(operands, inputs);
  std::vector<size_t> needed_until(kChainSlots, 0);  // by slot
  ChainSteps steps;
  const auto place = [&](size_t k, int64_t operand) {
    if (operand < inputs) return static_cast<ChainPlace>(operand);
    const size_t step = static_cast<size_t>(operand - inputs);
    return step + 1 == k ? kChainPrevious : steps.at[step].to;
  };
  for (size_t k = 0; k < ops.size(); ++k) {
    const std::optional<ChainOp> op = ChainOpOf(ops[k]);
    if (!op) return std::nullopt;
    ChainStep& step = steps.at[k];
    const int64_t right = operands[2 * k + 1] == kNoOperand ? operands[2 * k] : operands[2 * k + 1];
    step = {*op, place(k, operands[2 * k]), place(k, right), kChainPrevious};
    if (last[k] > k) {
      // Operands are read before the result is written: a slot's last reader may write into it.
      const auto free = std::find_if(needed_until.begin(), needed_until.end(),
                                     [k](size_t until) { return until <= k; });
      if (free == needed_until.end()) return std::nullopt;
      *free = last[k];
      step.to = static_cast<ChainPlace>(kChainSlot + (free - needed_until.begin()));
    }
  }
  steps.count = static_cast<int>(ops.size());
  return steps;
}

}  // namespace tfbuild
