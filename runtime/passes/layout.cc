// Values that programs transpose and transpose back are left as they are: what stands between takes the
// other order of dimensions, be it elementwise, a convolution, a pooling or a normalisation with the
// other data_format, a reduction or a concatenation with other axes. Where a device computes
// convolutions faster with the other format, they take it, if that saves more than it costs.
//
// A region is what is connected through such ops, on one device. It changes as a whole: what enters it
// and leaves it is then transposed, unless it was already, or is a constant. A convolution adds in
// another order then, so its last bits may be others.
#include <algorithm>
#include <map>
#include <optional>

#include "passes/layout_regions.h"
#include "passes/passes.h"
#include "tensor/queued_device.h"

namespace tfbuild {
namespace {

constexpr int kMaxRounds = 16;   // a region that has changed may be part of a larger one
constexpr double kKernel = 256;  // what starting a kernel weighs, in elements that are moved

// Elements; what is not known counts as one, as it is the same for all values of a network.
double WeightOf(const PartialShape& shape) {
  double elements = 1;
  for (int i = 0; shape.known_rank() && i < shape.rank(); ++i) {
    if (shape.dim(i) != kUnknownDim) elements *= static_cast<double>(shape.dim(i));
  }
  return elements + kKernel;
}

bool IsConvolution(const PlanNode& node) {
  return node.op().compare(0, 4, "Conv") == 0 || node.op().compare(0, 9, "Depthwise") == 0;
}

bool IsPooling(const PlanNode& node) { return node.op().find("Pool") != std::string::npos; }

// How often the node's inputs and results are as good as moved with channels first, on its device; less
// than 0 where it is so with channels last.
int Preference(const PlanNode& node, const LayoutRoles& roles) {
  if (!roles.has_format) return 0;
  const bool on_cpu = node.device->type() == DeviceType::kCpu;
  const DType dtype = node.def->output(0).dtype;
  if (IsConvolution(node)) {
    if (roles.rank == 5) return 1;  // a product over pixels, whose channels are side by side
    if (on_cpu && dtype == DType::kDouble) return 0;
    const QueuedDevice* const gpu = QueuedDevice::From(node.device);
    return gpu == nullptr || gpu->PrefersChannelsLast(dtype) ? 1 : -1;
  }
  // Loops over channels are vectors: without them 3 x 3 pixels take twenty times as long.
  return on_cpu && IsPooling(node) ? 8 : 0;
}

// How much a node prefers the other format to its own.
int OtherPreference(const PlanNode& node, const LayoutRoles& roles) {
  const int preference = Preference(node, roles);
  return roles.has_format && HasChannelsLast(node) ? -preference : preference;
}

// What a change of regions would move less.
class LayoutGains {
 public:
  explicit LayoutGains(const LayoutRegions& regions) : regions_(regions) {}

  // Whether anything could be won.
  bool HaveReason(const PlanGraph& plan) const {
    if (regions_.has_transposes()) return true;
    const auto& nodes = plan.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [this](const PlanNode* node) {
      if (node->feed != kNoFeed || !(IsConvolution(*node) || IsPooling(*node))) return false;
      const auto roles = regions_.MakeRoles(*node);
      return roles && OtherPreference(*node, *roles) > 0;
    });
  }

  // The order that saves most; none where each costs as much as it saves.
  std::optional<DimOrder> BestOrder(const std::vector<PlanNode*>& region) const {
    std::optional<DimOrder> best;
    double most = 0;
    for (const DimOrder& order : OrdersFor(region)) {
      const bool fits = std::all_of(region.begin(), region.end(), [&](const PlanNode* node) {
        return TakesOrder(*node, regions_.roles(*node), order);
      });
      const double gain = fits && !ChangesNothing(order) ? GainOf(region, order) : 0;
      if (gain <= most) continue;
      most = gain;
      best = order;
    }
    return best;
  }

 private:
  // Orders in which something would be saved.
  std::set<DimOrder> OrdersFor(const std::vector<PlanNode*>& region) const {
    std::set<DimOrder> orders;
    for (const PlanNode* node : region) {
      for (const PlanValue& input : node->inputs) {
        if (const auto order = regions_.OrderOf(*input.node)) orders.insert(Inverse(*order));
      }
      for (const PlanNode* reader : regions_.uses().ReadersOf(*node)) {
        if (const auto order = regions_.OrderOf(*reader)) orders.insert(*order);
      }
      const LayoutRoles& roles = regions_.roles(*node);
      if (OtherPreference(*node, roles) > 0) orders.insert(OtherFormat(HasChannelsLast(*node), roles.rank));
    }
    return orders;
  }

  double GainOf(const std::vector<PlanNode*>& region, const DimOrder& order) const {
    const size_t number = regions_.NumberOf(*region.front());
    std::set<PlanValue> entered;
    double gain = 0;
    for (PlanNode* node : region) {
      const LayoutRoles& roles = regions_.roles(*node);
      const int preference = OtherPreference(*node, roles);
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        const PlanValue& input = node->inputs[i];
        if (roles.inputs[i] != DimRole::kValue) continue;
        gain += preference * WeightOf(input.type().shape);
        if (regions_.IsMadeIn(input, number) || !entered.insert(input).second) continue;
        gain += GainOfEntry(input, number, order);
      }
      for (int i = 0; i < node->def->num_outputs(); ++i) {
        if (!roles.Makes(i)) continue;
        gain += preference * WeightOf(node->def->output(i).shape) + GainOfExit({node, i}, number, order);
      }
    }
    return gain;
  }

  double GainOfEntry(const PlanValue& value, size_t region, const DimOrder& order) const {
    if (regions_.IsConstant(value)) return 0;
    const double weight = WeightOf(value.type().shape);
    const auto before = regions_.OrderOf(*value.node);
    if (!before || regions_.IsBetween(*value.node, region)) return -weight;
    const bool goes = regions_.uses().OnlyReadBy(*value.node, [&](const PlanNode* reader) {
      return regions_.TakesInRegion(*reader, value, region);
    });
    const bool undone = ChangesNothing(Compose(*before, order));
    return (goes ? weight : 0) - (undone ? 0 : weight);
  }

  double GainOfExit(const PlanValue& value, size_t region, const DimOrder& order) const {
    std::set<const PlanNode*> undone;
    bool as_it_was = regions_.IsFetched(value);
    for (const PlanNode* reader : regions_.ReadersOf(value)) {
      if (regions_.TakesInRegion(*reader, value, region)) continue;
      if (!regions_.IsTurned(*reader, value, region)) {
        as_it_was = true;
      } else if (*regions_.OrderOf(*reader) == order) {
        undone.insert(reader);
      }
    }
    const double times = static_cast<double>(undone.size()) - (as_it_was ? 1 : 0);
    return times * WeightOf(value.type().shape);
  }

  const LayoutRegions& regions_;
};

// Changes regions of a plan.
class LayoutChanges {
 public:
  LayoutChanges(const LayoutRegions& regions, PlanGraph* plan, PassRecord* record, int* names)
      : regions_(regions), plan_(plan), record_(record), names_(names) {}

  // Whether a Transpose at its edge is at that of a region that has changed: then it is for later.
  bool Touches(const std::vector<PlanNode*>& region) const {
    for (const PlanNode* transpose : EdgesOf(region)) {
      if (touched_.count(transpose) > 0) return true;
    }
    return false;
  }

  Status Change(const std::vector<PlanNode*>& region, const DimOrder& order) {
    for (const PlanNode* transpose : EdgesOf(region)) touched_.insert(transpose);
    const size_t number = regions_.NumberOf(*region.front());
    for (PlanNode* node : region) RETURN_IF_ERROR(Remake(node, number, order));
    for (PlanNode* node : region) {
      for (int i = 0; i < node->def->num_outputs(); ++i) {
        if (regions_.roles(*node).Makes(i)) {
          RETURN_IF_ERROR(Leave({node, i}, number, order));
        } else if (regions_.roles(*node).gives_sizes) {
          ASSIGN_OR_RETURN(const PlanValue sizes, TurnedSizes({made_.at(node), i}, Inverse(order)));
          replaced_[{node, i}] = sizes;
        } else {
          replaced_[{node, i}] = {made_.at(node), i};
        }
      }
    }
    const size_t more = region.size() - 1;
    record_->changes.push_back(StrCat(region.front()->name(), " (", region.front()->op(), ")",
                                      more == 0 ? "" : StrCat(" and ", more, " more"),
                                      ": dimensions in the order ", StrJoin(order, ",")));
    return OkStatus();
  }

  // Whether there were any.
  Result<bool> Finish() {
    if (made_.empty()) return false;
    ReplaceNodes(replaced_, plan_);
    RETURN_IF_ERROR(plan_->Sort());
    return true;
  }

 private:
  std::set<const PlanNode*> EdgesOf(const std::vector<PlanNode*>& region) const {
    std::set<const PlanNode*> edges;
    for (const PlanNode* node : region) {
      for (const PlanValue& input : node->inputs) {
        if (input.node->is("Transpose")) edges.insert(input.node);
      }
      for (const PlanNode* reader : regions_.uses().ReadersOf(*node)) {
        if (reader->is("Transpose")) edges.insert(reader);
      }
    }
    return edges;
  }

  Status Remake(PlanNode* node, size_t region, const DimOrder& order) {
    const LayoutRoles& roles = regions_.roles(*node);
    std::vector<PlanValue> inputs = node->inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (roles.inputs[i] == DimRole::kNothing) continue;
      const DimRole role = roles.inputs[i];
      const bool constant = regions_.IsConstant(inputs[i]);
      if (role == DimRole::kValue && !constant) {
        ASSIGN_OR_RETURN(inputs[i], Enter(inputs[i], *node, region, order));
      } else if (role == DimRole::kSizes && !constant) {
        ASSIGN_OR_RETURN(inputs[i], SizesFor(inputs[i], region, order));
      } else {
        ASSIGN_OR_RETURN(inputs[i], Constant(inputs[i], role, order));
      }
    }
    NodeSpec spec{node->name(), node->op(), {}, {}, AttrsInOrder(*node, roles, order), ""};
    ASSIGN_OR_RETURN(PlanNode * made,
                     plan_->AddNew(std::move(spec), std::move(inputs), node->device));
    made->control_inputs = node->control_inputs;
    made->of_function = node->of_function;
    made_[node] = made;
    return OkStatus();
  }

  // What the node reads instead of a value.
  Result<PlanValue> Enter(const PlanValue& value, const PlanNode& node, size_t region,
                          const DimOrder& order) {
    if (regions_.IsMadeIn(value, region)) return PlanValue{made_.at(value.node), value.index};
    const auto before = regions_.OrderOf(*value.node);
    if (!before || regions_.IsBetween(*value.node, region)) {
      return Turned(value, order, node.device);
    }
    return Turned(value.node->inputs[0], Compose(*before, order), node.device);
  }

  // Gives those outside what they read of a value.
  Status Leave(const PlanValue& value, size_t region, const DimOrder& order) {
    const PlanValue made{made_.at(value.node), value.index};
    bool as_it_was = regions_.IsFetched(value);
    for (PlanNode* reader : regions_.ReadersOf(value)) {
      if (regions_.TakesInRegion(*reader, value, region)) continue;
      if (!regions_.IsTurned(*reader, value, region)) {
        as_it_was = true;
        continue;
      }
      const DimOrder rest = Compose(Inverse(order), *regions_.OrderOf(*reader));
      ASSIGN_OR_RETURN(const PlanValue instead, Turned(made, rest, reader->device));
      replaced_[{reader, 0}] = instead;
    }
    if (!as_it_was) return OkStatus();
    ASSIGN_OR_RETURN(const PlanValue instead, Turned(made, Inverse(order), value.node->device));
    replaced_[value] = instead;
    return OkStatus();
  }

  // The value transposed.
  Result<PlanValue> Turned(const PlanValue& value, const DimOrder& order, Device* device) {
    if (ChangesNothing(order)) return value;
    const auto [known, added] = turned_.emplace(std::make_pair(value, order), PlanValue{});
    if (!added) return known->second;
    const std::vector<int32_t> numbers(order.begin(), order.end());
    ASSIGN_OR_RETURN(const PlanValue by,
                     AddConstant(value.node->name(), Tensor::Vector(numbers), device));
    NodeSpec spec{NewName(value.node->name()), "Transpose", {}, {},
                  {{"T", value.type().dtype}, {"Tperm", DType::kInt32}}, ""};
    ASSIGN_OR_RETURN(PlanNode * node, plan_->AddNew(std::move(spec), {value, by}, device));
    known->second = {node, 0};
    return known->second;
  }

  Result<PlanValue> SizesFor(const PlanValue& sizes, size_t region, const DimOrder& order) {
    if (!regions_.AreSizesIn(sizes, region)) return TurnedSizes(sizes, order);
    return PlanValue{made_.at(sizes.node), sizes.index};
  }

  // Numbers for each dimension, in the other order. They are on the host.
  Result<PlanValue> TurnedSizes(const PlanValue& sizes, const DimOrder& order) {
    const bool on_cpu = sizes.node->device != nullptr &&
                        sizes.node->device->type() == DeviceType::kCpu;
    Device* const device = on_cpu ? sizes.node->device : CpuDevice();
    const std::vector<int32_t> numbers(order.begin(), order.end());
    ASSIGN_OR_RETURN(const PlanValue by,
                     AddConstant(sizes.node->name(), Tensor::Vector(numbers), device));
    ASSIGN_OR_RETURN(const PlanValue axis,
                     AddConstant(sizes.node->name(), Tensor::Scalar<int32_t>(0), device));
    NodeSpec spec{NewName(sizes.node->name()), "GatherV2", {}, {},
                  {{"Tparams", sizes.type().dtype}, {"Tindices", DType::kInt32},
                   {"Taxis", DType::kInt32}}, ""};
    ASSIGN_OR_RETURN(PlanNode * node,
                     plan_->AddNew(std::move(spec), {sizes, by, axis}, device));
    return PlanValue{node, 0};
  }

  Result<PlanValue> Constant(const PlanValue& value, DimRole role, const DimOrder& order) {
    ASSIGN_OR_RETURN(const Tensor tensor, value.node->def->Attr<Tensor>("value"));
    ASSIGN_OR_RETURN(const Tensor changed, ConstantInOrder(role, tensor, order));
    return AddConstant(value.node->name(), changed, value.node->device);
  }

  Result<PlanValue> AddConstant(const std::string& name, const Tensor& tensor, Device* device) {
    NodeSpec spec{NewName(name), "Const", {}, {}, {{"dtype", tensor.dtype()}, {"value", tensor}},
                  ""};
    ASSIGN_OR_RETURN(PlanNode * node, plan_->AddNew(std::move(spec), {}, device));
    return PlanValue{node, 0};
  }

  std::string NewName(const std::string& name) { return StrCat(name, "/turned_", (*names_)++); }

  const LayoutRegions& regions_;
  PlanGraph* plan_;
  PassRecord* record_;
  int* names_;
  std::set<const PlanNode*> touched_;
  std::map<const PlanNode*, PlanNode*> made_;
  std::map<std::pair<PlanValue, DimOrder>, PlanValue> turned_;
  std::map<PlanValue, PlanValue> replaced_;
};

// Whether something has changed.
Result<bool> RunRound(PlanGraph* plan, PassRecord* record, int* names) {
  LayoutRegions regions(*plan);
  const LayoutGains gains(regions);
  if (!gains.HaveReason(*plan)) return false;
  regions.Find(*plan);
  LayoutChanges changes(regions, plan, record, names);
  for (const std::vector<PlanNode*>& region : regions.all()) {
    if (changes.Touches(region)) continue;
    const std::optional<DimOrder> order = gains.BestOrder(region);
    if (order) RETURN_IF_ERROR(changes.Change(region, *order));
  }
  return changes.Finish();
}

}  // namespace

Status ChooseLayouts(PlanGraph* plan, PassRecord* record) {
  int names = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    ASSIGN_OR_RETURN(const bool changed, RunRound(plan, record, &names));
    if (!changed) break;
  }
  return OkStatus();
}

}  // namespace tfbuild
