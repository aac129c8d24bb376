#include "kernels/framework/handle_reference.h"

namespace tfbuild {

Result<SharedName> SharedName::Of(const OpKernelConstruction& construction) {
  SharedName shared;
  ASSIGN_OR_RETURN(shared.container, construction.Attr<std::string>("container"));
  ASSIGN_OR_RETURN(shared.name, construction.Attr<std::string>("shared_name"));
  if (shared.name.empty()) shared.name = construction.node.name();
  return shared;
}

}  // namespace tfbuild
