#pragma once

// One block of threads at a time, each thread a fibre of the calling thread.

#include <functional>
#include <random>

#include "emulation/include/cuda_runtime_api.h"

namespace emulation {

// The random numbers of this process, by EMULATION_SEED or by the clock; the seed is printed.
std::mt19937_64& Random();

// Runs all blocks of a grid, in a random order. Ends the process where threads wait for each other
// in a way that CUDA does not allow.
void RunGrid(const dim3& grid, const dim3& block, const void* kernel,
             const std::function<void()>& thread);

// "SoftmaxKernel<float>, block (3, 0, 0), thread (17, 0, 0)" while a kernel runs, else null.
// For the standard error of a process that ends.
const char* DescribeRunningThread();

}  // namespace emulation
