// How values move between iterations, frames and branches.
#include "executor/frame_run.h"

namespace tfbuild {

Status FrameRun::Switch(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  const Tensor& predicate = InputEntry(ready.iteration, InputSlot(item, 1))->value;
  if (predicate.dtype() != DType::kBool || predicate.num_elements() != 1) {
    return AnnotateItem(item, InvalidArgument("the predicate must be a scalar bool, but its shape "
                                              "is ", predicate.shape()));
  }
  RETURN_IF_ERROR(Read(ready));
  const int taken = *predicate.data<bool>() ? 1 : 0;
  *SlotIn(ready.iteration, item.first_output + taken) =
      Take(ready.iteration, InputSlot(item, 0));
  return OkStatus();
}

Status FrameRun::Merge(const Ready& ready) {
  const Item& item = ItemAt(ready.item);
  const int live = Wait(ready.iteration, ready.item).live;
  if (live == kNone) return OkStatus();
  const int slot = InputSlot(item, live);
  for (int i = 0; i < item.num_reads; ++i) {
    const VariableRead& read = program_.reads[static_cast<size_t>(item.first_read + i)];
    if (read.to != slot) continue;
    RETURN_IF_ERROR(
        ReadVariable(read, *SlotIn(ready.iteration, read.from), SlotIn(ready.iteration, slot), step_));
  }
  *SlotIn(ready.iteration, item.first_output) = Take(ready.iteration, slot);
  if (UsesIn(ready.iteration, item.first_output + 1) > 0) {
    SlotIn(ready.iteration, item.first_output + 1)->value = Tensor::Scalar<int32_t>(live);
  }
  return OkStatus();
}

Status FrameRun::Enter(const Ready& ready, bool dead) {
  const Item& item = ItemAt(ready.item);
  if (!dead) RETURN_IF_ERROR(Read(ready));
  Entry value = dead ? Entry() : Take(ready.iteration, InputSlot(item, 0));
  UseInputs(ready);
  Frame* child = FindOrEnter(ready.iteration, program_.frame_of_slot[static_cast<size_t>(
                                                  item.first_output)]);
  if (item.is_constant) {
    for (const auto& iteration : child->running) Bring({ready.item, value}, iteration.get());
    child->invariants.push_back({ready.item, std::move(value)});
  } else {
    Bring({ready.item, std::move(value)}, child->running.front().get());
  }
  --child->enters_left;
  EndItem(ready.iteration);
  EndIterations(child);
  return OkStatus();
}

Status FrameRun::Exit(const Ready& ready, bool dead) {
  const Item& item = ItemAt(ready.item);
  if (!dead) {
    RETURN_IF_ERROR(Read(ready));
    Frame* frame = ready.iteration->frame;
    for (size_t i = 0; i < frame->info->exits.size(); ++i) {
      if (frame->info->exits[i] == ready.item) frame->exited[i] = true;
    }
    Bring({ready.item, Take(ready.iteration, InputSlot(item, 0))}, frame->parent);
  }
  UseInputs(ready);
  EndItem(ready.iteration);
  return OkStatus();
}

Status FrameRun::GoRound(const Ready& ready, bool dead) {
  const Item& item = ItemAt(ready.item);
  if (!dead) {
    RETURN_IF_ERROR(Read(ready));
    Frame* frame = ready.iteration->frame;
    Brought brought{ready.item, Take(ready.iteration, InputSlot(item, 0))};
    const int64_t next = ready.iteration->id.iteration + 1;
    if (next < frame->next_number) {
      const int64_t oldest = frame->running.front()->id.iteration;
      Bring(std::move(brought), frame->running[static_cast<size_t>(next - oldest)].get());
    } else if (static_cast<int>(frame->running.size()) < frame->info->parallel_iterations) {
      Iteration* begun = Begin(frame);
      Bring(std::move(brought), begun);
    } else {
      frame->parked.push_back(std::move(brought));
    }
  }
  UseInputs(ready);
  EndItem(ready.iteration);
  return OkStatus();
}

Frame* FrameRun::FindOrEnter(Iteration* parent, int number) {
  std::unique_ptr<Frame>& frame = parent->children[number];
  if (frame == nullptr) {
    frame = std::make_unique<Frame>();
    frame->info = &program_.frames[static_cast<size_t>(number)];
    frame->number = number;
    frame->id = ++last_frame_id_;
    frame->parent = parent;
    frame->enters_left = frame->info->num_enters;
    frame->exited.resize(frame->info->exits.size());
    ++parent->outstanding;
    Begin(frame.get());
  }
  return frame.get();
}

Iteration* FrameRun::Begin(Frame* frame) {
  std::unique_ptr<Iteration> iteration;
  if (frame->spare.empty()) {
    iteration = std::make_unique<Iteration>();
    iteration->slots.resize(frame->info->slots.size());
  } else {
    iteration = std::move(frame->spare.back());
    frame->spare.pop_back();
  }
  iteration->frame = frame;
  iteration->id = {frame->id, frame->next_number};
  iteration->waits = frame->next_number == 0 ? frame->info->first : frame->info->later;
  iteration->uses = frame->info->uses;
  iteration->outstanding = 0;
  ++frame->next_number;
  frame->running.push_back(std::move(iteration));
  Iteration* begun = frame->running.back().get();
  for (const Brought& invariant : frame->invariants) Bring(invariant, begun);
  return begun;
}

// Puts the output of an item into another iteration than its own and notifies its readers there.
void FrameRun::Bring(Brought brought, Iteration* to) {
  const Item& item = ItemAt(brought.item);
  const bool dead = brought.value.dead();
  *SlotIn(to, item.first_output) = std::move(brought.value);
  Notify(item, dead, to);
}

void FrameRun::Finish(const Ready& ready, bool dead) {
  const Item& item = ItemAt(ready.item);
  const bool merged_nothing =
      item.kind == ItemKind::kMerge && Wait(ready.iteration, ready.item).live == kNone;
  UseInputs(ready);
  for (int i = 0; i < item.num_outputs; ++i) {
    if (UsesIn(ready.iteration, item.first_output + i) == 0) {
      SlotIn(ready.iteration, item.first_output + i)->Clear();
    }
  }
  Notify(item, dead || merged_nothing, ready.iteration);
  EndItem(ready.iteration);
}

// Notifies the readers of an item's outputs, which lie in `iteration`, that they are there.
void FrameRun::Notify(const Item& item, bool dead, Iteration* iteration) {
  for (int i = 0; i < item.num_successors; ++i) {
    const Successor& edge = program_.successors[static_cast<size_t>(item.first_successor + i)];
    // Of a Switch one output is dead; whoever only waits for it is not.
    const bool untaken = item.kind == ItemKind::kSwitch && edge.output != kNone &&
                         SlotIn(iteration, item.first_output + edge.output)->dead();
    Arrive(iteration, edge, dead || untaken);
  }
}

void FrameRun::Arrive(Iteration* iteration, const Successor& edge, bool dead) {
  ItemWait& wait = Wait(iteration, edge.item);
  if (ItemAt(edge.item).kind == ItemKind::kMerge && edge.input != kNone) {
    if (!dead) {
      if (wait.live != kNone) return;
      wait.live = edge.input;
    } else if (--wait.dead_left > 0 || wait.live != kNone) {
      return;
    } else {
      wait.dead = true;
    }
  } else if (dead && !ItemAt(edge.item).is_trigger) {
    wait.dead = true;
  }
  if (--wait.pending == 0) MakeReady(iteration, edge.item);
}

void FrameRun::EndItem(Iteration* iteration) {
  if (--iteration->outstanding == 0) EndIterations(iteration->frame);
}

// Ends the iterations of a frame in which nothing can happen any longer, oldest first, and with
// the last one the frame.
void FrameRun::EndIterations(Frame* frame) {
  if (frame->parent == nullptr) return;  // the root is read when all has ended
  while (!frame->running.empty() && frame->running.front()->outstanding == 0) {
    if (frame->enters_left > 0) return;
    std::unique_ptr<Iteration> ended = std::move(frame->running.front());
    frame->running.pop_front();
    for (Entry& slot : ended->slots) {
      if (!slot.dead()) slot.Clear();  // most are: their last readers have emptied them
    }
    frame->spare.push_back(std::move(ended));
    if (frame->parked.empty()) continue;
    std::vector<Brought> parked = std::move(frame->parked);
    frame->parked.clear();
    Iteration* begun = Begin(frame);
    for (Brought& brought : parked) Bring(std::move(brought), begun);
  }
  if (frame->running.empty()) EndFrame(frame);
}

// Exits that no value has left by are dead for those who wait outside.
void FrameRun::EndFrame(Frame* frame) {
  Iteration* parent = frame->parent;
  const int number = frame->number;
  for (size_t i = 0; i < frame->info->exits.size(); ++i) {
    if (!frame->exited[i]) Notify(ItemAt(frame->info->exits[i]), true, parent);
  }
  parent->children.erase(number);
  EndItem(parent);
}

}  // namespace tfbuild
