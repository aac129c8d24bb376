#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace tfbuild {

// How an op reaches a function of the program around us, such as one of Python's. The caller finds
// it by its token, hands it host tensors and says what came back. Called from any thread.
using HostFunctionCaller = Status (*)(const std::string& token, const std::vector<Tensor>& inputs,
                                      std::vector<Tensor>* outputs);

// Set once, by whoever has functions; null means that there are none.
void SetHostFunctionCaller(HostFunctionCaller caller);
HostFunctionCaller GetHostFunctionCaller();

}  // namespace tfbuild
