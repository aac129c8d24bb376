// Operation graphs of cuDNN: the convolution, then the tensor that is added, the bias and the activation,
// each a node whose result the next one reads without its going to memory.
#include "kernels/nn/cudnn_graph.cuh"

#include <algorithm>
#include <optional>

#include "kernels/framework/cuda_context.cuh"
#include "kernels/nn/cudnn_ways.cuh"

namespace tfbuild {
namespace {

constexpr int64_t kMaxEngines = 8;  // of each heuristic: to make one ready may take a while

// The tensors of a graph by number; those from kSum on are never in memory.
enum Number : int64_t { kInput = 1, kFilter, kOutput, kBias, kResidual, kSum };

struct Types {
  cudnnDataType_t data;
  cudnnDataType_t compute;
};

Result<Types> TypesOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return Types{CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT};
    case DType::kDouble: return Types{CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE};
    case DType::kHalf: return Types{CUDNN_DATA_HALF, CUDNN_DATA_FLOAT};
    case DType::kBFloat16: return Types{CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT};
    default: return Internal("no convolution of ", DTypeName(dtype), " on a GPU");
  }
}

// Batch (or filters), channels, rows and columns: the order in which cuDNN has dimensions, however they
// lie in memory.
using Sizes = std::vector<int64_t>;

Sizes StridesOf(const Sizes& sizes, bool channels_last) {
  const int64_t channels = sizes[1];
  const int64_t area = sizes[2] * sizes[3];
  if (channels_last) return {channels * area, 1, channels * sizes[3], channels};
  return {channels * area, area, sizes[3], 1};
}

// Makes the parts of one graph.
class GraphParts {
 public:
  GraphParts(const CudnnConvolution& convolution, const Types& types,
             std::vector<CudnnDescriptor>* parts, std::vector<CudnnDescriptor>* operations)
      : c_(convolution), types_(types), parts_(parts), operations_(operations) {}

  Status Run() {
    RETURN_IF_ERROR(AddConvolution(NextResult()));
    if (c_.then.residual) RETURN_IF_ERROR(AddPointwise(CUDNN_POINTWISE_ADD, kResidual, Images()));
    if (c_.then.bias) {
      RETURN_IF_ERROR(AddPointwise(CUDNN_POINTWISE_ADD, kBias, {1, c_.out_channels, 1, 1}));
    }
    if (c_.then.activation == Epilogue::Activation::kRelu) {
      RETURN_IF_ERROR(AddPointwise(CUDNN_POINTWISE_RELU_FWD, std::nullopt, {}));
    }
    return OkStatus();
  }

 private:
  Sizes Images() const { return {c_.batch, c_.out_channels, c_.rows.output, c_.cols.output}; }
  bool has_relu() const { return c_.then.activation == Epilogue::Activation::kRelu; }

  // The last operation makes the output, those before it what the next one reads.
  int64_t NextResult() {
    const int64_t made = static_cast<int64_t>(operations_->size());
    return made == c_.then.num_args() + (has_relu() ? 1 : 0) ? int64_t{kOutput} : kSum + made;
  }

  Result<const CudnnDescriptor*> Keep(Result<CudnnDescriptor> made) {
    RETURN_IF_ERROR(made.status());
    parts_->push_back(*std::move(made));
    return &parts_->back();
  }

  Result<const CudnnDescriptor*> AddTensor(int64_t number, const Sizes& sizes) {
    const bool in_memory = number < kSum;
    return Keep(CudnnBuilder(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
                    .Set(CUDNN_ATTR_TENSOR_DATA_TYPE, in_memory ? types_.data : types_.compute)
                    .Set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes)
                    .Set(CUDNN_ATTR_TENSOR_STRIDES, StridesOf(sizes, c_.channels_last))
                    .Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
                    .Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, c_.alignment)
                    .Set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, !in_memory)
                    .Finalize());
  }

  Result<const CudnnDescriptor*> AddWindow() {
    const Sizes pads = {c_.rows.pad, c_.cols.pad};
    return Keep(CudnnBuilder(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
                    .Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, types_.compute)
                    .Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
                    .Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2})
                    .Set(CUDNN_ATTR_CONVOLUTION_DILATIONS, Sizes{c_.rows.dilation, c_.cols.dilation})
                    .Set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, Sizes{c_.rows.stride, c_.cols.stride})
                    .Set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pads)
                    .Set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pads)
                    .Finalize());
  }

  Status AddConvolution(int64_t result) {
    ASSIGN_OR_RETURN(const auto* input,
                     AddTensor(kInput, {c_.batch, c_.in_channels, c_.rows.input, c_.cols.input}));
    ASSIGN_OR_RETURN(const auto* filter,
                     AddTensor(kFilter, {c_.out_channels, c_.in_channels / c_.groups,
                                         c_.rows.filter, c_.cols.filter}));
    ASSIGN_OR_RETURN(last_, AddTensor(result, Images()));
    ASSIGN_OR_RETURN(const auto* window, AddWindow());
    switch (c_.direction) {
      case ConvDirection::kForward:
        return AddOperation(
            WithFactors(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, *window)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, *input)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, *filter)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, *last_)
                .Finalize());
      case ConvDirection::kInputGradient:
        return AddOperation(
            WithFactors(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, *window)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, *input)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, *filter)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, *last_)
                .Finalize());
      default:
        return AddOperation(
            WithFactors(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, *window)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, *input)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, *filter)
                .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, *last_)
                .Finalize());
    }
  }

  // The result alone: once the sums, and none of what was there.
  CudnnBuilder WithFactors(cudnnBackendDescriptorType_t type, cudnnBackendAttributeName_t alpha,
                           cudnnBackendAttributeName_t beta) const {
    CudnnBuilder operation(type);
    if (types_.compute == CUDNN_DATA_DOUBLE) {
      operation.Set(alpha, 1.0).Set(beta, 0.0);
    } else {
      operation.Set(alpha, 1.0f).Set(beta, 0.0f);
    }
    return operation;
  }

  // What comes from the operation before, with a tensor of these sizes where there is a number.
  Status AddPointwise(cudnnPointwiseMode_t mode, std::optional<int64_t> number,
                      const Sizes& sizes) {
    CudnnBuilder what(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    what.Set(CUDNN_ATTR_POINTWISE_MODE, mode).Set(CUDNN_ATTR_POINTWISE_MATH_PREC, types_.compute);
    if (mode == CUDNN_POINTWISE_RELU_FWD) {
      what.Set(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_PROPAGATE_NAN);
    }
    ASSIGN_OR_RETURN(const auto* kind, Keep(what.Finalize()));
    const CudnnDescriptor* const read = last_;
    ASSIGN_OR_RETURN(last_, AddTensor(NextResult(), Images()));
    CudnnBuilder operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, *kind)
        .Set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *read)
        .Set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, *last_);
    if (number) {
      ASSIGN_OR_RETURN(const auto* more, AddTensor(*number, sizes));
      operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *more);
    }
    return AddOperation(operation.Finalize());
  }

  Status AddOperation(Result<CudnnDescriptor> made) {
    RETURN_IF_ERROR(made.status());
    operations_->push_back(*std::move(made));
    return OkStatus();
  }

  const CudnnConvolution& c_;
  const Types types_;
  std::vector<CudnnDescriptor>* parts_;
  std::vector<CudnnDescriptor>* operations_;
  const CudnnDescriptor* last_ = nullptr;  // what the last operation makes
};

Result<std::string> NameOf(const CudnnDescriptor& engine, const CudnnDescriptor& config) {
  ASSIGN_OR_RETURN(const int64_t number, engine.Get<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  ASSIGN_OR_RETURN(const std::vector<CudnnDescriptor> knobs,
                   config.GetDescriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                         CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                         CUDNN_KNOB_TYPE_COUNTS));
  std::string name = StrCat("engine ", number);
  for (const CudnnDescriptor& knob : knobs) {
    ASSIGN_OR_RETURN(const auto type,
                     knob.Get<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE));
    ASSIGN_OR_RETURN(const int64_t value, knob.Get<int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
    name += StrCat(" ", static_cast<int>(type), "=", value);
  }
  return name;
}

// The engine that a configuration sets.
Result<CudnnDescriptor> EngineOf(const CudnnDescriptor& config) {
  ASSIGN_OR_RETURN(std::vector<CudnnDescriptor> engines,
                   config.GetDescriptors(CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1));
  if (engines.empty()) return Internal("cuDNN has proposed settings of no engine");
  return std::move(engines.front());
}

// An engine, and the graph that all of one convolution share.
class GraphWay final : public CudnnWay {
 public:
  GraphWay(const CudnnConvolution& convolution, std::shared_ptr<const CudnnGraph> graph,
           CudnnEngine engine)
      : CudnnWay(engine.name, engine.deterministic),
        convolution_(convolution),
        graph_(std::move(graph)),
        engine_(std::move(engine)) {}

  Result<size_t> Prepare(cudnnHandle_t) override {
    if (!plan_) {
      ASSIGN_OR_RETURN(plan_, graph_->MakePlan(engine_));
    }
    return static_cast<size_t>(plan_->workspace());
  }
  Status Run(cudnnHandle_t handle, const CudnnBuffers& buffers, void* workspace) const override {
    return plan_->Run(handle, convolution_, buffers, workspace);
  }

 private:
  const CudnnConvolution convolution_;
  const std::shared_ptr<const CudnnGraph> graph_;
  const CudnnEngine engine_;
  std::optional<CudnnPlan> plan_;
};

}  // namespace

Result<CudnnGraph> CudnnGraph::Make(const CudnnTarget& target, const CudnnConvolution& convolution) {
  ASSIGN_OR_RETURN(const Types types, TypesOf(convolution.dtype));
  CudnnGraph graph(target, convolution.dtype);
  graph.parts_.reserve(16);  // they are pointed to while they are made
  RETURN_IF_ERROR(GraphParts(convolution, types, &graph.parts_, &graph.operations_).Run());
  CudnnBuilder whole(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  whole.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, graph.operations_);
  if (target.handle != nullptr) whole.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, target.handle);
  ASSIGN_OR_RETURN(CudnnDescriptor made, whole.Finalize());
  graph.graph_.push_back(std::move(made));
  return Result<CudnnGraph>(std::move(graph));
}

Result<std::vector<CudnnEngine>> CudnnGraph::Propose(bool allow_tf32) const {
  std::vector<CudnnEngine> engines;
  Status why;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    const Status proposed = Propose(mode, allow_tf32, &engines);
    if (!proposed.ok()) why = proposed;
  }
  if (engines.empty() && !why.ok()) return why;
  return Result<std::vector<CudnnEngine>>(std::move(engines));
}

Status CudnnGraph::Propose(cudnnBackendHeurMode_t mode, bool allow_tf32,
                           std::vector<CudnnEngine>* engines) const {
  CudnnBuilder heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_.front())
      .Set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (target_.properties != nullptr) {
    heuristic.Set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target_.properties);
  }
  ASSIGN_OR_RETURN(const CudnnDescriptor asked, heuristic.Finalize());
  ASSIGN_OR_RETURN(std::vector<CudnnDescriptor> configs,
                   asked.GetDescriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                        CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMaxEngines));
  for (CudnnDescriptor& config : configs) {
    ASSIGN_OR_RETURN(const CudnnDescriptor engine, EngineOf(config));
    ASSIGN_OR_RETURN(const auto notes, engine.GetAll<cudnnBackendNumericalNote_t>(
                                           CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
    const auto has = [&notes](cudnnBackendNumericalNote_t note) {
      return std::find(notes.begin(), notes.end(), note) != notes.end();
    };
    const bool rounds = has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) ||
                        (!allow_tf32 && has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
    if (dtype_ == DType::kFloat && rounds) continue;
    ASSIGN_OR_RETURN(const std::string name, NameOf(engine, config));
    const bool known = std::any_of(engines->begin(), engines->end(), [&](const CudnnEngine& other) {
      return other.name == name;
    });
    if (known) continue;
    engines->push_back(
        {std::move(config), name, !has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)});
  }
  return OkStatus();
}

Result<CudnnPlan> CudnnGraph::MakePlan(const CudnnEngine& engine) const {
  CudnnBuilder plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine.config);
  if (target_.handle != nullptr) plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, target_.handle);
  if (target_.properties != nullptr) {
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target_.properties);
  }
  ASSIGN_OR_RETURN(CudnnDescriptor made, plan.Finalize());
  ASSIGN_OR_RETURN(const int64_t workspace,
                   made.Get<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  return CudnnPlan(std::move(made), workspace);
}

Status CudnnPlan::Run(cudnnHandle_t handle, const CudnnConvolution& convolution,
                      const CudnnBuffers& buffers, void* workspace) const {
  std::vector<int64_t> numbers = {kInput, kFilter, kOutput};
  std::vector<void*> data = {buffers.input, buffers.filter, buffers.output};
  if (convolution.then.bias) {
    numbers.push_back(kBias);
    data.push_back(const_cast<void*>(buffers.bias));
  }
  if (convolution.then.residual) {
    numbers.push_back(kResidual);
    data.push_back(const_cast<void*>(buffers.residual));
  }
  ASSIGN_OR_RETURN(const CudnnDescriptor pack,
                   CudnnBuilder(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
                       .Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, numbers)
                       .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, data)
                       .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace)
                       .Finalize());
  CUDNN_RETURN_IF_ERROR(cudnnBackendExecute(handle, plan_.get(), pack.get()));
  return OkStatus();
}

Result<CudnnWays> FindGraphWays(cudnnHandle_t handle, const CudnnConvolution& convolution,
                                bool allow_tf32) {
  ASSIGN_OR_RETURN(CudnnGraph made, CudnnGraph::Make({handle, nullptr}, convolution));
  const auto graph = std::make_shared<const CudnnGraph>(std::move(made));
  ASSIGN_OR_RETURN(std::vector<CudnnEngine> engines, graph->Propose(allow_tf32));
  CudnnWays ways;
  for (CudnnEngine& engine : engines) {
    ways.push_back(std::make_unique<GraphWay>(convolution, graph, std::move(engine)));
  }
  return Result<CudnnWays>(std::move(ways));
}

}  // namespace tfbuild
