// What a GPU's libraries do behind a product or convolution in the same call, they are asked to do: add
// a bias for each column or channel, add a tensor of the same shape, and one of two activations. A
// Reshape that stands between the product and the bias, as in a dense layer of a tensor, goes behind.
#include "kernels/framework/epilogue.h"
#include "passes/gelu.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

const PartialShape& ShapeOf(const PlanNode& node) { return node.def->output(0).shape; }
DType TypeOf(const PlanNode& node) { return node.def->output(0).dtype; }

class EpilogueFuser {
 public:
  EpilogueFuser(PlanGraph* plan, PassRecord* record)
      : plan_(plan), record_(record), constants_(FreeConstants(*plan)), uses_(*plan) {}

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (PlanNode* node : nodes) {
      const char* const fused = FusedOf(*node);
      if (fused == nullptr) continue;
      Group group{node, node, nullptr, {}, {}, {}};
      Follow(&group);
      if (!group.epilogue.fused_ops().empty()) RETURN_IF_ERROR(Make(fused, group));
    }
    if (replaced_.empty()) return OkStatus();
    ReplaceNodes(replaced_, plan_);
    return plan_->Sort();
  }

 private:
  struct Group {
    PlanNode* product;
    PlanNode* last;
    PlanNode* reshape;  // between the product and the rest
    std::vector<const PlanNode*> steps;
    std::vector<PlanValue> args;
    Epilogue epilogue;
  };

  // The op that computes the same and what follows; null where the device has none.
  static const char* FusedOf(const PlanNode& node) {
    const char* const fused = node.is("MatMul")   ? "_FusedMatMul"
                              : node.is("Conv2D") ? "_FusedConv2D"
                                                  : nullptr;
    if (fused == nullptr || node.device->type() != DeviceType::kGpu || !IsPure(node) ||
        !node.control_inputs.empty() || !ShapeOf(node).known_rank() ||
        !HasKernel(fused, DeviceType::kGpu, TypeOf(node))) {
      return nullptr;
    }
    return fused;
  }

  // Whether channels come last, as they do where there is no such attribute.
  static bool IsNhwc(const PlanNode& node) {
    const Result<std::string> format = node.def->Attr<std::string>("data_format");
    return !format.ok() || *format == "NHWC";
  }

  static int64_t ChannelsOf(const PlanNode& node, bool last) {
    const PartialShape& shape = ShapeOf(node);
    if (!shape.known_rank() || shape.rank() < (last ? 1 : 2)) return kUnknownDim;
    return shape.dim(last ? shape.rank() - 1 : 1);
  }

  void Follow(Group* group) const {
    const Group alone = *group;
    PlanNode* next = OnlyReader(*group->last);
    if (next != nullptr && next->is("Reshape") && next->inputs[0].node == group->last &&
        IsNhwc(*group->product) && ChannelsOf(*next, true) != kUnknownDim &&
        ChannelsOf(*next, true) == ChannelsOf(*group->last, true)) {
      group->reshape = group->last = next;
      next = OnlyReader(*next);
    }
    if (next != nullptr && TakeBias(next, group)) next = OnlyReader(*next);
    if (next != nullptr && TakeResidual(next, group)) next = OnlyReader(*next);
    if (next != nullptr && next->is("Relu")) {
      group->epilogue.activation = Epilogue::Activation::kRelu;
      Take(next, group);
    } else if (PlanNode* gelu = GeluBehind(*group)) {
      group->epilogue.activation = Epilogue::Activation::kGelu;
      Take(gelu, group);
    }
    if (group->epilogue.fused_ops().empty()) *group = alone;
  }

  // cuDNN has no such activation.
  PlanNode* GeluBehind(const Group& group) const {
    return group.product->is("MatMul") ? FindGelu(*group.last, uses_, constants_) : nullptr;
  }

  // Who alone needs the node, reads it once, and may be done in its place.
  PlanNode* OnlyReader(const PlanNode& node) const {
    const std::vector<PlanNode*>& readers = uses_.ReadersOf(node);
    if (readers.size() != 1 || !uses_.OnlyReadBy(node, [](const PlanNode*) { return true; })) {
      return nullptr;
    }
    PlanNode* reader = readers[0];
    const bool fits = reader->device == node.device && reader->control_inputs.empty() &&
                      IsPure(*reader) && reader->def->num_outputs() == 1 &&
                      taken_.count(reader) == 0;
    return fits ? reader : nullptr;
  }

  static void Take(PlanNode* node, Group* group) {
    group->steps.push_back(node);
    group->last = node;
  }

  static bool TakeBias(PlanNode* node, Group* group) {
    // A sum would stretch the bias along the last dimension.
    const bool last = IsNhwc(*group->product);
    const bool sum = last && (node->is("Add") || node->is("AddV2"));
    if (!sum && !(node->is("BiasAdd") && IsNhwc(*node) == last)) return false;
    const bool first = node->inputs[0].node == group->last;
    if (!first && !sum) return false;
    const PlanValue& bias = node->inputs[first ? 1 : 0];
    const PartialShape& shape = bias.type().shape;
    if (!shape.known_rank() || shape.rank() != 1 || shape.dim(0) == kUnknownDim ||
        shape.dim(0) != ChannelsOf(*group->last, last)) {
      return false;
    }
    group->epilogue.bias = true;
    group->args.push_back(bias);
    Take(node, group);
    return true;
  }

  // Of a shape that is known in advance, as it must not be stretched.
  static bool TakeResidual(PlanNode* node, Group* group) {
    if (!node->is("Add") && !node->is("AddV2")) return false;
    const PlanValue& other = node->inputs[node->inputs[0].node == group->last ? 1 : 0];
    const PartialShape& shape = other.type().shape;
    if (!shape.fully_known() || !(shape == ShapeOf(*group->last))) return false;
    group->epilogue.residual = true;
    group->args.push_back(other);
    Take(node, group);
    return true;
  }

  Status Make(const char* op, const Group& group) {
    const PlanNode& product = *group.product;
    PlanNode* const last = group.last;
    NodeSpec spec{group.reshape == nullptr ? last->name() : product.name(), op, {}, {},
                  product.def->attrs(), ""};
    spec.attrs["num_args"] = static_cast<int64_t>(group.args.size());
    spec.attrs["fused_ops"] = group.epilogue.fused_ops();
    std::vector<PlanValue> inputs = product.inputs;
    inputs.insert(inputs.end(), group.args.begin(), group.args.end());
    ASSIGN_OR_RETURN(PlanNode * made, plan_->AddNew(std::move(spec), std::move(inputs),
                                                    last->device));
    if (group.reshape != nullptr) {
      NodeSpec reshape{last->name(), "Reshape", {}, {}, group.reshape->def->attrs(), ""};
      ASSIGN_OR_RETURN(made, plan_->AddNew(std::move(reshape),
                                           {{made, 0}, group.reshape->inputs[1]}, last->device));
    }
    replaced_[{last, 0}] = {made, 0};
    taken_.insert(group.steps.begin(), group.steps.end());
    std::vector<std::string> names = {product.name()};
    for (const PlanNode* step : group.steps) {
      names.push_back(StrCat(step->name(), " (", step->op(), ")"));
    }
    record_->changes.push_back(StrCat(StrJoin(names, ", "), " are one call"));
    return OkStatus();
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> constants_;
  PlanUses uses_;
  std::set<const PlanNode*> taken_;  // two products that are added are each behind the other
  std::map<PlanValue, PlanValue> replaced_;
};

}  // namespace

Status FuseEpilogues(PlanGraph* plan, PassRecord* record) {
  return EpilogueFuser(plan, record).Run();
}

}  // namespace tfbuild
