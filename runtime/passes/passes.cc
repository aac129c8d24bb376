#include "passes/passes.h"

#include <algorithm>

#include "base/stop.h"
#include "graph/function_library.h"

namespace tfbuild {
namespace {

Status RunOne(const Pass& pass, const PassOptions& options, PlanGraph* plan,
              std::vector<PassRecord>* records) {
  ThrowIfStopped();
  PassRecord record;
  record.name = pass.name;
  record.nodes_before = plan->num_nodes();
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(pass.run(plan, &record));
  RETURN_IF_ERROR(plan->Sort());
  record.time = std::chrono::steady_clock::now() - start;
  record.nodes_after = plan->num_nodes();
  if (options.keep_dumps) {
    record.text = PlanToText(*plan);
    record.graphviz = PlanToGraphviz(*plan);
  }
  records->push_back(std::move(record));
  return OkStatus();
}

}  // namespace

const std::vector<Pass>& RewritingPasses() {
  static const auto* passes = new std::vector<Pass>{
      {"drop_waits", &DropWaits},
      {"fold_constants", &FoldConstants},
      {"simplify", &Simplify},
      {"layout", &ChooseLayouts},
      {"common_subexpressions", &MergeCommonSubexpressions},
      {"fuse", &Fuse},
  };
  return *passes;
}

Result<std::vector<PassRecord>> RunInlining(const PassOptions& options, PlanGraph* plan) {
  std::vector<PassRecord> records;
  const auto calls = [](const PlanNode* node) {
    return node->feed == kNoFeed && CallKindOf(*node->def) != CallKind::kNone;
  };
  const auto& nodes = plan->nodes();
  if (std::none_of(nodes.begin(), nodes.end(), calls)) return records;
  RETURN_IF_ERROR(RunOne({"inline_functions", &InlineFunctions}, options, plan, &records));
  return records;
}

Result<std::vector<PassRecord>> RunPasses(const PassOptions& options, PlanGraph* plan) {
  std::vector<PassRecord> records;
  const auto disabled = [&options](const std::string& name) {
    const auto& names = options.disabled;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : options.disabled) {
    const auto& passes = RewritingPasses();
    const bool known = name == "all" || std::any_of(passes.begin(), passes.end(),
                                                    [&](const Pass& p) { return p.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const Pass& pass : passes) names.push_back(pass.name);
    return InvalidArgument("there is no pass '", name, "'; passes are ", StrJoin(names, ", "));
  }
  for (const Pass& pass : {Pass{"order_updates", &OrderUpdates}, Pass{"read_in_loops", &ReadInLoops}}) {
    RETURN_IF_ERROR(RunOne(pass, options, plan, &records));
    if (records.back().changes.empty()) records.pop_back();
  }
  for (const Pass& pass : RewritingPasses()) {
    if (disabled("all") || disabled(pass.name)) continue;
    RETURN_IF_ERROR(RunOne(pass, options, plan, &records));
  }
  RETURN_IF_ERROR(RunOne({"partition", &Partition}, options, plan, &records));
  return records;
}

}  // namespace tfbuild
