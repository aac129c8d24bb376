#pragma once

#include <chrono>
#include <limits>

#include "kernels/framework/algorithm_file.h"
#include "tensor/cuda_device.h"

namespace tfbuild {

// The algorithms that were the fastest on such a GPU, with this driver and these libraries.
AlgorithmFile* AlgorithmsOf(const CudaDevice& device);

// Notes it there; what hinders writing is reported once.
void KeepAlgorithm(const CudaDevice& device, const std::string& task, const std::string& algorithm);

// Which of several ways to do the same was the fastest.
struct Fastest {
  size_t index = 0;
  bool all_tried = true;  // none lacked memory, which another time may be there
};

// Seconds of one run: the least of some rounds, each of several runs so that starting them weighs
// little. By the clock of the host, which sees the same as a GPU's own from a millisecond on and is
// there while a stream is not.
template <typename Run>
Result<double> SecondsOf(const CudaDevice& device, const Run& run) {
  constexpr int kRounds = 3;
  constexpr int kRuns = 4;
  RETURN_IF_ERROR(run());  // loads the code, and finds out whether it works
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(device.stream()));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRuns; ++i) RETURN_IF_ERROR(run());
    CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(device.stream()));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    least = std::min(least, passed.count() / kRuns);
  }
  return least;
}

// Calls run(i) for each of `count` ways, several times; those that are Unimplemented or lack memory are
// left out. Where none works: why the last one did not. Any other error is returned.
template <typename Run>
Result<Fastest> FindFastest(const CudaDevice& device, size_t count, const Run& run) {
  Fastest fastest;
  double least = std::numeric_limits<double>::infinity();
  Code last = Code::kUnimplemented;
  std::string why = "there is no algorithm";
  for (size_t i = 0; i < count; ++i) {
    const Result<double> seconds = SecondsOf(device, [&] { return run(i); });
    const Code code = seconds.status().code();
    if (code == Code::kResourceExhausted) fastest.all_tried = false;
    if (code == Code::kResourceExhausted || code == Code::kUnimplemented) {
      last = code;
      why = seconds.status().message();
      continue;
    }
    RETURN_IF_ERROR(seconds.status());
    if (*seconds >= least) continue;
    least = *seconds;
    fastest.index = i;
  }
  if (least < std::numeric_limits<double>::infinity()) return fastest;
  return Status(last, why);
}

}  // namespace tfbuild
