#include "python/build_info.h"

#include "kernels/framework/onednn_version.h"
#include "python/version.h"
#include "tensor/cuda_library.h"
#include "tensor/device.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {

nb::dict BuildInfo() {
  LocalDevices();  // opens the CUDA library, if there is one
  nb::dict info;
  info["version"] = kVersion;
  info["release"] = kRelease;  // an audit reads it in the file
  info["compiler"] = "gcc " __VERSION__;
  info["python"] = PY_VERSION;
  const std::string onednn = OnednnVersion();
  info["onednn"] = nb::str(onednn.data(), onednn.size());
  const std::string architectures = CudaArchitectures();
  info["cuda_architectures"] = nb::str(architectures.data(), architectures.size());
  return info;
}

}  // namespace python
}  // namespace tfbuild
