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

// A kernel of the user's in machine code, from C or from numba's cfunc: reads the elements of its
// inputs and writes those of its outputs, each with its dimensions, and returns 0, or another number
// for an error. Called from any thread, by several at once.
using NativeKernel = int (*)(const void* const* inputs, const int64_t* const* input_dims,
                             void* const* outputs, const int64_t* const* output_dims);

// A graph names a kernel by its token, which only this process can have given: bytes that come from
// elsewhere never say which address is called. Null takes the token back.
void SetNativeKernel(const std::string& token, NativeKernel kernel);
NativeKernel FindNativeKernel(const std::string& token);

}  // namespace tfbuild
