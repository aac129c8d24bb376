#include "executor/kernel_cache.h"

#include "graph/attr_wire.h"

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
  const auto found = made_.find({&node, device});
  if (found != made_.end()) return &found->second;
  ASSIGN_OR_RETURN(MadeKernel made, MakeKernel(node, device, resources_));
  return &made_.emplace(std::make_pair(&node, device), std::move(made)).first->second;
}

Result<const MadeKernel*> KernelCache::GetWrittenOut(const Node& node, Device* device) {
  const std::string key = StrCat(node.name(), "|", node.op().name, "|",
                                 SerializeAttrs(1, node.attrs()));
  const auto found = written_out_.find({key, device});
  if (found != written_out_.end()) return &found->second;
  ASSIGN_OR_RETURN(MadeKernel made, MakeKernel(node, device, resources_));
  return &written_out_.emplace(std::make_pair(key, device), std::move(made)).first->second;
}

}  // namespace tfbuild
