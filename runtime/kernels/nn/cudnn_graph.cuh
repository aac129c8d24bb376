#pragma once

// A convolution and what follows it as an operation graph of cuDNN.

#include "kernels/nn/cudnn.cuh"
#include "kernels/nn/cudnn_descriptor.cuh"

namespace tfbuild {

// For which GPU: that of the handle, or one that `properties` describe, which need not be there.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  const CudnnDescriptor* properties = nullptr;
};

// One of cuDNN's engines, with its settings.
struct CudnnEngine {
  CudnnDescriptor config;
  std::string name;  // its number and settings, in words for AlgorithmFile
  bool deterministic;
};

// An engine made ready for one graph: it may have compiled code for it.
class CudnnPlan {
 public:
  CudnnPlan(CudnnDescriptor plan, int64_t workspace)
      : plan_(std::move(plan)), workspace_(workspace) {}
  int64_t workspace() const { return workspace_; }  // bytes
  // Queues it on the handle's stream. `workspace` has as many bytes as it wants.
  Status Run(cudnnHandle_t handle, const CudnnConvolution& convolution, const CudnnBuffers& buffers,
             void* workspace) const;

 private:
  CudnnDescriptor plan_;
  int64_t workspace_;
};

class CudnnGraph {
 public:
  // Unimplemented where cuDNN has no such graph.
  static Result<CudnnGraph> Make(const CudnnTarget& target, const CudnnConvolution& convolution);

  // What cuDNN's heuristics propose, best first, and behind it what they fall back to. Without engines
  // that round factors which are to be read as they are: of float unless `allow_tf32`.
  Result<std::vector<CudnnEngine>> Propose(bool allow_tf32) const;
  // Unimplemented where the engine turns out not to do it.
  Result<CudnnPlan> MakePlan(const CudnnEngine& engine) const;

 private:
  CudnnGraph(const CudnnTarget& target, DType dtype) : target_(target), dtype_(dtype) {}
  Status Propose(cudnnBackendHeurMode_t mode, bool allow_tf32,
                 std::vector<CudnnEngine>* engines) const;

  CudnnTarget target_;
  DType dtype_;
  std::vector<CudnnDescriptor> parts_;       // what the operations are made of
  std::vector<CudnnDescriptor> operations_;  // in their order
  std::vector<CudnnDescriptor> graph_;       // of them; one, once it is made
};

}  // namespace tfbuild
