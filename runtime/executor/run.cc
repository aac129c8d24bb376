// How a step runs: feeds in, kernels in order or in parallel, values to their consumers.
#include <algorithm>
#include <new>

#include "base/exceptions.h"
#include "executor/executor.h"
#include "executor/step.h"

namespace tfbuild {
namespace {

// Most nodes have no more outputs than this; their entries live on the stack.
constexpr int kInlineOutputs = 4;

Result<Tensor> MoveBetween(const Tensor& value, Device* from, bool from_host, Device* to,
                           bool to_host) {
  if (value.dtype() == DType::kString) return value;  // always on the host
  Tensor host = value;
  if (!from_host) {
    ASSIGN_OR_RETURN(host, Tensor::Allocate(CpuAllocator(), value.dtype(), value.shape()));
    RETURN_IF_ERROR(from->CopyToHost(value, &host));
  }
  if (to_host) return host;
  ASSIGN_OR_RETURN(Tensor moved, Tensor::Allocate(to->allocator(), value.dtype(), value.shape()));
  RETURN_IF_ERROR(to->CopyFromHost(host, &moved));
  return moved;
}

// The last copy made for a value, so that several consumers on one device share it.
struct Moved {
  Tensor value;
  Device* device = nullptr;
  bool on_host = false;
  bool Holds(const Device* wanted, bool wanted_on_host) const {
    return value.initialized() && on_host == wanted_on_host && (on_host || device == wanted);
  }
};

bool OnHost(const Device* device, bool host_memory) {
  return host_memory || device->type() == DeviceType::kCpu;
}

// What a reader in that place sees of a variable now. `source` is the output that handed it on.
Result<Tensor> ReadVariable(Variable* variable, const Node& source, Device* to, bool to_host) {
  Tensor value;
  {
    std::lock_guard<std::mutex> lock(variable->mutex);
    value = variable->value;
  }
  if (!value.initialized()) {
    return FailedPrecondition("attempting to use uninitialized value ", source.name());
  }
  const bool from_host = OnHost(variable->device, false);
  if (from_host == to_host && (from_host || variable->device == to)) return value;
  return MoveBetween(value, variable->device, from_host, to, to_host);
}

}  // namespace

Status Executor::Run(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches) const {
  return CatchExceptions([&] { return RunStep(feeds, fetches); });
}

Status Executor::RunStep(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches) const {
  RETURN_IF_ERROR(CheckFeeds(feeds));
  Step step;
  step.slots.resize(static_cast<size_t>(num_slots_));
  fetches->assign(static_cast<size_t>(num_fetches_), Tensor());
  step.fetches = fetches;
  RETURN_IF_ERROR(DeliverFeeds(feeds, &step));
  const Status status = parallel_ ? RunParallel(&step) : RunInOrder(&step);
  const Status synchronized = SynchronizeDevices();
  return status.ok() ? synchronized : status;
}

Status Executor::CheckFeeds(const std::vector<Tensor>& feeds) const {
  if (feeds.size() != feeds_.size()) {
    return InvalidArgument("expected ", feeds_.size(), " feeds, got ", feeds.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Endpoint& endpoint = feeds_[i];
    if (feeds[i].dtype() != endpoint.dtype()) {
      return InvalidArgument("the value fed for '", endpoint.node->name(), ":", endpoint.index,
                             "' has type ", DTypeName(feeds[i].dtype()), ", expected ",
                             DTypeName(endpoint.dtype()));
    }
    if (!endpoint.shape().CompatibleWith(PartialShape(feeds[i].shape()))) {
      return InvalidArgument("the value fed for '", endpoint.node->name(), ":", endpoint.index,
                             "' has shape ", feeds[i].shape(), ", which does not fit ",
                             endpoint.shape());
    }
  }
  return OkStatus();
}

Status Executor::DeliverFeeds(const std::vector<Tensor>& feeds, Step* step) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    for (const Destination& to : feed_destinations_[i]) {
      if (to.wants_variable) {
        return InvalidArgument("'", feeds_[i].node->name(), "' is a variable that the step writes; "
                               "it cannot be fed");
      }
    }
    const Source source{feeds_[i].node, CpuDevice(), true};
    RETURN_IF_ERROR(Deliver({feeds[i], nullptr}, source, feed_destinations_[i], step));
  }
  return OkStatus();
}

Status Executor::RunInOrder(Step* step) const {
  for (const Item& item : items_) RETURN_IF_ERROR(RunOne(item, step));
  return OkStatus();
}

Status Executor::RunOne(const Item& item, Step* step) const {
  try {
    Entry inline_outputs[kInlineOutputs];
    std::vector<Entry> more;
    Entry* outputs = inline_outputs;
    if (item.num_outputs > kInlineOutputs) {
      more.resize(static_cast<size_t>(item.num_outputs));
      outputs = more.data();
    }
    RETURN_IF_ERROR(Compute(item, step, outputs));
    return Propagate(item, step, outputs);
  } catch (...) {
    return StatusOfException().Annotate(StrCat("{{node ", item.node->name(), "}}"));
  }
}

Status Executor::Compute(const Item& item, Step* step, Entry* outputs) const {
  Entry* inputs = step->slots.data() + item.first_input;
  RETURN_IF_ERROR(ReadVariables(item, inputs));
  OpKernelContext context({item.node, item.device, inputs, outputs, item.input_on_host.get(),
                           item.output_on_host.get()});
  const Status status = item.kernel->Compute(&context);
  // Inputs are given back as soon as they are used: their memory serves the next kernel.
  for (int i = 0; i < item.num_inputs; ++i) inputs[i].value = Tensor();
  return status.ok() ? status : status.Annotate(StrCat("{{node ", item.node->name(), "}}"));
}

// A reader sees a variable as it is when the reader runs, after its control inputs, not as it was
// when the reference was handed out.
Status Executor::ReadVariables(const Item& item, Entry* inputs) const {
  for (int i = 0; i < item.num_inputs; ++i) {
    if (inputs[i].variable == nullptr || item.node->input_is_ref(i)) continue;
    const bool on_host = OnHost(item.device, item.input_on_host[static_cast<size_t>(i)]);
    ASSIGN_OR_RETURN(inputs[i].value, ReadVariable(inputs[i].variable, *item.node->input(i).node,
                                                   item.device, on_host));
  }
  return OkStatus();
}

Status Executor::Propagate(const Item& item, Step* step, Entry* outputs) const {
  for (int i = 0; i < item.num_outputs; ++i) {
    const auto& destinations = item.outputs[static_cast<size_t>(i)];
    if (destinations.empty()) continue;
    if (!outputs[i].value.initialized() && outputs[i].variable == nullptr) {
      return Internal("{{node ", item.node->name(), "}}: kernel left output ", i, " unset");
    }
    const Source source{item.node, item.device, item.output_on_host[static_cast<size_t>(i)]};
    const Status status = Deliver(std::move(outputs[i]), source, destinations, step);
    if (!status.ok()) return status.Annotate(StrCat("{{node ", item.node->name(), "}}"));
  }
  return OkStatus();
}

Status Executor::Deliver(Entry value, const Source& source, const std::vector<Destination>& to,
                         Step* step) const {
  const bool from_host = OnHost(source.device, source.on_host);
  Moved moved;
  for (size_t i = 0; i < to.size(); ++i) {
    const Destination& target = to[i];
    if (value.variable != nullptr && target.item >= 0) {
      step->slots[static_cast<size_t>(target.slot)].variable = value.variable;
      continue;
    }
    const bool to_host = OnHost(target.device, target.on_host);
    Tensor tensor;
    if (value.variable != nullptr) {
      ASSIGN_OR_RETURN(tensor, ReadVariable(value.variable, *source.node, target.device, to_host));
    } else if (from_host == to_host && (from_host || source.device == target.device)) {
      tensor = i + 1 == to.size() ? std::move(value.value) : value.value;
    } else {
      if (!moved.Holds(target.device, to_host)) {
        ASSIGN_OR_RETURN(moved.value, MoveBetween(value.value, source.device, from_host,
                                                  target.device, to_host));
        moved.device = target.device;
        moved.on_host = to_host;
      }
      tensor = moved.value;
    }
    Tensor* place = target.item < 0 ? &(*step->fetches)[static_cast<size_t>(target.slot)]
                                    : &step->slots[static_cast<size_t>(target.slot)].value;
    *place = std::move(tensor);
  }
  return OkStatus();
}

Status Executor::RunParallel(Step* step) const {
  step->pending = std::make_unique<std::atomic<int>[]>(items_.size());
  step->next = std::make_unique<int[]>(items_.size());
  std::vector<int> ready;
  for (size_t i = 0; i < items_.size(); ++i) {
    step->pending[i].store(items_[i].pending, std::memory_order_relaxed);
    if (items_[i].pending == 0) ready.push_back(static_cast<int>(i));
  }
  step->unfinished.store(static_cast<int>(items_.size()));
  for (const int index : ready) RunReady(index, step);
  std::unique_lock<std::mutex> lock(step->mutex);
  step->done.wait(lock, [step] { return step->finished; });
  return step->status;
}

void Executor::RunReady(int index, Step* step) const {
  if (items_[static_cast<size_t>(index)].expensive) {
    try {
      return pool_->Schedule([this, index, step] { RunItem(index, step); });
    } catch (const std::bad_alloc&) {
      // No memory to note it for another thread: this one does it.
    }
  }
  RunItem(index, step);
}

// Runs an item and, on the same thread, every cheap item that it makes ready. A failed step still
// counts its items down, so that nobody touches the step after Run has returned. Nothing here
// needs memory but RunOne: a thread of the pool has nobody to throw to.
void Executor::RunItem(int first, Step* step) const {
  constexpr int kEnd = -1;
  int ready = first;
  step->next[static_cast<size_t>(first)] = kEnd;
  while (ready != kEnd) {
    const Item& item = items_[static_cast<size_t>(ready)];
    ready = step->next[static_cast<size_t>(ready)];
    if (!step->failed.load(std::memory_order_acquire)) {
      Status status = RunOne(item, step);
      if (!status.ok()) {
        std::lock_guard<std::mutex> lock(step->mutex);
        if (step->status.ok()) step->status = std::move(status);
        step->failed.store(true, std::memory_order_release);
      }
    }
    const auto arrived = [&](int successor) {
      if (step->pending[static_cast<size_t>(successor)].fetch_sub(1) != 1) return;
      if (items_[static_cast<size_t>(successor)].expensive) {
        RunReady(successor, step);
      } else {
        step->next[static_cast<size_t>(successor)] = ready;
        ready = successor;
      }
    };
    for (const auto& destinations : item.outputs) {
      for (const Destination& to : destinations) {
        if (to.item >= 0) arrived(to.item);
      }
    }
    for (const int successor : item.control_successors) arrived(successor);
    if (step->unfinished.fetch_sub(1) == 1) {
      std::lock_guard<std::mutex> lock(step->mutex);
      step->finished = true;
      step->done.notify_all();
    }
  }
}

Status Executor::SynchronizeDevices() const {
  for (Device* gpu : gpus_) RETURN_IF_ERROR(gpu->Synchronize());
  return OkStatus();
}

}  // namespace tfbuild
