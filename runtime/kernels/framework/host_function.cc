#include "kernels/framework/host_function.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tfbuild {
namespace {

std::atomic<HostFunctionCaller> host_function_caller{nullptr};

struct NativeKernels {
  std::mutex mutex;
  std::map<std::string, NativeKernel> by_token;
};

NativeKernels& Kernels() {
  static NativeKernels* const kernels = new NativeKernels;
  return *kernels;
}

}  // namespace

void SetHostFunctionCaller(HostFunctionCaller caller) { host_function_caller = caller; }
HostFunctionCaller GetHostFunctionCaller() { return host_function_caller; }

void SetNativeKernel(const std::string& token, NativeKernel kernel) {
  NativeKernels& kernels = Kernels();
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  if (kernel == nullptr) {
    kernels.by_token.erase(token);
  } else {
    kernels.by_token[token] = kernel;
  }
}

NativeKernel FindNativeKernel(const std::string& token) {
  NativeKernels& kernels = Kernels();
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  const auto found = kernels.by_token.find(token);
  return found == kernels.by_token.end() ? nullptr : found->second;
}

}  // namespace tfbuild
