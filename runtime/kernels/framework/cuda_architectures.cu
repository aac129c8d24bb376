// Which GPUs the device code of this library is for.
#include <cstddef>
#include <string>

#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

__global__ void ProbeKernel() {}

// nvcc lists the architectures it compiles for as 750,800,...
constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};

std::string ListArchitectures() {
  std::string list;
  for (const int architecture : kArchitectures) {
    if (!list.empty()) list += ' ';
    list += std::to_string(architecture / 100) + '.' + std::to_string(architecture / 10 % 10);
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
