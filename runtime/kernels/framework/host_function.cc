#include "kernels/framework/host_function.h"

#include <atomic>

namespace tfbuild {
namespace {

std::atomic<HostFunctionCaller> host_function_caller{nullptr};

}  // namespace

void SetHostFunctionCaller(HostFunctionCaller caller) { host_function_caller = caller; }
HostFunctionCaller GetHostFunctionCaller() { return host_function_caller; }

}  // namespace tfbuild
