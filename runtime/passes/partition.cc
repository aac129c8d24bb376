// Edges between memories become pairs of _Send and _Recv.
#include <algorithm>

#include "kernels/framework/op_kernel.h"
#include "passes/passes.h"

namespace tfbuild {
namespace {

// Where a value lies, or where a reader wants it.
struct Place {
  Device* device;
  bool on_host;
  bool anyones = false;  // the caller's values and constants: any processor reads them
  bool cpu() const { return device->type() == DeviceType::kCpu; }
  bool host() const { return on_host || cpu(); }
  bool Reads(const Place& source) const {
    if (host() != source.host()) return false;
    if (device == source.device) return true;
    // What a kernel of a GPU leaves on the host any processor reads; from one processor to another
    // values are sent, although their memory is the same.
    return host() && (anyones || source.anyones || !cpu() || !source.cpu());
  }
};

class Partitioner {
 public:
  explicit Partitioner(PlanGraph* plan, PassRecord* record) : plan_(plan), record_(record) {}

  Status Run() {
    ReadFetches();
    const std::vector<PlanNode*>& nodes = plan_->nodes();
    const bool one_processor = std::all_of(nodes.begin(), nodes.end(), [](const PlanNode* node) {
      return node->feed != kNoFeed || node->device == CpuDevice();
    });
    if (one_processor) return OkStatus();
    constants_ = FreeConstants(*plan_);
    CloseLoopsOnOneDevice();
    const std::vector<PlanNode*> readers = plan_->nodes();
    for (PlanNode* node : readers) {
      if (node->feed != kNoFeed) continue;
      ASSIGN_OR_RETURN(const std::vector<bool> on_host, HostMarks(*node, true));
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        RETURN_IF_ERROR(ConnectInput(node, i, {node->device, on_host[i]}));
      }
    }
    for (PlanValue& fetch : plan_->fetches) {
      if (fetch.node->feed == kNoFeed && fetch.type().is_ref) continue;  // read where it lies
      ASSIGN_OR_RETURN(const Place source, PlaceOf(fetch));
      const Place host{CpuDevice(), true, true};
      if (host.Reads(source)) continue;
      ASSIGN_OR_RETURN(fetch, Carry(fetch, source, host, nullptr));
    }
    return OkStatus();
  }

 private:
  // A fetched variable shows what it holds when the step ends, as in TensorFlow, where what reads a
  // reference shares the memory that later updates of the step are written to: so the reference
  // itself is fetched.
  void ReadFetches() {
    for (PlanValue& fetch : plan_->fetches) {
      const PlanValue reference = ReferenceBehind(fetch);
      if (reference.node == nullptr || reference == fetch) continue;
      plan_->targets.push_back(fetch.node);  // it runs as before, for what it waits for
      fetch = reference;
    }
  }

  // The reference that a value is, or is an identity of; no node where it is neither.
  static PlanValue ReferenceBehind(PlanValue value) {
    while (value.node->feed == kNoFeed && !value.type().is_ref) {
      if (!value.node->is("Identity")) return {};
      value = value.node->inputs[0];
    }
    return value.node->feed == kNoFeed ? value : PlanValue{};
  }

  // Whether each input (output) of a node lies on the host.
  static Result<std::vector<bool>> HostMarks(const PlanNode& node, bool inputs) {
    ASSIGN_OR_RETURN(const KernelRegistration* registration,
                     KernelRegistry::Global().Find(*node.def, node.device->type()));
    return inputs ? InputsOnHost(*registration, *node.def)
                  : OutputsOnHost(*registration, *node.def);
  }

  Result<Place> PlaceOf(const PlanValue& value) const {
    if (value.node->feed != kNoFeed) return Place{CpuDevice(), true, true};
    ASSIGN_OR_RETURN(const std::vector<bool> on_host, HostMarks(*value.node, false));
    return Place{value.node->device, on_host[static_cast<size_t>(value.index)],
                 constants_.count(value.node) > 0};
  }

  // What closes a loop runs where the loop begins, whatever the device of what it hands on: the
  // value crosses before it.
  void CloseLoopsOnOneDevice() {
    std::set<PlanNode*> settled;
    const std::vector<PlanNode*> nodes = plan_->nodes();
    for (PlanNode* merge : nodes) {
      for (PlanValue& input : merge->inputs) {
        if (!ClosesLoop(input, *merge)) continue;
        const bool shared = !settled.insert(input.node).second;
        if (input.node->device == merge->device) continue;
        if (shared) {
          PlanNode* copy = plan_->AddCopy(input.node->def);
          copy->inputs = input.node->inputs;
          copy->control_inputs = input.node->control_inputs;
          input.node = copy;
        }
        input.node->device = merge->device;
      }
    }
  }

  Status ConnectInput(PlanNode* reader, size_t input, const Place& wanted) {
    PlanValue& value = reader->inputs[input];
    ASSIGN_OR_RETURN(const Place source, PlaceOf(value));
    const bool object = IsHostObject(value.type().dtype);
    const bool resource = value.type().dtype == DType::kResource;
    if (wanted.Reads(source) || object || resource) return OkStatus();
    if (value.type().is_ref && reader->def->input_is_ref(static_cast<int>(input))) {
      return InvalidArgument("'", reader->name(), "' on ", reader->device->name(),
                             " wants the variable '", value.node->name(), "' on ",
                             value.node->device->name(), " itself");
    }
    if (ClosesLoop(value, *reader)) {
      return InvalidArgument("the loop of '", reader->name(), "' goes over two devices");
    }
    ASSIGN_OR_RETURN(value, Carry(value, source, wanted, reader));
    return OkStatus();
  }

  // The constant made once more where it is wanted: it belongs to no frame and no branch, and a
  // receiver would to one. Null where its type has no such kernel there.
  Result<PlanNode*> CopyOfConstant(const PlanNode& constant, const Place& wanted) {
    // On the host any processor reads it.
    Device* const device = wanted.host() && !wanted.cpu() ? CpuDevice() : wanted.device;
    const Result<const KernelRegistration*> found =
        KernelRegistry::Global().Find(*constant.def, device->type());
    PlanNode* copy = nullptr;
    if (found.ok() && wanted.Reads({device, OutputsOnHost(**found, *constant.def)[0], true})) {
      copy = plan_->AddCopy(constant.def);
      copy->device = device;
    } else if (!wanted.host() && constant.def->output(0).dtype == DType::kInt32) {
      NodeSpec spec{constant.name(), "_DeviceConst", {}, {}, constant.def->attrs(), ""};
      ASSIGN_OR_RETURN(copy, plan_->AddNew(std::move(spec), {}, device));
    }
    if (copy != nullptr) constants_.insert(copy);
    return copy;
  }

  // The value in another memory. A variable is read by its sender, when `reader` could have.
  Result<PlanValue> Carry(const PlanValue& value, const Place& source, const Place& wanted,
                          const PlanNode* reader) {
    const std::pair<PlanValue, std::pair<Device*, bool>> key{value,
                                                             {wanted.device, wanted.on_host}};
    const auto known = carried_.find(key);
    if (known != carried_.end()) return known->second;
    if (constants_.count(value.node) > 0) {
      ASSIGN_OR_RETURN(PlanNode * copy, CopyOfConstant(*value.node, wanted));
      if (copy != nullptr) return carried_[key] = {copy, value.index};
    }
    const bool read = value.type().is_ref && value.node->feed == kNoFeed;
    const std::string edge =
        StrCat("edge_", value.node->position, "_", value.index, "_", value.node->name(), "_",
               carried_.size() + record_->changes.size());
    AttrMap attrs{{"tensor_name", edge},
                  {"send_device", source.device->name()},
                  {"send_device_incarnation", static_cast<int64_t>(source.device->incarnation())},
                  {"recv_device", wanted.device->name()}};
    const bool gpu_source = source.device->type() == DeviceType::kGpu;
    const bool gpu_target = wanted.device->type() == DeviceType::kGpu;
    ASSIGN_OR_RETURN(PlanNode * send,
                     plan_->AddNew({StrCat(value.node->name(), "/_send"),
                                    gpu_source && source.on_host ? "_HostSend" : "_Send", {}, {},
                                    attrs, ""},
                                   {value}, source.device));
    attrs["tensor_type"] = value.type().dtype;
    ASSIGN_OR_RETURN(PlanNode * recv,
                     plan_->AddNew({StrCat(value.node->name(), "/_recv"),
                                    gpu_target && wanted.on_host ? "_HostRecv" : "_Recv", {}, {},
                                    attrs, ""},
                                   {}, wanted.device));
    // In one process the receiver need not look before something was sent; and so it runs in the
    // frame and the branch of its sender.
    recv->control_inputs.push_back(send);
    // The caller is served last, so that nothing waits behind a copy that is waited for.
    if (reader == nullptr) recv->position = static_cast<int>(plan_->nodes().size());
    if (read && reader != nullptr) send->control_inputs = reader->control_inputs;
    record_->changes.push_back(StrCat(value.node->name(), ":", value.index, " goes from ",
                                      source.device->name(), " to ", wanted.device->name()));
    const PlanValue result{recv, 0};
    if (!read) carried_[key] = result;
    return result;
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::set<const PlanNode*> constants_;
  std::map<std::pair<PlanValue, std::pair<Device*, bool>>, PlanValue> carried_;
};

}  // namespace

Status Partition(PlanGraph* plan, PassRecord* record) { return Partitioner(plan, record).Run(); }

}  // namespace tfbuild
