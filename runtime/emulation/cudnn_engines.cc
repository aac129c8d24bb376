// Engines of cuDNN's graphs. Of those that the first heuristic names one adds in any order, two round what
// they read, one wants more memory than anybody should give, one is refused when it is made ready and one
// when it runs, and one is slow: callers must leave some out and try the next.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "emulation/cudnn_graph.h"
#include "emulation/device.h"

namespace emulation {
namespace {

enum Engine : int64_t {
  kAnyOrder, kTensorCores, kConverts, kTooLarge, kRefused, kFails, kSlow, kWorks, kFallback,
  kNumEngines
};
constexpr int64_t kWorkspace[kNumEngines] = {0, 64, 0, int64_t{1} << 40, 0, 4096, 0, 256, 0};
constexpr std::chrono::milliseconds kSlowness{2};

std::vector<cudnnBackendNumericalNote_t> NotesOf(int64_t engine) {
  if (engine == kAnyOrder) return {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  if (engine == kTensorCores) return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
  if (engine == kConverts) return {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
  return {};
}

// There are none for double, and without a bias none but for 16 bits: those would be compiled for the
// graph. Gradients of bfloat16's filters add in any order.
std::vector<int64_t> EnginesFor(const Graph& graph, cudnnBackendHeurMode_t mode) {
  const Element type = graph.task.input.type;
  const auto is_bias = [](const GraphStep& step) {
    return step.more && step.more->layout.count() == step.more->layout.size[1];
  };
  const bool plain = graph.steps.empty() ||
                     std::any_of(graph.steps.begin(), graph.steps.end(), is_bias);
  if (type == Element::kDouble || (type == Element::kFloat && !plain)) return {};
  if (graph.is_filter_gradient() && type == Element::kBFloat16) return {kAnyOrder};
  if (mode == CUDNN_HEUR_MODE_FALLBACK) return {kWorks, kFallback};
  return {kAnyOrder, kTensorCores, kConverts, kTooLarge, kRefused, kFails, kSlow, kWorks};
}

std::shared_ptr<BackendNode> Finished(cudnnBackendDescriptorType_t type) {
  auto node = std::make_shared<BackendNode>(type);
  node->finalized = true;
  return node;
}

std::shared_ptr<BackendNode> Knob(cudnnBackendKnobType_t type, int64_t value) {
  auto knob = Finished(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  knob->Put<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, {type});
  knob->Put<int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, {value});
  return knob;
}

// The settings of an engine for a graph, which they keep.
std::shared_ptr<BackendNode> SettingsOf(int64_t number, const BackendNodes& graph) {
  auto engine = Finished(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->Put<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, {number});
  engine->Put(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, NotesOf(number));
  engine->Put(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  auto settings = Finished(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  settings->Put(CUDNN_ATTR_ENGINECFG_ENGINE, BackendNodes{engine});
  BackendNodes knobs;
  if (number == kWorks) {
    knobs = {Knob(CUDNN_KNOB_TYPE_TILE_SIZE, 3), Knob(CUDNN_KNOB_TYPE_STAGES, 4)};
  }
  settings->Put(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
  return settings;
}

cudnnStatus_t FinalizeGraph(const BackendNode& node) {
  Graph graph;
  const cudnnStatus_t status = ReadGraph(node, &graph);
  if (status == CUDNN_STATUS_SUCCESS && !graph.steps.empty() && graph.task.window.groups > 1) {
    return Refuse(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, "steps behind groups");
  }
  return status;
}

cudnnStatus_t FinalizeHeuristic(const std::shared_ptr<BackendNode>& node) {
  const BackendNodes& whole = node->attributes.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).nodes;
  Graph graph;
  const cudnnStatus_t status = ReadGraph(*whole[0], &graph);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  BackendNodes results;
  const auto mode = node->One<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  for (const int64_t engine : EnginesFor(graph, mode)) results.push_back(SettingsOf(engine, whole));
  node->Put(CUDNN_ATTR_ENGINEHEUR_RESULTS, results);
  return CUDNN_STATUS_SUCCESS;
}

const BackendNode& EngineOf(const BackendNode& plan) {
  return plan.NodeAt(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).NodeAt(CUDNN_ATTR_ENGINECFG_ENGINE);
}

cudnnStatus_t FinalizePlan(const std::shared_ptr<BackendNode>& node) {
  const BackendNode& engine = EngineOf(*node);
  const BackendNode& graph = engine.NodeAt(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  if (graph.One<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE) !=
      node->One<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE)) {
    return Refuse(CUDNN_STATUS_BAD_PARAM, "a plan for another GPU than its graph");
  }
  const int64_t number = engine.One<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (number == kRefused) return Refuse(CUDNN_STATUS_NOT_SUPPORTED, "it does not do it after all");
  node->Put<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                     {kWorkspace[number]});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t FinalizePack(const BackendNode& node) {
  const auto& numbers = node.attributes.at(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto& data = node.attributes.at(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  return numbers.count == data.count ? CUDNN_STATUS_SUCCESS
                                     : Refuse(CUDNN_STATUS_BAD_PARAM, "numbers without addresses");
}

// To as many bits behind the first one as TF32 and half have.
double Rounded(double value) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(part, 11)), exponent - 11);
}

// One run of a graph by an engine.
struct Run {
  Graph graph;
  int64_t engine;
  std::map<int64_t, void*> data;
  void* workspace;

  bool rounds() const { return engine == kTensorCores || engine == kConverts; }
  // Those that round what is no float have nothing to gain by it.
  bool is_slow() const {
    return engine == kSlow || engine == kFallback ||
           (rounds() && graph.task.input.type != Element::kFloat);
  }

  std::vector<double> Factors(const cudnnTensorStruct& tensor, int64_t number) const {
    std::vector<double> values = ReadAll(tensor, data.at(number));
    if (rounds()) {
      std::transform(values.begin(), values.end(), values.begin(), Rounded);
    }
    return values;
  }

  // The sums, of which an engine that adds in any order makes float ones.
  std::vector<double> Sums() const {
    const Task& task = graph.task;
    const bool forward = graph.operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
    const bool of_filter = graph.is_filter_gradient();
    const bool reads_input = forward || of_filter;
    const auto first = Factors(reads_input ? static_cast<const cudnnTensorStruct&>(task.input)
                                           : task.filter, graph.reads[0]);
    const auto second = Factors(forward ? task.filter : task.output, graph.reads[1]);
    const cudnnTensorStruct& made = forward ? task.output : of_filter ? task.filter : task.input;
    std::vector<std::vector<double>> terms(static_cast<size_t>(made.count()));
    task.ForEach([&](size_t i, size_t f, size_t o) {
      terms[forward ? o : of_filter ? f : i].push_back(first[reads_input ? i : f] *
                                                       second[forward ? f : o]);
    });
    std::vector<double> sums;
    for (std::vector<double>& each : terms) sums.push_back(SumOf(&each));
    return sums;
  }

  double SumOf(std::vector<double>* terms) const {
    double sum = 0;
    if (engine != kAnyOrder) {
      for (const double term : *terms) sum += term;
      return sum;
    }
    static std::mt19937 random{std::random_device()()};
    std::shuffle(terms->begin(), terms->end(), random);
    for (const double term : *terms) sum = static_cast<float>(sum + term);
    return sum;
  }

  double Step(const GraphStep& step, double value, const int64_t* at) const {
    if (step.mode == CUDNN_POINTWISE_RELU_FWD) {
      return std::isnan(value) && step.keeps_nan ? value : std::fmax(value, 0.0);
    }
    const cudnnTensorStruct& more = step.more->layout;
    int64_t place[4];
    for (int k = 0; k < 4; ++k) place[k] = more.size[k] == 1 ? 0 : at[k];
    return value + Read(more.type, data.at(step.more->number),
                        more.At(place[0], place[1], place[2], place[3]));
  }

  void operator()() const {
    if (is_slow()) std::this_thread::sleep_for(kSlowness);
    if (kWorkspace[engine] > 0) {
      std::memset(workspace, 0xff, static_cast<size_t>(kWorkspace[engine]));
    }
    const std::vector<double> sums = Sums();
    const cudnnTensorStruct& made = graph.made.layout;
    int64_t at[4];
    for (at[0] = 0; at[0] < made.size[0]; ++at[0])
      for (at[1] = 0; at[1] < made.size[1]; ++at[1])
        for (at[2] = 0; at[2] < made.size[2]; ++at[2])
          for (at[3] = 0; at[3] < made.size[3]; ++at[3]) {
            const int64_t place = made.At(at[0], at[1], at[2], at[3]);
            double value = sums[static_cast<size_t>(place)];
            for (const GraphStep& step : graph.steps) value = Step(step, value, at);
            Write(made.type, data.at(graph.made.number), place, value);
          }
  }
};

cudnnStatus_t CheckData(const Run& run) {
  if (run.data.size() != run.graph.tensors.size()) {
    return Refuse(CUDNN_STATUS_BAD_PARAM, "too few or too many addresses");
  }
  for (const GraphTensor& tensor : run.graph.tensors) {
    const auto found = run.data.find(tensor.number);
    if (found == run.data.end() || found->second == nullptr) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a tensor without an address");
    }
    if (reinterpret_cast<uintptr_t>(found->second) % static_cast<uintptr_t>(tensor.alignment) != 0) {
      return Refuse(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "less aligned than was stated");
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t FinalizeWhole(const std::shared_ptr<BackendNode>& node) {
  switch (node->type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return FinalizeGraph(*node);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: return FinalizeHeuristic(node);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return FinalizePlan(node);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: return FinalizePack(*node);
    default: return CUDNN_STATUS_SUCCESS;
  }
}

}  // namespace emulation

extern "C" cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t pack) {
  using emulation::Refuse;
  const auto planned = emulation::NodeOf(plan), given = emulation::NodeOf(pack);
  if (!planned->finalized || !given->finalized) {
    return Refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a plan or addresses not finalized");
  }
  if (planned->One<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) != handle) {
    return Refuse(CUDNN_STATUS_BAD_PARAM, "a plan for another GPU");
  }
  const emulation::BackendNode& engine = emulation::EngineOf(*planned);
  emulation::Run run;
  run.engine = engine.One<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  run.workspace = given->OneOr<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, nullptr);
  emulation::ReadGraph(engine.NodeAt(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH), &run.graph);
  const auto numbers = given->All<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto data = given->All<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  for (size_t i = 0; i < numbers.size(); ++i) run.data[numbers[i]] = data[i];
  const cudnnStatus_t status = emulation::CheckData(run);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (run.engine == emulation::kFails) return Refuse(CUDNN_STATUS_NOT_SUPPORTED, "not so");
  if (emulation::kWorkspace[run.engine] > 0 && run.workspace == nullptr) {
    return Refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no workspace");
  }
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  emulation::Enqueue(handle->stream, run);
  return CUDNN_STATUS_SUCCESS;
}
