// What depends on constants alone, and what shapes say of themselves, is computed while planning.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "base/exceptions.h"
#include "base/stop.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

// Larger results are computed in each step rather than kept.
constexpr int64_t kMaxBytes = int64_t{10} << 20;

// What takes longer is computed in the steps, which have a deadline and can be ended.
class ShortWork final : public Stoppable {
 public:
  Status Check() override {
    if (std::chrono::steady_clock::now() < end_) return OkStatus();
    return Status(Code::kDeadlineExceeded, "this takes too long for the making of a plan");
  }

 private:
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

class Folder {
 public:
  Folder(PlanGraph* plan, PassRecord* record)
      : plan_(plan), record_(record), free_(FreeConstants(*plan)) {
    for (const PlanNode* node : plan->nodes()) {
      branches_ = branches_ || ControlFlowOf(*node) != ControlFlow::kNone;
    }
    for (const PlanNode* target : plan->targets) targets_.insert(target);
  }

  Status Run() {
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (PlanNode* node : nodes) {
      for (PlanValue& input : node->inputs) {
        const auto found = folded_.find(input);
        if (found != folded_.end()) input = found->second;
      }
      if (HasEffect(*node)) effects_.insert(node);
      if (targets_.count(node) > 0 || !IsPure(*node) || node->is("Const")) continue;
      RETURN_IF_ERROR(Fold(node));
    }
    plan_->Replace(folded_);
    return OkStatus();
  }

 private:
  // Whether running the node, or what it needs, does more than give its value.
  bool HasEffect(const PlanNode& node) const {
    if (node.feed != kNoFeed) return false;
    if (!node.control_inputs.empty() || !(IsPure(node) || node.is("Placeholder"))) return true;
    return std::any_of(node.inputs.begin(), node.inputs.end(), [this](const PlanValue& input) {
      return effects_.count(input.node) > 0;
    });
  }

  Status Fold(PlanNode* node) {
    // Nobody can wait for one side of a Switch: who does is run on both.
    const bool of_side = std::any_of(
        node->inputs.begin(), node->inputs.end(),
        [](const PlanValue& input) { return ControlFlowOf(*input.node) == ControlFlow::kSwitch; });
    if (!node->control_inputs.empty() || of_side) return OkStatus();
    std::optional<std::vector<Tensor>> values = FromShapes(*node);
    if (!values) values = FromConstants(*node);
    if (!values) return OkStatus();
    for (size_t i = 0; i < values->size(); ++i) {
      const DType dtype = (*values)[i].dtype();
      NodeSpec spec{StrCat(node->name(), i == 0 ? "" : StrCat("_", i)), "Const", {}, {},
                    {{"dtype", dtype}, {"value", (*values)[i]}}, ""};
      ASSIGN_OR_RETURN(PlanNode * constant, plan_->AddNew(std::move(spec), {}, node->device));
      // Where there are branches and loops, a value belongs to those of what it was made from; and
      // what has effects is run as before.
      for (const PlanValue& input : node->inputs) {
        const bool waits = branches_ || effects_.count(input.node) > 0;
        if (waits && free_.count(input.node) == 0) {
          constant->control_inputs.push_back(input.node);
        }
      }
      if (constant->control_inputs.empty()) free_.insert(constant);
      folded_[{node, static_cast<int>(i)}] = {constant, 0};
    }
    record_->changes.push_back(StrCat(node->name(), " (", node->op(), ") is constant"));
    return OkStatus();
  }

  static bool HasConstKernel(const PlanNode& node, DType dtype) {
    const Result<std::unique_ptr<Node>> constant = MakeNode(
        {"c", "Const", {}, {}, {{"dtype", dtype}, {"value", *Tensor::Allocate(
                                                                CpuAllocator(), dtype, {0})}}, ""},
        nullptr);
    return constant.ok() &&
           KernelRegistry::Global().Find(**constant, node.device->type()).ok();
  }

  // Shape, Size and Rank of what is known without its values.
  static std::optional<std::vector<Tensor>> FromShapes(const PlanNode& node) {
    if (!node.is("Shape") && !node.is("Size") && !node.is("Rank")) return std::nullopt;
    const PartialShape& shape = node.inputs[0].type().shape;
    if (!shape.known_rank()) return std::nullopt;
    std::vector<int64_t> numbers = shape.dims();
    if (node.is("Rank")) {
      numbers = {shape.rank()};
    } else if (!shape.fully_known()) {
      return std::nullopt;
    } else if (node.is("Size")) {
      numbers = {shape.num_elements()};
    }
    const DType dtype = node.def->output(0).dtype;
    const bool wide = std::any_of(numbers.begin(), numbers.end(),
                                  [](int64_t n) { return n > INT32_MAX; });
    if (dtype == DType::kInt32 && wide) return std::nullopt;
    Tensor value;
    if (dtype == DType::kInt32) {
      value = Tensor::Vector(std::vector<int32_t>(numbers.begin(), numbers.end()));
    } else if (dtype == DType::kInt64) {
      value = Tensor::Vector(numbers);
    } else {
      return std::nullopt;
    }
    if (!node.is("Shape")) value = *value.Reshaped({});
    return std::vector<Tensor>{value};
  }

  // A kernel that fails does so in the step, with the name of its node.
  std::optional<std::vector<Tensor>> FromConstants(const PlanNode& node) const {
    if (node.inputs.empty() || node.device->type() != DeviceType::kCpu) return std::nullopt;
    for (int i = 0; i < node.def->num_outputs(); ++i) {
      if (node.def->output(i).dtype == DType::kVariant) return std::nullopt;  // no file has them
    }
    std::vector<Entry> inputs;
    for (const PlanValue& input : node.inputs) {
      if (free_.count(input.node) == 0) return std::nullopt;
      Result<Tensor> value = input.node->def->Attr<Tensor>("value");
      if (!value.ok() || IsLongText(*value)) return std::nullopt;
      inputs.push_back({*std::move(value), nullptr});
    }
    if (!IsSmall(node)) return std::nullopt;
    std::vector<Entry> outputs(static_cast<size_t>(node.def->num_outputs()));
    ShortWork work;
    const StopScope scope(&work);
    const Status status = CatchExceptions([&] { return Compute(node, &inputs, &outputs); });
    if (!status.ok()) return std::nullopt;
    std::vector<Tensor> values;
    for (Entry& output : outputs) {
      if (output.dead() || !HasConstKernel(node, output.value.dtype())) return std::nullopt;
      if (IsLongText(output.value)) return std::nullopt;
      values.push_back(std::move(output.value));
    }
    return values;
  }

  // The shape says nothing of it, and no step's deadline ends what is computed here.
  static bool IsLongText(const Tensor& value) {
    if (value.dtype() != DType::kString) return false;
    const std::string* texts = value.data<std::string>();
    size_t bytes = 0;
    for (int64_t i = 0; i < value.num_elements(); ++i) bytes += texts[i].size();
    return bytes > size_t{kMaxBytes};
  }

  static bool IsSmall(const PlanNode& node) {
    int64_t bytes = 0;
    for (int i = 0; i < node.def->num_outputs(); ++i) {
      const int64_t elements = node.def->output(i).shape.num_elements();
      if (elements == kUnknownDim) return false;
      bytes += elements * std::max(DTypeSize(node.def->output(i).dtype), 32);
    }
    return bytes <= kMaxBytes;
  }

  static Status Compute(const PlanNode& node, std::vector<Entry>* inputs,
                        std::vector<Entry>* outputs) {
    ASSIGN_OR_RETURN(const KernelRegistration* registration,
                     KernelRegistry::Global().Find(*node.def, DeviceType::kCpu));
    const std::unique_ptr<OpKernel> kernel = registration->make();
    ResourceManager none;
    RETURN_IF_ERROR(kernel->Init({*node.def, node.device, &none}));
    std::vector<Entry*> pointers;
    for (Entry& input : *inputs) pointers.push_back(&input);
    const size_t most = std::max(inputs->size(), outputs->size()) + 1;
    const auto on_host = std::make_unique<bool[]>(most);
    const auto is_last = std::make_unique<bool[]>(most);  // constants stay as they are
    std::fill_n(on_host.get(), most, true);
    OpKernelContext context({node.def, node.device, pointers.data(), outputs->data(),
                             on_host.get(), on_host.get(), is_last.get()});
    return kernel->Compute(&context);
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> free_;
  std::set<const PlanNode*> targets_;
  std::set<const PlanNode*> effects_;
  bool branches_ = false;
  std::map<PlanValue, PlanValue> folded_;
};

}  // namespace

Status FoldConstants(PlanGraph* plan, PassRecord* record) { return Folder(plan, record).Run(); }

}  // namespace tfbuild
