#pragma once

#include <memory>

#include "graph/graph.h"
#include "kernels/framework/function_runtime.h"
#include "kernels/framework/resource_manager.h"
#include "passes/passes.h"

namespace tfbuild {

// Lets the kernels of a session call functions of its graph, on `cpu`. All that is given must outlive
// the runtime's End().
std::shared_ptr<FunctionRuntime> MakeFunctionRuntime(const Graph* graph, Device* cpu,
                                                     const PassOptions& passes,
                                                     ResourceManager* resources);

}  // namespace tfbuild
