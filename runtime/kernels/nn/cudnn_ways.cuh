#pragma once

// The two interfaces by which cuDNN is asked for a convolution.

#include <cudnn.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/nn/cudnn.cuh"

namespace tfbuild {

// One way to compute a convolution: an engine of a graph, or an algorithm of one of cuDNN's functions.
// Used under the lock of the handle that it was made with.
class CudnnWay {
 public:
  CudnnWay(std::string name, bool deterministic)
      : name_(std::move(name)), deterministic_(deterministic) {}
  virtual ~CudnnWay() = default;
  const std::string& name() const { return name_; }  // in words for AlgorithmFile
  // Whether it gives the same bits each time.
  bool deterministic() const { return deterministic_; }

  // Makes it ready, the first time, and says how many bytes it wants as a workspace. Unimplemented where
  // it turns out not to do it.
  virtual Result<size_t> Prepare(cudnnHandle_t handle) = 0;
  // Queues it.
  virtual Status Run(cudnnHandle_t handle, const CudnnBuffers& buffers, void* workspace) const = 0;

 private:
  const std::string name_;
  const bool deterministic_;
};
using CudnnWays = std::vector<std::unique_ptr<CudnnWay>>;

// Those of a graph, and those of the functions, which follow a forward convolution with a bias alone; best
// first. Unimplemented, or none, where cuDNN does not do it so.
Result<CudnnWays> FindGraphWays(cudnnHandle_t handle, const CudnnConvolution& convolution,
                                bool allow_tf32);
Result<CudnnWays> FindCallWays(cudnnHandle_t handle, const CudnnConvolution& convolution,
                               bool allow_tf32);

}  // namespace tfbuild
