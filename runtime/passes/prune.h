#pragma once

#include "graph/graph.h"
#include "passes/plan_graph.h"

namespace tfbuild {

// The smallest part of the graph that computes the fetches and targets: from them backwards, over
// data and control edges, stopping at fed outputs and fed placeholders. InvalidArgument for a value
// that is fed twice.
Result<PlanGraph> Prune(const Graph& graph, const RunSignature& signature);

}  // namespace tfbuild
