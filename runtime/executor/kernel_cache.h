#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "passes/plan_graph.h"

namespace tfbuild {

// A kernel and how it was registered.
struct MadeKernel {
  std::unique_ptr<OpKernel> kernel;
  const KernelRegistration* registration = nullptr;
};

// A new kernel for a node, initialised.
Result<MadeKernel> MakeKernel(const Node& node, Device* device, ResourceManager* resources);

// The kernels of a session, one for each node and device, shared by all its plans: a random
// number generator goes on where it was, whatever else is fetched with it. Not thread-safe.
class KernelCache {
 public:
  explicit KernelCache(ResourceManager* resources) : resources_(resources) {}
  // The kernel of a node of the session's graph.
  Result<const MadeKernel*> Get(const Node& node, Device* device);
  // The kernel of a node that a plan has made of a function's body: the same for all plans in which
  // the call is the same.
  Result<const MadeKernel*> GetWrittenOut(const Node& node, Device* device);
  ResourceManager* resources() const { return resources_; }

 private:
  ResourceManager* resources_;
  std::map<std::pair<std::string, Device*>, MadeKernel> written_out_;
  std::map<std::pair<const Node*, Device*>, MadeKernel> made_;
};

}  // namespace tfbuild
