#include "passes/place.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>

#include "base/c_locale.h"
#include "graph/function_library.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

bool HasKernel(const Node& node, DeviceType type) {
  return KernelRegistry::Global().Find(node, type).ok();
}

// Strings and variants are objects of the host, and int32 values are mostly shapes and axes, which
// kernels read there: without a request such nodes stay on the host, as in TensorFlow. So do complex
// numbers, which kernels of GPUs move, but do not compute with.
bool BelongsOnHost(const Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    const DType dtype = node.output(i).dtype;
    if (IsHostObject(dtype)) return true;
    if (dtype != DType::kInt32 && !IsComplex(dtype)) return false;
  }
  return node.num_outputs() > 0;
}

// Whether the kernel of a GPU leaves all that it gives on the host: the shape of a tensor, the size of
// an array.
bool GivesOnlyToHost(const Node& node) {
  const Result<const KernelRegistration*> kernel =
      KernelRegistry::Global().Find(node, DeviceType::kGpu);
  if (!kernel.ok() || node.inputs().empty()) return false;
  const std::vector<bool> on_host = OutputsOnHost(**kernel, node);
  return std::all_of(on_host.begin(), on_host.begin() + node.num_outputs(), [](bool h) { return h; });
}

// Numbers that the host alone reads: what decides between branches, and the flow that orders the
// operations on an array. Whatever only hands one on, through loops and branches, is there too, on the
// host of the GPU where one is asked for.
class HostNumbers {
 public:
  HostNumbers(const PlanGraph& plan, const std::vector<Device*>& devices) : devices_(devices) {
    const bool gpus = std::any_of(devices.begin(), devices.end(), [](const Device* device) {
      return device->type() == DeviceType::kGpu;
    });
    if (!gpus) return;
    for (const PlanNode* node : plan.nodes()) {
      if (TakesFlow(*node)) Follow(node->inputs.back().node);
      if (ControlFlowOf(*node) == ControlFlow::kSwitch) Follow(node->inputs[1].node);
    }
  }
  bool HandedOnBy(const PlanNode& node) const { return handing_on_.count(&node) > 0; }

 private:
  static bool TakesFlow(const PlanNode& node) {
    static constexpr const char* kOps[] = {
        "TensorArrayReadV3",    "TensorArrayWriteV3", "TensorArrayGatherV3",
        "TensorArrayScatterV3", "TensorArraySizeV3",  "TensorArrayGradV3"};
    return std::any_of(std::begin(kOps), std::end(kOps),
                       [&node](const char* op) { return node.is(op); });
  }

  bool MayBeOnHost(const PlanNode& node) const {
    const Result<Device*> asked = FindRequestedDevice(node.def->device(), devices_);
    return asked.ok() && (*asked == nullptr || (*asked)->type() == DeviceType::kGpu);
  }

  void Follow(const PlanNode* last) {
    std::vector<const PlanNode*> open{last};
    while (!open.empty()) {
      const PlanNode* node = open.back();
      open.pop_back();
      const bool one = ControlFlowOf(*node) != ControlFlow::kNone || node->is("Identity") ||
                       node->is("LoopCond");
      const bool several = ControlFlowOf(*node) == ControlFlow::kMerge || node->is("AddN");
      if (node->feed != kNoFeed || !(one || several) || !MayBeOnHost(*node)) continue;
      if (!handing_on_.insert(node).second) continue;
      const size_t count = several ? node->inputs.size() : 1;
      for (size_t i = 0; i < count; ++i) open.push_back(node->inputs[i].node);
    }
  }

  const std::vector<Device*>& devices_;
  std::set<const PlanNode*> handing_on_;
};

// Where to ask for shapes alone: on the GPU that has all of what is asked about in its memory, as it would
// have to be copied otherwise; else null.
Device* GpuOfAsked(const PlanNode& node) {
  const bool asks = node.is("Shape") || node.is("ShapeN") || node.is("Size") || node.is("Rank");
  if (!asks || !node.def->device().empty()) return nullptr;
  Device* const gpu = node.inputs[0].node->device;
  const bool there = std::all_of(node.inputs.begin(), node.inputs.end(), [gpu](const PlanValue& v) {
    return v.node->feed == kNoFeed && v.node->device == gpu && v.type().dtype != DType::kInt32;
  });
  const bool can = gpu != nullptr && gpu->type() == DeviceType::kGpu;
  return there && can && HasKernel(*node.def, DeviceType::kGpu) ? gpu : nullptr;
}

bool TakesInt32Alone(const Node& node) {
  const std::vector<Endpoint>& inputs = node.inputs();
  return !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [](const Endpoint& input) {
    return input.dtype() == DType::kInt32 && !input.is_ref();
  });
}

bool GivesAlone(const Node& node, std::initializer_list<DType> dtypes) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Node::Output& output = node.output(i);
    const bool known = std::find(dtypes.begin(), dtypes.end(), output.dtype) != dtypes.end();
    if (!known || output.is_ref) return false;
  }
  return node.num_outputs() > 0;
}

// Whether a request for a GPU may mean its host: TensorFlow has kernels of GPUs that read and write
// int32 values there, so that programs which ask for a GPU may compute shapes and counts.
bool ComputesOnHost(const Node& node) {
  return GivesAlone(node, {DType::kInt32}) || TakesInt32Alone(node);
}

// Whether it has numbers of int32 made of values alone. Beside others it is asked to be with (by
// "_class") it does not decide where they are, and is on the host of their GPU.
bool CountsForOthers(const Node& node) {
  const std::vector<Endpoint>& inputs = node.inputs();
  return GivesAlone(node, {DType::kInt32}) && node.device().empty() && !node.op().is_stateful &&
         std::none_of(inputs.begin(), inputs.end(), [](const Endpoint& input) {
           return input.is_ref() || input.dtype() == DType::kResource;
         });
}

// Whether a request for a GPU means its host, whatever kernels there are: for numbers that are counted,
// compared and handed on.
bool IsOnHostOfGpu(const Node& node) {
  const bool takes = TakesInt32Alone(node) || node.op().name == "Switch";
  return takes && !node.op().is_stateful && GivesAlone(node, {DType::kInt32, DType::kBool});
}

// Whose elements are the host's as well.
bool IsArrayOfInt32(const Node& node) {
  if (node.op().name != "TensorArrayV3") return false;
  const Result<DType> dtype = node.Attr<DType>("dtype");
  return dtype.ok() && *dtype == DType::kInt32;
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = ToLower(c);
  return text;
}

}  // namespace

Result<Device*> FindRequestedDevice(const std::string& request,
                                    const std::vector<Device*>& devices) {
  Device* const none = nullptr;
  for (const std::string& raw : StrSplit(request, '/')) {
    std::string part = LowerCase(raw);
    if (part.rfind("device:", 0) == 0) part = part.substr(7);
    const size_t colon = part.find(':');
    const std::string kind = part.substr(0, colon);
    if (kind != "cpu" && kind != "gpu") {
      if (part.empty() || kind == "job" || kind == "replica" || kind == "task") continue;
      return InvalidArgument("malformed device name '", request, "'");
    }
    const std::string ordinal = colon == std::string::npos ? "0" : part.substr(colon + 1);
    const std::string suffix = LowerCase(StrCat("/device:", kind, ":", ordinal == "*" ? "0" : ordinal));
    for (Device* device : devices) {
      const std::string name = LowerCase(device->name());
      if (name.size() >= suffix.size() &&
          name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
        return device;
      }
    }
    return NotFound("device '", request, "' is not here; known: ", [&devices] {
      std::vector<std::string> names;
      for (const Device* device : devices) names.push_back(device->name());
      return StrJoin(names, ", ");
    }());
  }
  return none;
}

Placement::Placement(std::vector<Device*> devices, const PlacementOptions& options)
    : devices_(std::move(devices)), options_(options) {}

// Two sets that meet become one; what was decided for them without being used is open again.
void Placement::Join(const Node* a, const Node* b) {
  int root = Find(a->id());
  int other = Find(b->id());
  if (root == other) return;
  // So that a node changes its set a few times at most.
  if (GroupFor(a).members.size() < GroupFor(b).members.size()) std::swap(root, other);
  Group& kept = groups_.at(root);
  const Group joined = std::move(groups_.at(other));
  groups_.erase(other);
  parent_[static_cast<size_t>(other)] = root;
  kept.members.insert(kept.members.end(), joined.members.begin(), joined.members.end());
  kept.found.reset();
  kept.torn = kept.torn || joined.torn ||
              (kept.pinned && joined.pinned && kept.pinned != joined.pinned);
  if (!kept.pinned) kept.pinned = joined.pinned;
}

Placement::Group& Placement::GroupFor(const Node* node) {
  const auto [group, is_new] = groups_.try_emplace(Find(node->id()));
  if (is_new) group->second.members = {node};
  return group->second;
}

int Placement::Find(int id) {
  while (parent_[static_cast<size_t>(id)] != id) {
    const int above = parent_[static_cast<size_t>(parent_[static_cast<size_t>(id)])];
    id = parent_[static_cast<size_t>(id)] = above;
  }
  return id;
}

void Placement::Add(Node* node) {
  parent_.push_back(node->id());
  alone_.push_back(nullptr);
  // The nodes of a function go by themselves to the devices of what they are given.
  const bool calls = CallKindOf(*node) != CallKind::kNone;
  for (size_t i = 0; i < node->inputs().size() && !calls; ++i) {
    const Endpoint& input = node->inputs()[i];
    const bool shares = node->input_is_ref(static_cast<int>(i)) ||
                        input.dtype() == DType::kResource;
    if (shares && !ClosesLoop(input, *node)) Join(input.node, node);
  }
  const std::string& op = node->op().name;
  const bool reference = op == "VariableV2" || op == "Variable";
  if (reference || op == "VarHandleOp") {
    const Result<std::string> shared = node->Attr<std::string>("shared_name");
    const Result<std::string> container = node->Attr<std::string>("container");
    const bool by_node = reference && shared.ok() && shared->empty();
    const std::string& name = by_node || !shared.ok() ? node->name() : *shared;
    const auto [first, is_new] =
        variables_.emplace(StrCat(reference, container.ok() ? *container : "", "/", name), node);
    if (!is_new) Join(first->second, node);
  }
}

void Placement::JoinColocated(const Graph& graph, const Node& node) {
  const Result<std::vector<std::string>> classes = node.Attr<std::vector<std::string>>("_class");
  if (!classes.ok()) return;
  for (const std::string& entry : *classes) {
    if (entry.rfind("loc:@", 0) != 0) continue;
    const Node* other = graph.FindNode(entry.substr(5));
    if (other != nullptr) Join(other, &node);
  }
}

void Placement::Update(const Graph& graph) {
  const int before = static_cast<int>(parent_.size());
  for (int id = before; id < graph.num_nodes(); ++id) Add(graph.node(id));
  for (int id = before; id < graph.num_nodes(); ++id) JoinColocated(graph, *graph.node(id));
}

// The request of a group: its members may not ask for different devices.
Result<Device*> Placement::Requested(const Group& group) const {
  Device* requested = nullptr;
  for (const Node* node : group.members) {
    const Result<Device*> device = FindRequestedDevice(node->device(), devices_);
    if (!device.ok()) {
      if (options_.allow_soft_placement && device.status().code() == Code::kNotFound) continue;
      // As TensorFlow: whatever is wrong with the request, it is the caller's argument.
      return InvalidArgument("cannot place node '", node->name(), "': ", device.status().message());
    }
    if (*device == nullptr) continue;
    if (requested != nullptr && requested != *device && !options_.allow_soft_placement) {
      return InvalidArgument("node '", node->name(), "' asks for ", (*device)->name(),
                             " but shares a variable with nodes on ", requested->name());
    }
    if (requested == nullptr) requested = *device;
  }
  return requested;
}

Result<Device*> Placement::Choose(const Group& group) const {
  std::vector<const Node*> members;
  std::copy_if(group.members.begin(), group.members.end(), std::back_inserter(members),
               [](const Node* node) { return !CountsForOthers(*node); });
  if (members.empty()) members.assign(group.members.begin(), group.members.end());
  const auto runs_on = [&members](const Device* device) {
    return std::all_of(members.begin(), members.end(), [device](const Node* node) {
      return HasKernel(*node, device->type());
    });
  };
  if (group.torn) {
    return InvalidArgument("'", group.members.front()->name(), "' would join variables that live "
                           "on different devices");
  }
  if (group.pinned != nullptr) {
    if (runs_on(group.pinned)) return group.pinned;
    return InvalidArgument("a node that shares the variable of '", group.members.front()->name(),
                           "', which lives on ", group.pinned->name(), ", has no kernel there; "
                           "build the whole graph before it first runs, or place the variable "
                           "with tf.device");
  }
  ASSIGN_OR_RETURN(Device * requested, Requested(group));
  if (requested != nullptr) {
    const bool on_gpu = requested->type() == DeviceType::kGpu;
    const auto all = [&members](bool (*is)(const Node&)) {
      return std::all_of(members.begin(), members.end(), [is](const Node* n) { return is(*n); });
    };
    const bool counts = all(IsOnHostOfGpu) ||
                        std::any_of(members.begin(), members.end(),
                                    [](const Node* node) { return IsArrayOfInt32(*node); });
    if (on_gpu && counts && runs_on(devices_.front())) return devices_.front();
    if (runs_on(requested)) return requested;
    if (all(ComputesOnHost)) return devices_.front();
    if (!options_.allow_soft_placement) {
      return InvalidArgument("node '", group.members.front()->name(), "' (",
                             group.members.front()->op().name,
                             ") or a node that shares its variable has no kernel for ",
                             requested->name());
    }
  }
  // Whatever only gives the host a size of what the others have goes where they are.
  const bool alone = members.size() == 1;
  const bool host = std::any_of(members.begin(), members.end(), [alone](const Node* node) {
    return BelongsOnHost(*node) && (alone || !GivesOnlyToHost(*node));
  });
  for (Device* device : devices_) {
    const bool gpu = device->type() == DeviceType::kGpu;
    if (requested == nullptr && gpu && !host && runs_on(device)) return device;
  }
  return devices_.front();
}

Result<Device*> Placement::DeviceOf(const Node& node) {
  const auto place = groups_.find(Find(node.id()));
  if (place == groups_.end()) {
    Device*& device = alone_[static_cast<size_t>(node.id())];
    if (device == nullptr) {
      ASSIGN_OR_RETURN(device, Choose({{&node}, nullptr, std::nullopt, false}));
    }
    return device;
  }
  Group& group = place->second;
  if (!group.found) group.found = Choose(group);
  const bool on_gpu = group.found->ok() && **group.found != nullptr &&
                      (**group.found)->type() == DeviceType::kGpu;
  if (on_gpu && group.members.size() > 1 && CountsForOthers(node)) return devices_.front();
  return *group.found;
}

// A node that a call was replaced by: where the variables and resources are that it is given, else as
// a node by itself.
Result<Device*> Placement::DeviceOfMade(const PlanNode& node) const {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const PlanValue& input = node.inputs[i];
    const bool shares = node.def->input_is_ref(static_cast<int>(i)) ||
                        input.type().dtype == DType::kResource;
    if (shares && input.node->device != nullptr) return input.node->device;
  }
  return Choose({{node.def}, nullptr, std::nullopt, false});
}

Status Placement::Place(PlanGraph* plan) {
  const HostNumbers host_numbers(*plan, devices_);
  for (PlanNode* node : plan->nodes()) {
    if (node->feed != kNoFeed) {
      node->device = devices_.front();
    } else if (Device* const gpu = GpuOfAsked(*node)) {
      node->device = gpu;
    } else if (host_numbers.HandedOnBy(*node)) {
      node->device = devices_.front();
    } else if (node->of_graph) {
      ASSIGN_OR_RETURN(node->device, DeviceOf(*node->def));
    } else {
      ASSIGN_OR_RETURN(node->device, DeviceOfMade(*node));
    }
  }
  for (const PlanNode* node : plan->nodes()) {
    if (node->feed != kNoFeed || !node->of_graph || !node->def->op().is_stateful) continue;
    GroupFor(node->def).pinned = node->device;
  }
  return OkStatus();
}

}  // namespace tfbuild
