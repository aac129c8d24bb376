#include "executor/program.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/stop_look.h"
#include "kernels/framework/locked_variables.h"

namespace tfbuild {
namespace {

std::unique_ptr<bool[]> ToArray(const std::vector<bool>& marks) {
  auto array = std::make_unique<bool[]>(marks.size() + 1);
  std::copy(marks.begin(), marks.end(), array.get());
  return array;
}

ItemKind KindOf(const PlanNode& node) {
  switch (ControlFlowOf(node)) {
    case ControlFlow::kSwitch: return ItemKind::kSwitch;
    case ControlFlow::kMerge: return ItemKind::kMerge;
    case ControlFlow::kEnter: return ItemKind::kEnter;
    case ControlFlow::kExit: return ItemKind::kExit;
    case ControlFlow::kNextIteration: return ItemKind::kNextIteration;
    default: return ItemKind::kCompute;
  }
}

bool IsPlainTensor(const Node::Output& type) {
  return !type.is_ref && !IsHostObject(type.dtype) && type.dtype != DType::kResource;
}

// Whether an item takes plain tensors from input `first` on; of references it reads the variable.
bool TakesPlainTensors(const PlanNode& node, size_t first) {
  bool plain = KindOf(node) == ItemKind::kCompute;
  for (size_t i = first; i < node.inputs.size(); ++i) {
    Node::Output type = node.inputs[i].type();
    type.is_ref = node.def->input_is_ref(static_cast<int>(i));
    plain = plain && IsPlainTensor(type);
  }
  return plain;
}

// Also of the ops that passes put in, which IsPure leaves where they are.
bool HangsOnInputsAlone(const PlanNode& node) {
  const Node& def = *node.def;
  bool pure = !def.op().is_stateful && def.num_outputs() > 0 && TakesPlainTensors(node, 0);
  for (int i = 0; i < def.num_outputs(); ++i) pure = pure && IsPlainTensor(def.output(i));
  return pure;
}

// Whether a node only says where a variable is, and so may run at any time.
bool IsVariable(const PlanNode* node) {
  const std::string& op = node->def->op().name;
  return node->inputs.empty() && node->control_inputs.empty() &&
         (op == "VarHandleOp" || op == "Variable" || op == "VariableV2");
}

// How many variables an item changes by queued work, which hangs on its other inputs alone.
int NumUpdated(const PlanNode& node, const OpKernel& kernel) {
  const auto* const updates = dynamic_cast<const UpdatesVariables*>(&kernel);
  if (updates == nullptr) return 0;
  const int count = updates->num_updated();
  return TakesPlainTensors(node, static_cast<size_t>(count)) ? count : 0;
}

}  // namespace

// Lays a plan out as a program: slots, then items, then who waits for whom.
class ProgramBuilder {
 public:
  ProgramBuilder(PlanGraph plan, KernelCache* kernels)
      : plan_(std::move(plan)), kernels_(kernels), program_(std::make_unique<Program>()) {}

  Result<std::unique_ptr<Program>> Build() {
    RETURN_IF_ERROR(FindFrames(plan_, &frame_of_node_, &program_->frames));
    for (size_t i = 1; i < program_->frames.size(); ++i) {
      const FrameInfo& frame = program_->frames[i];
      frame_by_name_[{frame.parent, frame.name}] = static_cast<int>(i);
    }
    RETURN_IF_ERROR(AddSlots());
    StopLook look;
    for (const PlanNode* node : plan_.nodes()) {
      look.Turn();
      if (item_of_[Index(*node)] != kNone) AddItem(*node);
    }
    RETURN_IF_ERROR(AddFetches());
    AddSuccessors();
    FindLastUses();
    FindRunner(program_.get());
    if (program_->has_control_flow) LayOutFrames(program_.get());
    program_->input_on_host = ToArray(input_on_host_);
    program_->output_on_host = ToArray(output_on_host_);
    program_->capture_segments = FindCaptureSegments(*program_);
    program_->defs_ = plan_.TakeNewDefs();
    program_->kernels_ = std::move(new_kernels_);
    return std::move(program_);
  }

 private:
  static size_t Index(const PlanNode& node) { return static_cast<size_t>(node.position); }

  // Slots for feeds and outputs; kernels; and the values of constants, whose items vanish.
  Status AddSlots() {
    const size_t count = plan_.nodes().size();
    item_of_.assign(count, kNone);
    slot_of_.assign(count, kNone);
    made_.assign(count, nullptr);
    program_->feeds.resize(plan_.feeds.size());
    const std::set<const PlanNode*> constants = ConstantNodes();
    int items = 0;
    for (const PlanNode* node : plan_.nodes()) {
      if (node->feed != kNoFeed) {
        AddFeed(*node);
        continue;
      }
      ASSIGN_OR_RETURN(made_[Index(*node)], KernelOf(*node));
      if (constants.count(node) > 0) continue;
      item_of_[Index(*node)] = items++;
      slot_of_[Index(*node)] = program_->num_slots;
      const std::vector<bool> on_host = OutputsOnHost(*made_[Index(*node)]->registration,
                                                      *node->def);
      for (int i = 0; i < node->def->num_outputs(); ++i) {
        AddSlot(HomeFrame(*node), on_host[static_cast<size_t>(i)], node->def->output(i).dtype);
      }
    }
    return AddReadSlotsAndConstants();
  }

  // Nodes whose outputs are the same in every step: constants, and where variables are. In branches and
  // loops the latter say more than that.
  std::set<const PlanNode*> ConstantNodes() const {
    std::set<const PlanNode*> constants = FreeConstants(plan_);
    for (const PlanNode* node : plan_.nodes()) {
      if (ControlFlowOf(*node) != ControlFlow::kNone) return FreeConstants(plan_);
      if (node->feed == kNoFeed && IsVariable(node)) constants.insert(node);
    }
    return constants;
  }

  void AddFeed(const PlanNode& node) {
    const Node::Output& fed = node.def->output(node.fed_output);
    program_->feeds[static_cast<size_t>(node.feed)] = {
        StrCat(node.name(), ":", node.fed_output), fed.dtype, fed.shape, program_->num_slots, false};
    // The other outputs of a fed node belong to its copy that computes: only one slot is used.
    slot_of_[Index(node)] = program_->num_slots - node.fed_output;
    AddSlot(0, true, fed.dtype);
  }

  int AddSlot(int frame, bool on_host, DType dtype) {
    program_->type_of_slot.push_back(dtype);
    output_on_host_.push_back(on_host);
    program_->frame_of_slot.push_back(frame);
    return program_->num_slots++;
  }

  // Where the readers of a node's outputs run.
  int HomeFrame(const PlanNode& node) const {
    const int frame = frame_of_node_[Index(node)];
    if (ControlFlowOf(node) == ControlFlow::kExit) {
      return program_->frames[static_cast<size_t>(frame)].parent;
    }
    if (ControlFlowOf(node) != ControlFlow::kEnter) return frame;
    const auto entered = frame_by_name_.find({frame, *node.def->Attr<std::string>("frame_name")});
    return entered == frame_by_name_.end() ? frame : entered->second;
  }

  Status AddReadSlotsAndConstants() {
    for (const PlanNode* node : plan_.nodes()) {
      if (item_of_[Index(*node)] == kNone) continue;
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        const bool read = ReadsVariable(*node, i);
        if (!read) continue;
        const DType dtype = node->inputs[i].type().dtype;
        read_slots_[{node, i}] = AddSlot(frame_of_node_[Index(*node)], true, dtype);
      }
    }
    for (const PlanNode* node : plan_.nodes()) {
      if (node->feed != kNoFeed || item_of_[Index(*node)] != kNone) continue;
      slot_of_[Index(*node)] =
          program_->num_slots + static_cast<int>(program_->constants.size());
      Entry output;
      const MadeKernel& made = *made_[Index(*node)];
      const bool on_host = OutputsOnHost(*made.registration, *node->def)[0];
      OpKernelContext context({node->def, node->device, nullptr, &output, &on_host, &on_host});
      const Status status = made.kernel->Compute(&context);
      if (!status.ok()) return status.Annotate(StrCat("{{node ", node->name(), "}}"));
      if (output.value.initialized() && output.value.dtype() != node->def->output(0).dtype) {
        return InvalidArgument("{{node ", node->name(), "}} has another type than it states");
      }
      program_->constants.push_back(std::move(output));
      program_->constant_nodes.push_back(node->def);
      NoteDevice(*node);
    }
    return OkStatus();
  }

  static bool ReadsVariable(const PlanNode& node, size_t input) {
    const PlanValue& value = node.inputs[input];
    return value.node->feed == kNoFeed && value.type().is_ref &&
           !node.def->input_is_ref(static_cast<int>(input));
  }

  Result<const MadeKernel*> KernelOf(const PlanNode& node) {
    if (node.of_graph) return kernels_->Get(*node.def, node.device);
    if (node.of_function && node.def->op().is_stateful) {
      return kernels_->GetWrittenOut(*node.def, node.device);
    }
    ASSIGN_OR_RETURN(MadeKernel made, MakeKernel(*node.def, node.device, kernels_->resources()));
    new_kernels_.push_back(std::make_unique<MadeKernel>(std::move(made)));
    return new_kernels_.back().get();
  }

  int SlotOf(const PlanValue& value) const {
    return slot_of_[Index(*value.node)] + value.index;
  }

  void AddItem(const PlanNode& node) {
    const MadeKernel& made = *made_[Index(node)];
    Item item;
    item.kernel = made.kernel.get();
    item.node = node.def;
    item.device = node.device;
    item.first_input = static_cast<int>(program_->inputs.size());
    item.num_inputs = static_cast<int>(node.inputs.size());
    item.first_output = slot_of_[Index(node)];
    item.num_outputs = node.def->num_outputs();
    item.first_read = static_cast<int>(program_->reads.size());
    item.frame = frame_of_node_[Index(node)];
    item.kind = KindOf(node);
    item.expensive = item.kernel->IsExpensive();
    item.async = item.kernel->AsAsync() != nullptr;
    item.pure = !item.async && HangsOnInputsAlone(node);
    item.num_updated = NumUpdated(node, *item.kernel);
    const Result<bool> constant = node.def->Attr<bool>("is_constant");
    item.is_constant = item.kind == ItemKind::kEnter && constant.ok() && *constant;
    item.is_trigger = node.is("ControlTrigger");
    program_->has_control_flow |= item.kind != ItemKind::kCompute;
    const std::vector<bool> on_host = InputsOnHost(*made.registration, *node.def);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      int slot = SlotOf(node.inputs[i]);
      if (ReadsVariable(node, i)) {
        const int to = read_slots_.at({&node, i});
        program_->reads.push_back(
            {slot, to, node.inputs[i].node->def, node.inputs[i].type().dtype, on_host[i]});
        slot = to;
      }
      program_->inputs.push_back(slot);
      input_on_host_.push_back(on_host[i]);
      if (node.inputs[i].node->feed != kNoFeed && node.def->input_is_ref(static_cast<int>(i))) {
        program_->feeds[static_cast<size_t>(node.inputs[i].node->feed)].wanted_as_variable = true;
      }
    }
    item.num_reads = static_cast<int>(program_->reads.size()) - item.first_read;
    FrameInfo& frame = program_->frames[static_cast<size_t>(item.frame)];
    const int index = static_cast<int>(program_->items.size());
    frame.items.push_back(index);
    if (item.kind == ItemKind::kExit) frame.exits.push_back(index);
    item.hands_on_read = node.is("Identity") && item.num_reads == 1;
    NoteDevice(node);
    program_->items.push_back(item);
  }

  void NoteDevice(const PlanNode& node) {
    std::vector<Device*>& gpus = program_->gpus;
    if (node.device->type() == DeviceType::kGpu &&
        std::find(gpus.begin(), gpus.end(), node.device) == gpus.end()) {
      gpus.push_back(node.device);
    }
  }

  Status AddFetches() {
    for (const PlanValue& fetch : plan_.fetches) {
      const int slot = SlotOf(fetch);
      if (slot < program_->num_slots && program_->frame_of_slot[static_cast<size_t>(slot)] != 0) {
        return InvalidArgument("'", fetch.node->name(), ":", fetch.index, "' is inside of a loop and "
                               "has no single value; fetch what leaves the loop");
      }
      for (Program::Fetch& earlier : program_->fetches) {
        if (earlier.slot == slot) earlier.is_last = false;
      }
      program_->fetches.push_back(
          {slot, StrCat(fetch.node->name(), ":", fetch.index), fetch.type().dtype,
           fetch.node->feed == kNoFeed && fetch.type().is_ref ? fetch.node->def : nullptr,
           slot < program_->num_slots});
    }
    return OkStatus();
  }

  void AddSuccessors() {
    std::vector<std::vector<Successor>> after(program_->items.size());
    program_->uses.assign(static_cast<size_t>(program_->num_slots), 0);
    for (const PlanNode* node : plan_.nodes()) {
      const int item = item_of_[Index(*node)];
      if (item == kNone) continue;
      const auto wait_for = [&](const PlanNode& source, int output, int input) {
        const int from = item_of_[Index(source)];
        if (from == kNone) return;
        after[static_cast<size_t>(from)].push_back({item, output, input});
        ++program_->items[static_cast<size_t>(item)].pending;
      };
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        wait_for(*node->inputs[i].node, node->inputs[i].index, static_cast<int>(i));
        const int slot = SlotOf(node->inputs[i]);
        if (slot < program_->num_slots) ++program_->uses[static_cast<size_t>(slot)];
      }
      for (const PlanNode* control : node->control_inputs) wait_for(*control, kNone, kNone);
    }
    for (const Program::Fetch& fetch : program_->fetches) {
      if (fetch.slot < program_->num_slots) ++program_->uses[static_cast<size_t>(fetch.slot)];
    }
    for (const VariableRead& read : program_->reads) ++program_->uses[static_cast<size_t>(read.to)];
    for (size_t i = 0; i < after.size(); ++i) {
      Item& item = program_->items[i];
      item.first_successor = static_cast<int>(program_->successors.size());
      item.num_successors = static_cast<int>(after[i].size());
      program_->successors.insert(program_->successors.end(), after[i].begin(), after[i].end());
      const auto uses = program_->uses.begin() + item.first_output;
      item.is_read = std::any_of(uses, uses + item.num_outputs, [](int count) { return count > 0; });
    }
    for (int slot = 0; slot < program_->num_slots; ++slot) {
      const int frame = program_->frame_of_slot[static_cast<size_t>(slot)];
      program_->frames[static_cast<size_t>(frame)].slots.push_back(slot);
    }
  }

  // In the order of the items: who reads a slot last, and what is free behind whom.
  void FindLastUses() {
    std::vector<int> last(static_cast<size_t>(program_->num_slots), kNone);
    const auto use = [&](int slot, int item) {
      if (slot < program_->num_slots) last[static_cast<size_t>(slot)] = item;
    };
    const int count = static_cast<int>(program_->items.size());
    for (int i = 0; i < count; ++i) {
      const Item& item = program_->items[static_cast<size_t>(i)];
      for (int o = 0; o < item.num_outputs; ++o) use(item.first_output + o, i);
      for (int k = 0; k < item.num_inputs; ++k) {
        use(program_->inputs[static_cast<size_t>(item.first_input + k)], i);
      }
      for (int k = 0; k < item.num_reads; ++k) {
        use(program_->reads[static_cast<size_t>(item.first_read + k)].from, i);
      }
    }
    for (const Program::Fetch& fetch : program_->fetches) use(fetch.slot, count);
    std::vector<std::vector<int>> free_behind(program_->items.size());
    for (int slot = 0; slot < program_->num_slots; ++slot) {
      const int item = last[static_cast<size_t>(slot)];
      if (item != kNone && item < count) free_behind[static_cast<size_t>(item)].push_back(slot);
    }
    std::vector<bool> is_last;
    for (int i = 0; i < count; ++i) {
      Item& item = program_->items[static_cast<size_t>(i)];
      const auto begin = program_->inputs.begin() + item.first_input;
      for (auto input = begin; input != begin + item.num_inputs; ++input) {
        const bool once = std::count(begin, begin + item.num_inputs, *input) == 1;
        is_last.push_back(once && *input < program_->num_slots &&
                          last[static_cast<size_t>(*input)] == i);
      }
      const std::vector<int>& freed = free_behind[static_cast<size_t>(i)];
      item.first_release = static_cast<int>(program_->releases.size());
      item.num_releases = static_cast<int>(freed.size());
      program_->releases.insert(program_->releases.end(), freed.begin(), freed.end());
    }
    program_->input_is_last = ToArray(is_last);
  }

  PlanGraph plan_;
  KernelCache* kernels_;
  std::unique_ptr<Program> program_;
  std::vector<int> frame_of_node_;
  std::map<std::pair<int, std::string>, int> frame_by_name_;  // in its parent
  std::vector<int> item_of_;
  std::vector<int> slot_of_;
  std::vector<const MadeKernel*> made_;
  std::vector<std::unique_ptr<MadeKernel>> new_kernels_;
  std::map<std::pair<const PlanNode*, size_t>, int> read_slots_;
  std::vector<bool> input_on_host_;
  std::vector<bool> output_on_host_;
};

Result<std::unique_ptr<Program>> Program::Create(PlanGraph plan, KernelCache* kernels) {
  return ProgramBuilder(std::move(plan), kernels).Build();
}

}  // namespace tfbuild
