// Which of the runners a program is for.
#include <algorithm>

#include "executor/program.h"
#include "executor/runners.h"

namespace tfbuild {
namespace {

// Two expensive kernels can run beside each other when neither waits for the other; two at the
// same depth, counted in expensive kernels, never wait for each other.
void FindParallelism(Program* program) {
  if (program->has_control_flow) return;
  std::vector<int> depth(program->items.size());
  std::vector<int> expensive_at_depth(program->items.size() + 1);
  for (size_t i = 0; i < program->items.size(); ++i) {
    const Item& item = program->items[i];
    const bool counts = item.expensive && item.device->type() == DeviceType::kCpu;
    const int after = depth[i] + (counts ? 1 : 0);
    if (counts) ++expensive_at_depth[static_cast<size_t>(depth[i])];
    for (int k = 0; k < item.num_successors; ++k) {
      const int next = program->successors[static_cast<size_t>(item.first_successor + k)].item;
      depth[static_cast<size_t>(next)] = std::max(depth[static_cast<size_t>(next)], after);
    }
  }
  program->parallel =
      *std::max_element(expensive_at_depth.begin(), expensive_at_depth.end()) > 1;
}

// What comes from another device of this step will come; everything else may keep a kernel waiting
// until an op that no edge leads from has run. Of those that stand in one line, each behind the one
// before, none waits for one behind it.
void FindWaiting(Program* program) {
  std::vector<int> before(program->items.size());  // how many of the line an item is behind
  int line = 0;
  for (size_t i = 0; i < program->items.size(); ++i) {
    const Item& item = program->items[i];
    const std::string& op = item.node->op().name;
    const bool counts = item.async && op != "_Recv" && op != "_HostRecv";
    if (counts && before[i] < line) program->waits_apart = true;
    if (counts) before[i] = ++line;
    for (int k = 0; k < item.num_successors; ++k) {
      const int next =
          program->successors[static_cast<size_t>(item.first_successor + k)].item;
      before[static_cast<size_t>(next)] = std::max(before[static_cast<size_t>(next)], before[i]);
    }
  }
  program->waits = line > 0;
}

// Whether a step is over before it looks whether it must end.
bool IsBrief(const Program& program) {
  const auto& items = program.items;
  return items.size() < static_cast<size_t>(StepCheck::kPeriod) && program.gpus.empty() &&
         !program.has_control_flow &&
         std::all_of(items.begin(), items.end(),
                     [](const Item& item) { return item.pure && !item.expensive; });
}

constexpr int64_t kTinyElements = 256;

bool IsTiny(const PartialShape& shape) {
  return shape.fully_known() && shape.num_elements() <= kTinyElements;
}

// Whether all that a step reads and makes is known to be tiny.
bool IsTiny(const Program& program) {
  const auto makes_little = [](const Item& item) {
    for (int i = 0; i < item.num_outputs; ++i) {
      if (!IsTiny(item.node->output(i).shape)) return false;
    }
    return true;
  };
  const auto& reads = program.reads;
  const auto& feeds = program.feeds;
  const auto& constants = program.constants;
  return std::all_of(program.items.begin(), program.items.end(), makes_little) &&
         std::all_of(reads.begin(), reads.end(), [](const VariableRead& read) {
           return IsTiny(read.source->output(0).shape);
         }) &&
         std::all_of(feeds.begin(), feeds.end(),
                     [](const Program::Feed& feed) { return IsTiny(feed.shape); }) &&
         std::all_of(constants.begin(), constants.end(), [](const Entry& constant) {
           return constant.value.num_elements() <= kTinyElements;
         });
}

}  // namespace

void FindRunner(Program* program) {
  FindParallelism(program);
  FindWaiting(program);
  program->brief = IsBrief(*program);
  program->tiny = program->brief && !program->waits && IsTiny(*program);
}

}  // namespace tfbuild
