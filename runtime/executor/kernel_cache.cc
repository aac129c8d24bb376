#include "executor/kernel_cache.h"

namespace tfbuild {

Result<MadeKernel> MakeKernel(const Node& node, Device* device, ResourceManager* resources) {
  ASSIGN_OR_RETURN(const KernelRegistration* registration,
                   KernelRegistry::Global().Find(node, device->type()));
  MadeKernel made{registration->make(), registration};
  const Status initialised = made.kernel->Init({node, device, resources});
  if (!initialised.ok()) return initialised.Annotate(StrCat("{{node ", node.name(), "}}"));
  return Result<MadeKernel>(std::move(made));
}

Result<const MadeKernel*> KernelCache::Get(const Node& node, Device* device) {
  auto& of_node = made_[&node];
  const auto found = of_node.find(device);
  if (found != of_node.end()) return &found->second;
  ASSIGN_OR_RETURN(MadeKernel made, MakeKernel(node, device, resources_));
  return &of_node.emplace(device, std::move(made)).first->second;
}

}  // namespace tfbuild
