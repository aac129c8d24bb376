#include "kernels/framework/onednn_version.h"

#include "base/strings.h"
#include "oneapi/dnnl/dnnl.h"

namespace tfbuild {

std::string OnednnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return StrCat(version->major, ".", version->minor, ".", version->patch);
}

}  // namespace tfbuild
