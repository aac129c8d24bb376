// Convolutions by cuDNN's functions, one for each direction and one that adds bias, tensor and activation.
#include <algorithm>

#include "kernels/framework/cuda_context.cuh"
#include "kernels/nn/cudnn_ways.cuh"

namespace tfbuild {
namespace {

constexpr int kMaxAlgorithms = 16;

// An algorithm of one of the three enumerations of cuDNN.
struct Choice {
  int algorithm;
  cudnnMathType_t math;
  bool deterministic;
};

// cuDNN's descriptions of one convolution.
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
void KeepUsable(const Perf* found, int count, std::vector<Choice>* choices) {
  for (int i = 0; i < count; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS) continue;
    choices->push_back({static_cast<int>(found[i].algo), found[i].mathType,
                        found[i].determinism == CUDNN_DETERMINISTIC});
  }
}

// What cuDNN's heuristic proposes.
Result<std::vector<Choice>> FindChoices(cudnnHandle_t handle, ConvDirection direction,
                                        const Plan& plan) {
  std::vector<Choice> choices;
  int count = 0;
  if (direction == ConvDirection::kForward) {
    cudnnConvolutionFwdAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionForwardAlgorithm_v7(
        handle, plan.input, plan.filter, plan.window, plan.output, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, &choices);
  } else if (direction == ConvDirection::kInputGradient) {
    cudnnConvolutionBwdDataAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle, plan.filter, plan.output, plan.window, plan.input, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, &choices);
  } else {
    cudnnConvolutionBwdFilterAlgoPerf_t found[kMaxAlgorithms];
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle, plan.input, plan.output, plan.window, plan.filter, kMaxAlgorithms, &count,
        found));
    KeepUsable(found, count, &choices);
  }
  return choices;
}

Result<size_t> MeasureWorkspace(cudnnHandle_t handle, ConvDirection direction, const Plan& plan,
                                const Choice& choice) {
  CUDNN_RETURN_IF_ERROR(cudnnSetConvolutionMathType(plan.window, choice.math));
  size_t bytes = 0;
  if (direction == ConvDirection::kForward) {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionForwardWorkspaceSize(
        handle, plan.input, plan.filter, plan.window, plan.output,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), &bytes));
  } else if (direction == ConvDirection::kInputGradient) {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardDataWorkspaceSize(
        handle, plan.filter, plan.output, plan.window, plan.input,
        static_cast<cudnnConvolutionBwdDataAlgo_t>(choice.algorithm), &bytes));
  } else {
    CUDNN_RETURN_IF_ERROR(cudnnGetConvolutionBackwardFilterWorkspaceSize(
        handle, plan.input, plan.output, plan.window, plan.filter,
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice.algorithm), &bytes));
  }
  return bytes;
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
               const Choice& choice, const CudnnBuffers& buffers, void* workspace,
               size_t workspace_bytes) {
  const Factors one(c.dtype, 1);
  const Factors zero(c.dtype, 0);
  if (c.then.bias) {
    // Without a tensor to add, cuDNN wants one all the same, and takes 0 times the output.
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBiasActivationForward(
        handle, &one, plan.input, buffers.input, plan.filter, buffers.filter, plan.window,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), workspace, workspace_bytes,
        c.then.residual ? &one : &zero, plan.output,
        c.then.residual ? buffers.residual : buffers.output, plan.bias, buffers.bias,
        plan.activation, plan.output, buffers.output));
  } else if (c.direction == ConvDirection::kForward) {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionForward(
        handle, &one, plan.input, buffers.input, plan.filter, buffers.filter, plan.window,
        static_cast<cudnnConvolutionFwdAlgo_t>(choice.algorithm), workspace, workspace_bytes,
        &zero, plan.output, buffers.output));
  } else if (c.direction == ConvDirection::kInputGradient) {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBackwardData(
        handle, &one, plan.filter, buffers.filter, plan.output, buffers.output, plan.window,
        static_cast<cudnnConvolutionBwdDataAlgo_t>(choice.algorithm), workspace, workspace_bytes,
        &zero, plan.input, buffers.input));
  } else {
    CUDNN_RETURN_IF_ERROR(cudnnConvolutionBackwardFilter(
        handle, &one, plan.input, buffers.input, plan.output, buffers.output, plan.window,
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(choice.algorithm), workspace,
        workspace_bytes, &zero, plan.filter, buffers.filter));
  }
  return OkStatus();
}

// An algorithm, and the descriptions that all of one convolution share.
class CallWay final : public CudnnWay {
 public:
  CallWay(const CudnnConvolution& convolution, std::shared_ptr<const Plan> plan,
          const Choice& choice)
      : CudnnWay(StrCat(choice.algorithm, " ", static_cast<int>(choice.math)),
                 choice.deterministic),
        convolution_(convolution),
        plan_(std::move(plan)),
        choice_(choice) {}

  Result<size_t> Prepare(cudnnHandle_t handle) override {
    ASSIGN_OR_RETURN(bytes_, MeasureWorkspace(handle, convolution_.direction, *plan_, choice_));
    return bytes_;
  }
  Status Run(cudnnHandle_t handle, const CudnnBuffers& buffers, void* workspace) const override {
    return Execute(handle, convolution_, *plan_, choice_, buffers, workspace, bytes_);
  }

 private:
  const CudnnConvolution convolution_;
  const std::shared_ptr<const Plan> plan_;
  const Choice choice_;
  size_t bytes_ = 0;
};

}  // namespace

Result<CudnnWays> FindCallWays(cudnnHandle_t handle, const CudnnConvolution& convolution,
                               bool allow_tf32) {
  if (!convolution.then.bias && !convolution.then.fused_ops().empty()) {
    return Unimplemented("cuDNN's function behind a convolution wants a bias");
  }
  ASSIGN_OR_RETURN(const Types types, TypesFor(convolution.dtype, allow_tf32));
  auto plan = std::make_shared<Plan>();
  RETURN_IF_ERROR(Describe(convolution, types, plan.get()));
  ASSIGN_OR_RETURN(std::vector<Choice> choices, FindChoices(handle, convolution.direction, *plan));
  CudnnWays ways;
  for (Choice& choice : choices) {
    if (types.math == CUDNN_FMA_MATH) choice.math = CUDNN_FMA_MATH;  // float stays float
    ways.push_back(std::make_unique<CallWay>(convolution, plan, choice));
  }
  return Result<CudnnWays>(std::move(ways));
}

}  // namespace tfbuild
