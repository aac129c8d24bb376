// Convolutions by cuDNN: descriptions, choice of the algorithm, workspace. Through its functions and not
// its graphs: they add bias, tensor and activation in the same call as well, and where no GPU is at
// hand the fewest calls are the ones most likely to be right.
#include "kernels/nn/cudnn.cuh"

#include <cudnn.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "kernels/framework/cuda_algorithms.cuh"
#include "kernels/framework/cuda_context.cuh"

namespace tfbuild {
namespace {

// Memory that an algorithm may ask for.
constexpr size_t kMaxWorkspace = size_t{1} << 30;
constexpr int kMaxAlgorithms = 16;

// An algorithm of one of the three enumerations of cuDNN.
struct Choice {
  int algorithm;
  cudnnMathType_t math;
  size_t workspace;
  bool deterministic;
};

// cuDNN's descriptions of one convolution. Used under the lock of the handle.
struct Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  ~Plan() {
    if (input != nullptr) cudnnDestroyTensorDescriptor(input);
    if (output != nullptr) cudnnDestroyTensorDescriptor(output);
    if (filter != nullptr) cudnnDestroyFilterDescriptor(filter);
    if (window != nullptr) cudnnDestroyConvolutionDescriptor(window);
    if (bias != nullptr) cudnnDestroyTensorDescriptor(bias);
    if (activation != nullptr) cudnnDestroyActivationDescriptor(activation);
  }

  cudnnTensorDescriptor_t input = nullptr;
  cudnnTensorDescriptor_t output = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t window = nullptr;
  cudnnTensorDescriptor_t bias = nullptr;  // these two with a bias alone
  cudnnActivationDescriptor_t activation = nullptr;
  std::vector<Choice> choices;  // best first; those that cuDNN turned out not to do are taken out
  std::string why;              // they were
  std::string task;             // in words for AlgorithmFile
  bool ordered = false;         // by time, where that counts
};

struct Types {
  cudnnDataType_t data;
  cudnnDataType_t compute;
  cudnnMathType_t math;
};

Result<Types> TypesFor(DType dtype, bool allow_tf32) {
  switch (dtype) {
    case DType::kFloat:
      return Types{CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                   allow_tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH};
    case DType::kDouble: return Types{CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH};
    case DType::kHalf: return Types{CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH};
    case DType::kBFloat16:
      return Types{CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH};
    default: return Internal("no convolution of ", DTypeName(dtype), " on a GPU");
  }
}

Status CheckSizes(const CudnnConvolution& c) {
  for (const int64_t size : {c.batch, c.in_channels, c.out_channels, c.rows.input, c.cols.input,
                             c.rows.filter, c.cols.filter, c.rows.stride, c.cols.stride,
                             c.rows.dilation, c.cols.dilation, c.rows.pad, c.cols.pad}) {
    if (size > std::numeric_limits<int>::max()) {
      return Unimplemented("a convolution with a size of ", size, " on a GPU");
    }
  }
  return OkStatus();
}

int Int(int64_t size) { return static_cast<int>(size); }

Status DescribeEpilogue(const CudnnConvolution& c, cudnnTensorFormat_t format, const Types& types,
                        Plan* plan) {
  const bool relu = c.then.activation == Epilogue::Activation::kRelu;
  CUDNN_RETURN_IF_ERROR(cudnnCreateTensorDescriptor(&plan->bias));
  CUDNN_RETURN_IF_ERROR(cudnnSetTensor4dDescriptor(plan->bias, format, types.data, 1,
                                                   Int(c.out_channels), 1, 1));
  CUDNN_RETURN_IF_ERROR(cudnnCreateActivationDescriptor(&plan->activation));
  CUDNN_RETURN_IF_ERROR(cudnnSetActivationDescriptor(
      plan->activation, relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
      CUDNN_PROPAGATE_NAN, 0));
  return OkStatus();
}

Status Describe(const CudnnConvolution& c, const Types& types, Plan* plan) {
  const cudnnTensorFormat_t format = c.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  CUDNN_RETURN_IF_ERROR(cudnnCreateTensorDescriptor(&plan->input));
  CUDNN_RETURN_IF_ERROR(cudnnSetTensor4dDescriptor(plan->input, format, types.data, Int(c.batch),
                                                   Int(c.in_channels), Int(c.rows.input),
                                                   Int(c.cols.input)));
  CUDNN_RETURN_IF_ERROR(cudnnCreateTensorDescriptor(&plan->output));
  CUDNN_RETURN_IF_ERROR(cudnnSetTensor4dDescriptor(plan->output, format, types.data, Int(c.batch),
                                                   Int(c.out_channels), Int(c.rows.output),
                                                   Int(c.cols.output)));
  CUDNN_RETURN_IF_ERROR(cudnnCreateFilterDescriptor(&plan->filter));
  CUDNN_RETURN_IF_ERROR(cudnnSetFilter4dDescriptor(
      plan->filter, types.data, format, Int(c.out_channels), Int(c.in_channels / c.groups),
      Int(c.rows.filter), Int(c.cols.filter)));
  CUDNN_RETURN_IF_ERROR(cudnnCreateConvolutionDescriptor(&plan->window));
  CUDNN_RETURN_IF_ERROR(cudnnSetConvolution2dDescriptor(
      plan->window, Int(c.rows.pad), Int(c.cols.pad), Int(c.rows.stride), Int(c.cols.stride),
      Int(c.rows.dilation), Int(c.cols.dilation), CUDNN_CROSS_CORRELATION, types.compute));
  CUDNN_RETURN_IF_ERROR(cudnnSetConvolutionGroupCount(plan->window, Int(c.groups)));
  CUDNN_RETURN_IF_ERROR(cudnnSetConvolutionMathType(plan->window, types.math));
  return c.then.bias ? DescribeEpilogue(c, format, types, plan) : OkStatus();
}

template <typename Perf>
void KeepUsable(const Perf* found, int count, Plan* plan) {
  for (int i = 0; i < count; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].memory > kMaxWorkspace) continue;
    plan->choices.push_back({static_cast<int>(found[i].algo), found[i].mathType, found[i].memory,
                             found[i].determinism == CUDNN_DETERMINISTIC});
  }
}

// What cuDNN's heuristic proposes.
Status FindChoices(cudnnHandle_t handle, ConvDirection direction, Plan* plan) {
  int count = 0;
  if (direction == ConvDirection::kForward) {
    cudnnConvolutionFwdAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionForwardAlgorithm_v7(
        handle, plan->input, plan->filter, plan->window, plan->output, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, plan);
  } else if (direction == ConvDirection::kInputGradient) {
    cudnnConvolutionBwdDataAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle, plan->filter, plan->output, plan->window, plan->input, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, plan);
  } else {
    cudnnConvolutionBwdFilterAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle, plan->input, plan->output, plan->window, plan->filter, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, plan);
  }
  // The same numbers in each run are worth more than the last bit of speed.
  std::stable_partition(plan->choices.begin(), plan->choices.end(),
                        [](const Choice& choice) { return choice.deterministic; });
  return OkStatus();
}

Status MeasureWorkspace(cudnnHandle_t handle, ConvDirection direction, const Plan& plan,
                        Choice* choice) {
  CUDNN_RETURN_IF_ERROR(cudnnSetConvolutionMathType(plan.window, choice->math));
  size_t* bytes = &choice->workspace;
  if (direction == ConvDirection::kForward) {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionForwardWorkspaceSize(
        handle, plan.input, plan.filter, plan.window, plan.output,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice->algorithm), bytes));
  } else if (direction == ConvDirection::kInputGradient) {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardDataWorkspaceSize(
        handle, plan.filter, plan.output, plan.window, plan.input,
        static_cast<cudnnConvolutionBwdDataAlgo_t>(choice->algorithm), bytes));
  } else {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardFilterWorkspaceSize(
        handle, plan.input, plan.output, plan.window, plan.filter,
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice->algorithm), bytes));
  }
  return OkStatus();
}

struct Factors {
  Factors(DType dtype, double value) : as_double(value) {
    if (dtype != DType::kDouble) as_float = static_cast<float>(value);
  }
  union {
    double as_double;
    float as_float;
  };
};

Status Execute(cudnnHandle_t handle, const CudnnConvolution& c, const Plan& plan,
               const Choice& choice, const CudnnBuffers& buffers, void* workspace) {
  const Factors one(c.dtype, 1);
  const Factors zero(c.dtype, 0);
  if (c.then.bias) {
    // Without a tensor to add, cuDNN wants one all the same, and takes 0 times the output.
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBiasActivationForward(
        handle, &one, plan.input, buffers.input, plan.filter, buffers.filter, plan.window,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), workspace, choice.workspace,
        c.then.residual ? &one : &zero, plan.output,
        c.then.residual ? buffers.residual : buffers.output, plan.bias, buffers.bias,
        plan.activation, plan.output, buffers.output));
  } else if (c.direction == ConvDirection::kForward) {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionForward(
        handle, &one, plan.input, buffers.input, plan.filter, buffers.filter, plan.window,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), workspace, choice.workspace,
        &zero, plan.output, buffers.output));
  } else if (c.direction == ConvDirection::kInputGradient) {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBackwardData(
        handle, &one, plan.filter, buffers.filter, plan.output, buffers.output, plan.window,
        static_cast<cudnnConvolutionBwdDataAlgo_t>(choice.algorithm), workspace, choice.workspace,
        &zero, plan.input, buffers.input));
  } else {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBackwardFilter(
        handle, &one, plan.input, buffers.input, plan.output, buffers.output, plan.window,
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice.algorithm), workspace,
        choice.workspace, &zero, plan.filter, buffers.filter));
  }
  return OkStatus();
}

Status Try(OpKernelContext* context, cudnnHandle_t handle, const CudnnConvolution& c,
           const Plan& plan, Choice choice, const CudnnBuffers& buffers) {
  RETURN_IF_ERROR(MeasureWorkspace(handle, c.direction, plan, &choice));
  ASSIGN_OR_RETURN(Tensor workspace,
                   context->AllocateTemp(DType::kUint8, Shape{static_cast<int64_t>(
                       choice.workspace)}));
  return Execute(handle, c, plan, choice, buffers, workspace.raw());
}

using Key = std::vector<int64_t>;

Key MakeKey(const CudaDevice& device, const CudnnConvolution& c) {
  Key key = {device.ordinal(), static_cast<int64_t>(c.direction), static_cast<int64_t>(c.dtype),
             c.channels_last, c.batch, c.in_channels, c.out_channels, c.groups, c.then.bias,
             c.then.residual, static_cast<int64_t>(c.then.activation)};
  for (const CudnnWindow* w : {&c.rows, &c.cols}) {
    key.insert(key.end(), {w->input, w->filter, w->stride, w->dilation, w->pad, w->output});
  }
  return key;
}

// The plans of the process. A plan belongs to one device and is used under the lock of its handle.
class Plans {
 public:
  static Plans& Global() {
    static Plans* plans = new Plans;  // never destroyed: cuDNN may be gone by then
    return *plans;
  }
  Plan* Find(const Key& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(key);
    return found == plans_.end() ? nullptr : found->second.get();
  }
  Plan* Add(const Key& key, std::unique_ptr<Plan> plan) {
    std::lock_guard<std::mutex> lock(mutex_);
    return plans_.emplace(key, std::move(plan)).first->second.get();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

Status NoAlgorithm(const CudnnConvolution& c, const Plan& plan) {
  return Unimplemented("cuDNN has no algorithm for this convolution of ", DTypeName(c.dtype),
                       " with ", c.channels_last ? "NHWC" : "NCHW", " images",
                       plan.why.empty() ? "" : "; ", plan.why);
}

// The plan, made when it is not there yet. The caller holds the handle.
Result<Plan*> FindOrMakePlan(const CudaDevice& device, cudnnHandle_t handle,
                             const CudnnConvolution& c) {
  const Key key = MakeKey(device, c);
  if (Plan* known = Plans::Global().Find(key)) return known;
  RETURN_IF_ERROR(CheckSizes(c));
  ASSIGN_OR_RETURN(const Types types, TypesFor(c.dtype, device.allow_tf32()));
  auto plan = std::make_unique<Plan>();
  // The device's number, which comes first, is no part of it.
  plan->task = StrCat(device.allow_tf32() ? "convolution tf32 " : "convolution ",
                      StrJoin(Key(key.begin() + 1, key.end()), " "));
  const Status described = Describe(c, types, plan.get());
  const Status found = described.ok() ? FindChoices(handle, c.direction, plan.get()) : described;
  if (!found.ok() && found.code() != Code::kUnimplemented) return found;
  plan->why = found.message();
  for (Choice& choice : plan->choices) {
    if (types.math == CUDNN_FMA_MATH) choice.math = CUDNN_FMA_MATH;  // float stays float
  }
  return Plans::Global().Add(key, std::move(plan));
}

std::string TextOf(const Choice& choice) {
  return StrCat(choice.algorithm, " ", static_cast<int>(choice.math));
}

// Of those that give the same numbers in each run, if there are any: they come first.
size_t NumTimed(const Plan& plan) {
  const auto& choices = plan.choices;
  const auto count = std::count_if(choices.begin(), choices.end(),
                                   [](const Choice& choice) { return choice.deterministic; });
  return count > 0 ? static_cast<size_t>(count) : choices.size();
}

// Puts the fastest one first: the one that was so in an earlier program, else by trying all.
template <typename Run>
Status Order(const CudaDevice& device, const Run& run, Plan* plan) {
  plan->ordered = true;
  auto best = plan->choices.end();
  if (const auto text = AlgorithmsOf(device)->Find(plan->task)) {
    best = std::find_if(plan->choices.begin(), plan->choices.end(),
                        [&](const Choice& choice) { return TextOf(choice) == *text; });
  }
  if (best == plan->choices.end()) {
    const Result<Fastest> fastest = FindFastest(device, NumTimed(*plan), run);
    const Code code = fastest.status().code();
    if (code == Code::kUnimplemented || code == Code::kResourceExhausted) return OkStatus();
    RETURN_IF_ERROR(fastest.status());
    best = plan->choices.begin() + static_cast<std::ptrdiff_t>(fastest->index);
    if (fastest->all_tried) KeepAlgorithm(device, plan->task, TextOf(*best));
  }
  std::rotate(plan->choices.begin(), best, best + 1);
  return OkStatus();
}

}  // namespace

Status CheckCudnnConvolution(OpKernelContext* context, const CudnnConvolution& convolution) {
  CudaDevice* device = CudaDeviceOf(context);
  ASSIGN_OR_RETURN(const LockedHandle<cudnnContext> cudnn, device->LockCudnn());
  ASSIGN_OR_RETURN(const Plan* plan, FindOrMakePlan(*device, cudnn.handle, convolution));
  return plan->choices.empty() ? NoAlgorithm(convolution, *plan) : OkStatus();
}

Status RunCudnnConvolution(OpKernelContext* context, const CudnnConvolution& convolution,
                           const CudnnBuffers& buffers) {
  CudaDevice* device = CudaDeviceOf(context);
  ASSIGN_OR_RETURN(const LockedHandle<cudnnContext> cudnn, device->LockCudnn());
  ASSIGN_OR_RETURN(Plan * plan, FindOrMakePlan(*device, cudnn.handle, convolution));
  const auto run = [&](size_t i) {
    return Try(context, cudnn.handle, convolution, *plan, plan->choices[i], buffers);
  };
  if (!plan->ordered && !device->wants_one_result()) RETURN_IF_ERROR(Order(*device, run, plan));
  // Memory that is not there may be there the next time: only what cuDNN does not do is taken out.
  std::string lack;
  for (size_t i = 0; i < plan->choices.size();) {
    const Status status = run(i);
    if (status.code() == Code::kUnimplemented) {
      plan->why = status.message();
      plan->choices.erase(plan->choices.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (status.code() == Code::kResourceExhausted) {
      lack = status.message();
      ++i;
    } else {
      return status;
    }
  }
  return lack.empty() ? NoAlgorithm(convolution, *plan) : ResourceExhausted(lack);
}

}  // namespace tfbuild
