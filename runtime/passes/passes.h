#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "passes/plan_graph.h"

namespace tfbuild {

// What one pass did to a plan.
struct PassRecord {
  std::string name;
  std::vector<std::string> changes;  // one line each: "folded dense/mul into a constant"
  int nodes_before = 0;
  int nodes_after = 0;
  std::chrono::nanoseconds time{0};
  // The plan behind it, where somebody asked.
  std::string text;
  std::string graphviz;
};

// A step from plan to plan that leaves all results as they are.
struct Pass {
  const char* name;
  Status (*run)(PlanGraph* plan, PassRecord* record);
};

// Puts the nodes of functions in the place of calls; it must run, before placement: see
// inline_functions.cc.
Status InlineFunctions(PlanGraph* plan, PassRecord* record);
// Puts cheap updates of a variable before what else a step does with it; it must run, before all that
// rewrites: order_updates.cc.
Status OrderUpdates(PlanGraph* plan, PassRecord* record);
// Lets a loop that changes a variable see what it has written; it must run: read_in_loops.cc.
Status ReadInLoops(PlanGraph* plan, PassRecord* record);
// Drops waiting for what has no effect and whose value nobody reads: drop_waits.cc.
Status DropWaits(PlanGraph* plan, PassRecord* record);
// Computes what depends on constants alone, once: fold_constants.cc.
Status FoldConstants(PlanGraph* plan, PassRecord* record);
// Drops operations that change nothing: simplify.cc.
Status Simplify(PlanGraph* plan, PassRecord* record);
// Leaves out transpositions around what takes the other order of dimensions as well, and gives
// convolutions the format that their device is faster with: layout.cc.
Status ChooseLayouts(PlanGraph* plan, PassRecord* record);
// Computes once what several nodes compute alike: common_subexpressions.cc.
Status MergeCommonSubexpressions(PlanGraph* plan, PassRecord* record);
// Computes elementwise ops that only each other read in one loop, or behind the matrix product or
// convolution that they follow: fuse.cc.
Status Fuse(PlanGraph* plan, PassRecord* record);
// The part of it that gives a GPU's library what it does behind a product or convolution in the same
// call: fuse_epilogues.cc.
Status FuseEpilogues(PlanGraph* plan, PassRecord* record);
// Puts _Send and _Recv on each edge whose ends lie in different memory; it must run: partition.cc.
Status Partition(PlanGraph* plan, PassRecord* record);

// The passes of every plan, in their order.
const std::vector<Pass>& RewritingPasses();

struct PassOptions {
  std::vector<std::string> disabled;  // names; "all" for all that need not run
  bool keep_dumps = false;
};

// Writes the calls of functions out; no record where there are none.
Result<std::vector<PassRecord>> RunInlining(const PassOptions& options, PlanGraph* plan);
// Runs the passes over a placed plan, partition last.
Result<std::vector<PassRecord>> RunPasses(const PassOptions& options, PlanGraph* plan);

}  // namespace tfbuild
