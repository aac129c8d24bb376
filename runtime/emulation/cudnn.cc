// Convolutions as cuDNN's functions are asked for them. Of the algorithms that it
// names, one wants more memory than anybody should give, one turns out not to do it and one is slow, so
// that callers must try the next. An activation that changes nothing is done by the last one alone.
#include "emulation/include/cudnn.h"

#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "emulation/cudnn_task.h"
#include "emulation/device.h"

struct cudnnActivationStruct {
  cudnnActivationMode_t mode;
};

namespace {

using emulation::Element;
using emulation::ElementOf;
using emulation::Read;
using emulation::ReadAll;
using emulation::Task;
using emulation::Workspace;

enum Algorithm { kTooLarge, kFails, kSlow, kWorks, kNumAlgorithms };
constexpr size_t kWorkspace[kNumAlgorithms] = {size_t{1} << 40, 4096, 0, 256};
constexpr std::chrono::milliseconds kSlowness{2};

double Factor(const void* value, Element type) {
  return type == Element::kDouble ? *static_cast<const double*>(value)
                                  : *static_cast<const float*>(value);
}

// Queues making one of the arrays out of the other two: alpha times the sums, and beta times what
// was there.
template <typename Sum>
cudnnStatus_t Queue(cudnnHandle_t handle, const Task& task, int algorithm, Workspace workspace,
                    double scale, double kept, cudnnTensorStruct made, void* data, const Sum& sum) {
  if (!task.is_consistent()) return CUDNN_STATUS_BAD_PARAM;
  if ((algorithm != kWorks && algorithm != kSlow) || workspace.bytes < kWorkspace[algorithm]) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  emulation::Enqueue(handle->stream, [made, data, sum, scale, kept, algorithm, workspace] {
    if (algorithm == kSlow) std::this_thread::sleep_for(kSlowness);
    if (workspace.bytes > 0) std::memset(workspace.data, 0xff, workspace.bytes);
    std::vector<double> sums(static_cast<size_t>(made.count()));
    sum(&sums);
    for (size_t i = 0; i < sums.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      const double before = kept == 0 ? 0 : kept * Read(made.type, data, at);
      emulation::Write(made.type, data, at, scale * sums[i] + before);
    }
  });
  return CUDNN_STATUS_SUCCESS;
}

// As cuDNN, which has no filter gradients of double with channels last.
template <typename Perf>
cudnnStatus_t Propose(const Task& task, bool is_filter_gradient, int room, int* count,
                      Perf* found) {
  *count = 0;
  if (!task.is_consistent()) return CUDNN_STATUS_BAD_PARAM;
  if (is_filter_gradient && task.input.channels_last && task.input.type == Element::kDouble) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  for (int i = 0; i < kNumAlgorithms && i < room; ++i) {
    found[(*count)++] = {static_cast<decltype(found->algo)>(i), CUDNN_STATUS_SUCCESS, 1.0f,
                         kWorkspace[i], CUDNN_DETERMINISTIC, task.window.math};
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t Set(cudnnTensorStruct* tensor, cudnnTensorFormat_t format, cudnnDataType_t type,
                  int a, int b, int c, int d) {
  if (a <= 0 || b <= 0 || c <= 0 || d <= 0) return CUDNN_STATUS_BAD_PARAM;
  tensor->type = ElementOf(type);
  tensor->channels_last = format == CUDNN_TENSOR_NHWC;
  const int64_t size[4] = {a, b, c, d};
  for (int k = 0; k < 4; ++k) tensor->size[k] = size[k];
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return 91400; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    default: return "CUDNN_STATUS_NOT_SUPPORTED";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

#define EMULATION_DESCRIPTOR(Name)                                              \
  cudnnStatus_t cudnnCreate##Name##Descriptor(cudnn##Name##Descriptor_t* made) { \
    *made = new cudnn##Name##Struct{};                                          \
    return CUDNN_STATUS_SUCCESS;                                                \
  }                                                                             \
  cudnnStatus_t cudnnDestroy##Name##Descriptor(cudnn##Name##Descriptor_t gone) { \
    delete gone;                                                                \
    return CUDNN_STATUS_SUCCESS;                                                \
  }
EMULATION_DESCRIPTOR(Tensor)
EMULATION_DESCRIPTOR(Filter)
EMULATION_DESCRIPTOR(Convolution)
EMULATION_DESCRIPTOR(Activation)
#undef EMULATION_DESCRIPTOR

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t format, cudnnDataType_t type, int n,
                                         int c, int h, int w) {
  return Set(tensor, format, type, n, c, h, w);
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return Set(filter, format, type, k, c, h, w);
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution,
                                              int pad_rows, int pad_cols, int row_stride,
                                              int col_stride, int row_dilation, int col_dilation,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t) {
  if (mode != CUDNN_CROSS_CORRELATION || pad_rows < 0 || pad_cols < 0 || row_stride <= 0 ||
      col_stride <= 0 || row_dilation <= 0 || col_dilation <= 0) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *convolution = {{pad_rows, pad_cols}, {row_stride, col_stride}, {row_dilation, col_dilation}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  convolution->groups = groups;
  return groups > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
  convolution->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t nan,
                                           double) {
  activation->mode = mode;
  return nan == CUDNN_PROPAGATE_NAN ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t input, cudnnFilterDescriptor_t filter,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t output, int room, int* count,
    cudnnConvolutionFwdAlgoPerf_t* found) {
  return Propose({*input, *filter, *output, *convolution}, false, room, count, found);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t filter, cudnnTensorDescriptor_t output,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t input, int room, int* count,
    cudnnConvolutionBwdDataAlgoPerf_t* found) {
  return Propose({*input, *filter, *output, *convolution}, false, room, count, found);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t input, cudnnTensorDescriptor_t output,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t filter, int room, int* count,
    cudnnConvolutionBwdFilterAlgoPerf_t* found) {
  return Propose({*input, *filter, *output, *convolution}, true, room, count, found);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionFwdAlgo_t algorithm, size_t* bytes) {
  *bytes = kWorkspace[algorithm];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionBwdDataAlgo_t algorithm, size_t* bytes) {
  *bytes = kWorkspace[algorithm];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, cudnnConvolutionBwdFilterAlgo_t algorithm, size_t* bytes) {
  *bytes = kWorkspace[algorithm];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t input, const void* x,
    cudnnFilterDescriptor_t filter, const void* w, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t bytes, const void* beta,
    cudnnTensorDescriptor_t output, void* y) {
  const Task task{*input, *filter, *output, *convolution};
  return Queue(handle, task, algorithm, {workspace, bytes}, Factor(alpha, output->type),
               Factor(beta, output->type), *output, y,
               [task, x, w](std::vector<double>* sums) {
    const std::vector<double> images = ReadAll(task.input, x);
    const std::vector<double> weights = ReadAll(task.filter, w);
    task.ForEach([&](size_t i, size_t f, size_t o) { (*sums)[o] += images[i] * weights[f]; });
  });
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t input, const void* x,
    cudnnFilterDescriptor_t filter, const void* w, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t bytes, const void* beta,
    cudnnTensorDescriptor_t added, const void* z, cudnnTensorDescriptor_t bias, const void* b,
    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t output, void* y) {
  const Task task{*input, *filter, *output, *convolution};
  const cudnnTensorStruct numbers = *bias;
  const bool relu = activation->mode == CUDNN_ACTIVATION_RELU;
  if (added->channels_last != output->channels_last || added->count() != output->count() ||
      numbers.size[1] != output->size[1] || numbers.count() != output->size[1]) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (!relu && static_cast<int>(algorithm) != kWorks) return CUDNN_STATUS_NOT_SUPPORTED;
  const double scale = Factor(alpha, output->type);
  const double kept = Factor(beta, output->type);
  return Queue(handle, task, algorithm, {workspace, bytes}, 1, 0, *output, y,
               [=](std::vector<double>* sums) {
    const std::vector<double> images = ReadAll(task.input, x);
    const std::vector<double> weights = ReadAll(task.filter, w);
    task.ForEach([&](size_t i, size_t f, size_t o) { (*sums)[o] += images[i] * weights[f]; });
    const int64_t channels = numbers.size[1];
    const int64_t area = task.output.channels_last ? 1 : task.output.size[2] * task.output.size[3];
    for (size_t i = 0; i < sums->size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      double& sum = (*sums)[i];
      sum = scale * sum + Read(numbers.type, b, at / area % channels);
      if (kept != 0) sum += kept * Read(task.output.type, z, at);
      if (relu && sum < 0) sum = 0;
    }
  });
}

cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t filter, const void* w,
    cudnnTensorDescriptor_t output, const void* dy, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, size_t bytes, const void* beta,
    cudnnTensorDescriptor_t input, void* dx) {
  const Task task{*input, *filter, *output, *convolution};
  return Queue(handle, task, algorithm, {workspace, bytes}, Factor(alpha, input->type),
               Factor(beta, input->type), *input, dx,
               [task, w, dy](std::vector<double>* sums) {
    const std::vector<double> gradient = ReadAll(task.output, dy);
    const std::vector<double> weights = ReadAll(task.filter, w);
    task.ForEach([&](size_t i, size_t f, size_t o) { (*sums)[i] += gradient[o] * weights[f]; });
  });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t input, const void* x,
    cudnnTensorDescriptor_t output, const void* dy, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, size_t bytes, const void* beta,
    cudnnFilterDescriptor_t filter, void* dw) {
  const Task task{*input, *filter, *output, *convolution};
  return Queue(handle, task, algorithm, {workspace, bytes}, Factor(alpha, filter->type),
               Factor(beta, filter->type), *filter, dw,
               [task, x, dy](std::vector<double>* sums) {
    const std::vector<double> images = ReadAll(task.input, x);
    const std::vector<double> gradient = ReadAll(task.output, dy);
    task.ForEach([&](size_t i, size_t f, size_t o) { (*sums)[f] += images[i] * gradient[o]; });
  });
}

}  // extern "C"
