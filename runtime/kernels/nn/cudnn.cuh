#pragma once

#include "kernels/framework/cuda_epilogue.cuh"

namespace tfbuild {

enum class ConvDirection { kForward, kInputGradient, kFilterGradient };

// One spatial dimension as cuDNN knows it: the same padding at both ends.
struct CudnnWindow {
  int64_t input = 0;
  int64_t filter = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;
  int64_t output = 0;
};

// A convolution in one of the layouts of cuDNN: images NHWC and filters [out, rows, cols, in] when
// channels are last, else images NCHW and filters [out, in, rows, cols].
struct CudnnConvolution {
  ConvDirection direction = ConvDirection::kForward;
  DType dtype = DType::kFloat;
  bool channels_last = false;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  CudnnWindow rows;
  CudnnWindow cols;
  Epilogue then = {};  // behind a forward one; none has a Gelu
  int64_t alignment = 16;  // bytes: what divides all addresses, up to that
};

// Two are read and the one that the direction names is written.
struct CudnnBuffers {
  void* input = nullptr;
  void* filter = nullptr;
  void* output = nullptr;
  const void* bias = nullptr;      // of `then`
  const void* residual = nullptr;  // in the layout of the output
};

// Ok when cuDNN has algorithms for the convolution, else Unimplemented. They are looked up once for
// each size: those of a graph, else those of cuDNN's functions, which is reported on the standard error.
Status CheckCudnnConvolution(OpKernelContext* context, const CudnnConvolution& convolution);
// Queues the convolution, by the algorithm that was the fastest for this size on such a GPU, now or in
// an earlier program; with TF_DETERMINISTIC_OPS by the first that cuDNN proposes. The alignment is that
// of the buffers. Unimplemented, and so is every later CheckCudnnConvolution of that size, when all the
// algorithms turned out not to do it.
Status RunCudnnConvolution(OpKernelContext* context, CudnnConvolution convolution,
                           const CudnnBuffers& buffers);

}  // namespace tfbuild
