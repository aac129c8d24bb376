// In which frame of which loop each node of a plan runs.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "executor/program.h"

namespace tfbuild {
namespace {

constexpr int kRoot = 0;
constexpr int kAnyFrame = -1;  // a constant is the same in all

class FrameFinder {
 public:
  FrameFinder(const PlanGraph& plan, std::vector<int>* frame_of_node,
              std::vector<FrameInfo>* frames)
      : plan_(plan), constants_(FreeConstants(plan)), frame_of_node_(*frame_of_node), frames_(*frames) {}

  Status Find() {
    frames_.assign(1, FrameInfo());
    frame_of_node_.assign(plan_.nodes().size(), kRoot);
    for (const PlanNode* node : plan_.nodes()) {
      ASSIGN_OR_RETURN(const int frame, FrameOf(*node));
      frame_of_node_[static_cast<size_t>(node->position)] = frame;
      if (ControlFlowOf(*node) == ControlFlow::kEnter) RETURN_IF_ERROR(AddEnter(*node, frame));
      if (ControlFlowOf(*node) == ControlFlow::kExit && frame == kRoot) {
        return InvalidArgument("'", node->name(), "' leaves a loop that nothing enters");
      }
    }
    return CheckBackEdges();
  }

 private:
  Result<int> FrameOf(const PlanNode& node) {
    int frame = kAnyFrame;
    const PlanNode* first = nullptr;
    const auto meet = [&](const PlanNode* source) -> Status {
      const int brought = OutFrame(*source);
      if (brought == kAnyFrame || brought == frame) return OkStatus();
      if (frame != kAnyFrame) {
        return InvalidArgument("'", node.name(), "' has inputs from different frames: '",
                               first->name(), "' and '", source->name(), "'");
      }
      frame = brought;
      first = source;
      return OkStatus();
    };
    for (const PlanValue& input : node.inputs) {
      if (!ClosesLoop(input, node)) RETURN_IF_ERROR(meet(input.node));
    }
    for (const PlanNode* control : node.control_inputs) RETURN_IF_ERROR(meet(control));
    return frame == kAnyFrame ? kRoot : frame;
  }

  int OutFrame(const PlanNode& node) const {
    const int frame = frame_of_node_[static_cast<size_t>(node.position)];
    switch (ControlFlowOf(node)) {
      case ControlFlow::kEnter: return entered_.at(&node);
      case ControlFlow::kExit: return frames_[static_cast<size_t>(frame)].parent;
      default: return constants_.count(&node) > 0 ? kAnyFrame : frame;
    }
  }

  Status AddEnter(const PlanNode& node, int frame) {
    ASSIGN_OR_RETURN(const std::string name, node.def->Attr<std::string>("frame_name"));
    ASSIGN_OR_RETURN(const int64_t parallel, node.def->Attr<int64_t>("parallel_iterations"));
    const auto [found, is_new] =
        children_.emplace(std::make_pair(frame, name), static_cast<int>(frames_.size()));
    if (is_new) {
      frames_.emplace_back();
      frames_.back().name = name;
      frames_.back().parent = frame;
    }
    FrameInfo& child = frames_[static_cast<size_t>(found->second)];
    child.parallel_iterations = static_cast<int>(std::clamp<int64_t>(parallel, 1, 1 << 16));
    ++child.num_enters;
    entered_[&node] = found->second;
    return OkStatus();
  }

  Status CheckBackEdges() const {
    for (const PlanNode* node : plan_.nodes()) {
      for (const PlanValue& input : node->inputs) {
        if (!ClosesLoop(input, *node)) continue;
        const int from = frame_of_node_[static_cast<size_t>(input.node->position)];
        if (from == kRoot || from != frame_of_node_[static_cast<size_t>(node->position)]) {
          return InvalidArgument("'", input.node->name(), "' closes a loop in another frame than '",
                                 node->name(), "'");
        }
      }
    }
    return OkStatus();
  }

  const PlanGraph& plan_;
  const std::set<const PlanNode*> constants_;
  std::vector<int>& frame_of_node_;
  std::vector<FrameInfo>& frames_;
  std::map<std::pair<int, std::string>, int> children_;
  std::unordered_map<const PlanNode*, int> entered_;
};

}  // namespace

Status FindFrames(const PlanGraph& plan, std::vector<int>* frame_of_node,
                  std::vector<FrameInfo>* frames) {
  return FrameFinder(plan, frame_of_node, frames).Find();
}

void LayOutFrames(Program* program) {
  program->place_of_slot.resize(program->frame_of_slot.size());
  program->place_of_item.resize(program->items.size());
  for (FrameInfo& frame : program->frames) {
    for (size_t i = 0; i < frame.slots.size(); ++i) {
      const size_t slot = static_cast<size_t>(frame.slots[i]);
      program->place_of_slot[slot] = static_cast<int>(i);
      frame.uses.push_back(program->uses[slot]);
    }
    for (size_t i = 0; i < frame.items.size(); ++i) {
      const size_t item = static_cast<size_t>(frame.items[i]);
      program->place_of_item[item] = static_cast<int>(i);
      ItemWait wait;
      wait.pending = program->items[item].pending;
      frame.first.push_back(wait);
    }
    frame.later = frame.first;
  }
  // A Merge waits for one value of those that can come: from outside in the first iteration, from
  // the one before in later ones.
  for (const Item& source : program->items) {
    for (int i = 0; i < source.num_successors; ++i) {
      const Successor& edge = program->successors[static_cast<size_t>(source.first_successor + i)];
      const Item& target = program->items[static_cast<size_t>(edge.item)];
      if (target.kind != ItemKind::kMerge || edge.input == kNone) continue;
      FrameInfo& frame = program->frames[static_cast<size_t>(target.frame)];
      const size_t place = static_cast<size_t>(program->place_of_item[static_cast<size_t>(edge.item)]);
      const bool back = source.kind == ItemKind::kNextIteration;
      ++(back ? frame.later : frame.first)[place].dead_left;
      // Inside a loop body a Merge of branches has no back edge, and is alike in all iterations.
      if (!back) ++frame.later[place].dead_left;
      --frame.first[place].pending;
      --frame.later[place].pending;
    }
  }
  for (const Item& item : program->items) {
    if (item.kind != ItemKind::kMerge) continue;
    FrameInfo& frame = program->frames[static_cast<size_t>(item.frame)];
    const size_t place =
        static_cast<size_t>(program->place_of_item[static_cast<size_t>(&item - program->items.data())]);
    ++frame.first[place].pending;
    ++frame.later[place].pending;
  }
}

}  // namespace tfbuild
