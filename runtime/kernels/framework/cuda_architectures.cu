// Which GPUs the device code of this library is for.
#include <string>

#include "base/strings.h"
#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

__global__ void ProbeKernel() {}

#define TFBUILD_TEXT_OF(word) #word
#define TFBUILD_TEXT(macro) TFBUILD_TEXT_OF(macro)
// What the rule compiles for: _75_80.
constexpr char kArchitectures[] = TFBUILD_TEXT(TFBUILD_CUDA_ARCHITECTURES);

std::string ListArchitectures() {
  std::string list;
  for (std::string number : StrSplit(kArchitectures + 1, '_')) {
    if (!list.empty()) list += ' ';
    list += number.insert(number.size() - 1, ".");
  }
  return list;
}

}  // namespace
}  // namespace tfbuild

extern "C" const char* TfbuildCudaArchitectures() {
  static const std::string* list = new std::string(tfbuild::ListArchitectures());
  return list->c_str();
}

extern "C" cudaError_t TfbuildCudaProbe() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, tfbuild::ProbeKernel);
}
