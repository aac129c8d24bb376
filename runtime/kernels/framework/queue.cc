#include "kernels/framework/queue.h"

#include <utility>

#include "base/exceptions.h"
#include "kernels/framework/queue_rows.h"

namespace tfbuild {
namespace {

std::string TypesText(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.push_back(DTypeName(dtype));
  return StrCat("[", StrJoin(names, ", "), "]");
}

std::string ShapesText(const std::vector<PartialShape>& shapes) {
  std::vector<std::string> texts;
  for (const PartialShape& shape : shapes) texts.push_back(shape.ToString());
  return StrCat("[", StrJoin(texts, ", "), "]");
}

// Whether what a node asks for is what is there.
Status CheckSame(const QueueSpec& there, const QueueSpec& asked) {
  const auto differs = [&there](const char* what, const auto& has, const auto& wants) {
    return InvalidArgument("Shared queue '", there.name, "' has ", what, " ", has,
                           " but requested ", what, " was ", wants, ".");
  };
  if (there.kind != asked.kind) return differs("type", there.kind, asked.kind);
  if (there.capacity != asked.capacity) return differs("capacity", there.capacity, asked.capacity);
  if (there.dtypes != asked.dtypes) {
    return differs("component types", TypesText(there.dtypes), TypesText(asked.dtypes));
  }
  if (!(there.shapes == asked.shapes)) {
    return differs("component shapes", ShapesText(there.shapes), ShapesText(asked.shapes));
  }
  if (there.min_after_dequeue != asked.min_after_dequeue) {
    return differs("min_after_dequeue", there.min_after_dequeue, asked.min_after_dequeue);
  }
  // Seeds that nobody has chosen are as good as any.
  if ((asked.seed != 0 || asked.seed2 != 0) &&
      (there.seed != asked.seed || there.seed2 != asked.seed2)) {
    return differs("random seeds", StrCat("(", there.seed, ", ", there.seed2, ")"),
                   StrCat("(", asked.seed, ", ", asked.seed2, ")"));
  }
  return OkStatus();
}

Status Cancelled(const std::string& message) { return Status(Code::kCancelled, message); }

}  // namespace

Status Queue::Configure(const QueueSpec& spec, const StorageMaker& make) {
  if (!spec.shapes.empty() && spec.shapes.size() != spec.dtypes.size()) {
    return InvalidArgument("Different number of component types.  Types: ", TypesText(spec.dtypes),
                           ", Shapes: ", ShapesText(spec.shapes));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (storage_ != nullptr) return CheckSame(spec_, spec);
  spec_ = spec;
  storage_ = make(spec);
  return OkStatus();
}

std::string Queue::Text() const { return StrCat(spec_.kind, " '", spec_.name, "'"); }

int64_t Queue::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return storage_->size();
}

bool Queue::closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

Status Queue::CheckTypes(const std::vector<DType>& dtypes) const {
  if (dtypes == spec_.dtypes) return OkStatus();
  return InvalidArgument("the ", Text(), " holds ", TypesText(spec_.dtypes), ", not ",
                         TypesText(dtypes));
}

Status Queue::CheckElement(const std::vector<Tensor>& put, bool many) const {
  std::vector<DType> dtypes;
  for (const Tensor& component : put) dtypes.push_back(component.dtype());
  RETURN_IF_ERROR(CheckTypes(dtypes));
  for (size_t i = 0; i < put.size(); ++i) {
    PartialShape expected = spec_.shapes.empty() ? PartialShape() : spec_.shapes[i];
    if (many && expected.known_rank()) {
      std::vector<int64_t> dims = expected.dims();
      dims.insert(dims.begin(), put[0].rank() == 0 ? kUnknownDim : put[0].dim(0));
      expected = PartialShape(std::move(dims));
    }
    if (!expected.CompatibleWith(PartialShape(put[i].shape()))) {
      return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ", expected,
                             ", got ", put[i].shape());
    }
    if (many && put[i].rank() == 0) {
      return InvalidArgument("Input components must have rank at least 1, but component ", i,
                             " is a scalar");
    }
    if (many && put[i].dim(0) != put[0].dim(0)) {
      return InvalidArgument("All input tensors must have the same size in the 0th dimension. "
                             "Component ", i, " has ", put[i].dim(0), ", and should have ",
                             put[0].dim(0));
    }
  }
  return OkStatus();
}

void Queue::Enqueue(QueueElement element, StepContext* step, Done done) {
  const Status fits = CheckElement(element, false);
  if (!fits.ok()) return done(fits);
  Attempt attempt;
  attempt.step = step;
  attempt.put = std::move(element);
  attempt.done = std::move(done);
  Try(std::move(attempt));
}

void Queue::EnqueueMany(std::vector<Tensor> batch, StepContext* step, Done done) {
  const Status fits = CheckElement(batch, true);
  if (!fits.ok() || batch[0].dim(0) == 0) return done(fits);
  Attempt attempt;
  attempt.step = step;
  attempt.many = true;
  attempt.left = batch[0].dim(0);
  attempt.put = std::move(batch);
  attempt.done = std::move(done);
  Try(std::move(attempt));
}

void Queue::Dequeue(StepContext* step, Taken taken) {
  Attempt attempt;
  attempt.kind = Kind::kDequeue;
  attempt.step = step;
  attempt.give = std::move(taken);
  Try(std::move(attempt));
}

void Queue::DequeueMany(int64_t count, bool allow_fewer, StepContext* step, Taken taken) {
  if (spec_.shapes.empty()) {
    return taken(InvalidArgument(spec_.kind, "'s DequeueMany and DequeueUpTo require the "
                                 "components to have specified shapes."), {});
  }
  Attempt attempt;
  attempt.kind = Kind::kDequeue;
  attempt.step = step;
  attempt.many = true;
  attempt.allow_fewer = allow_fewer;
  attempt.left = count;
  attempt.give = std::move(taken);
  if (count > 0) return Try(std::move(attempt));
  Attempts ended;
  ended.push_back(std::move(attempt));
  End(std::move(ended));
}

void Queue::Close(bool cancel_enqueues, StepContext* step, Done done) {
  Attempt attempt;
  attempt.kind = Kind::kClose;
  attempt.step = step;
  attempt.done = std::move(done);
  if (!cancel_enqueues) return Try(std::move(attempt));
  Attempts ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    for (Attempt& waiting : enqueues_) {
      if (waiting.kind == Kind::kEnqueue) waiting.status = Cancelled("Enqueue operation was cancelled");
    }
    ended.swap(enqueues_);
    ended.push_back(std::move(attempt));
    Progress(&ended);
  }
  End(std::move(ended));
}

// Takes its place behind those that wait already, and is served at once where that can be.
void Queue::Try(Attempt attempt) {
  Attempts ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Attempts& attempts = attempt.kind == Kind::kDequeue ? dequeues_ : enqueues_;
    attempt.id = next_id_++;
    const int64_t id = attempt.id;
    attempts.push_back(std::move(attempt));
    Progress(&ended);
    if (!attempts.empty() && attempts.back().id == id && attempts.back().step != nullptr) {
      // It waits. The waker knows the queue and a number only, and so may come too late.
      Attempt& waiting = attempts.back();
      const std::weak_ptr<Queue> queue = weak_from_this();
      const auto wake = [queue, id] {
        if (const std::shared_ptr<Queue> alive = queue.lock()) alive->Cancel(id);
      };
      if (!waiting.step->cancellation.Register(&waiting.token, wake)) {
        EndCancelled(&attempts, std::prev(attempts.end()), &ended);
      }
    }
  }
  End(std::move(ended));
}

void Queue::Cancel(int64_t id) {
  Attempts ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Attempts* attempts : {&enqueues_, &dequeues_}) {
      for (auto waiting = attempts->begin(); waiting != attempts->end(); ++waiting) {
        if (waiting->id != id) continue;
        EndCancelled(attempts, waiting, &ended);
        break;
      }
    }
  }
  End(std::move(ended));
}

void Queue::EndCancelled(Attempts* attempts, Attempts::iterator attempt, Attempts* ended) {
  const Status why = attempt->step->cancellation.status();
  attempt->status = why.code() != Code::kCancelled       ? why
                    : attempt->kind == Kind::kDequeue ? Cancelled("Dequeue operation was cancelled")
                                                      : Cancelled("Enqueue operation was cancelled");
  PutBack(&*attempt);
  ended->splice(ended->end(), *attempts, attempt);
  Progress(ended);  // those behind it
}

void Queue::Progress(Attempts* ended) {
  bool moved = true;
  while (moved) {
    moved = TryFront(&enqueues_, ended);
    moved |= TryFront(&dequeues_, ended);
  }
}

// Serves the first ones as far as it goes; whether anything was moved.
bool Queue::TryFront(Attempts* attempts, Attempts* ended) {
  bool moved = false;
  while (!attempts->empty() && Serve(&attempts->front(), &moved)) {
    moved = true;
    ended->splice(ended->end(), *attempts, attempts->begin());
  }
  return moved;
}

// Whether the attempt has ended.
bool Queue::Serve(Attempt* attempt, bool* moved) {
  switch (attempt->kind) {
    case Kind::kEnqueue: return ServeEnqueue(attempt, moved);
    case Kind::kClose: return ServeClose(attempt);
    case Kind::kDequeue: return ServeDequeue(attempt, moved);
  }
  return true;
}

bool Queue::ServeEnqueue(Attempt* attempt, bool* moved) {
  if (closed_) {
    attempt->status = Cancelled(StrCat(Text(), " is closed."));
    return true;
  }
  while (spec_.capacity < 0 || storage_->size() < spec_.capacity) {
    if (!attempt->many) {
      storage_->Put(std::move(attempt->put));
      return true;
    }
    const int64_t row = attempt->put[0].dim(0) - attempt->left;
    QueueElement element;
    for (const Tensor& batch : attempt->put) {
      Result<Tensor> copy = CopyOfRow(batch, row);
      if (!copy.ok()) {
        attempt->status = copy.status();
        return true;
      }
      element.push_back(*std::move(copy));
    }
    storage_->Put(std::move(element));
    *moved = true;
    if (--attempt->left == 0) return true;
  }
  return false;
}

bool Queue::ServeClose(Attempt* attempt) {
  if (closed_) attempt->status = Cancelled(StrCat("Queue '", spec_.name, "' is already closed."));
  closed_ = true;
  return true;
}

bool Queue::ServeDequeue(Attempt* attempt, bool* moved) {
  if (closed_ && storage_->size() < attempt->left) return EndShort(attempt);
  if (spec_.waits_for_all && storage_->size() < attempt->left) return false;
  const int64_t kept = closed_ ? 0 : spec_.min_after_dequeue;
  while (storage_->size() > kept) {
    attempt->taken.push_back(storage_->Take());
    *moved = true;
    if (--attempt->left == 0) return true;
  }
  return false;
}

// Of a closed queue with too few elements.
bool Queue::EndShort(Attempt* attempt) {
  const int64_t wanted = attempt->left;
  const int64_t size = storage_->size();
  PutBack(attempt);
  if (attempt->allow_fewer && storage_->size() > 0) {
    while (storage_->size() > 0) attempt->taken.push_back(storage_->Take());
    return true;
  }
  attempt->status = Status(Code::kOutOfRange,
                           StrCat(Text(), " is closed and has insufficient elements (requested ",
                                  wanted, ", current size ", size, ")"));
  return true;
}

void Queue::PutBack(Attempt* attempt) {
  while (!attempt->taken.empty()) {
    storage_->PutBack(std::move(attempt->taken.back()));
    attempt->taken.pop_back();
    ++attempt->left;
  }
}

// Notifies those that have ended. Nothing of the queue is touched behind `done` of the last: it may go
// with its session.
void Queue::End(Attempts ended) {
  for (Attempt& attempt : ended) {
    if (attempt.step != nullptr) attempt.step->cancellation.Deregister(attempt.token);
    if (attempt.kind != Kind::kDequeue) {
      attempt.done(attempt.status);
    } else if (!attempt.status.ok()) {
      attempt.give(attempt.status, {});
    } else if (!attempt.many) {
      attempt.give(OkStatus(), std::move(attempt.taken[0]));
    } else {
      std::vector<Tensor> batch;
      const Status joined = CatchExceptions([&] {
        ASSIGN_OR_RETURN(batch, Batch(attempt));
        return OkStatus();
      });
      attempt.give(joined, std::move(batch));
    }
  }
}

Result<std::vector<Tensor>> Queue::Batch(const Attempt& attempt) const {
  std::vector<Tensor> batch;
  for (size_t i = 0; i < spec_.dtypes.size(); ++i) {
    std::vector<const Tensor*> rows;
    for (const QueueElement& element : attempt.taken) rows.push_back(&element[i]);
    if (spec_.pads) {
      ASSIGN_OR_RETURN(Tensor joined, StackPaddedRows(rows, spec_.dtypes[i], spec_.shapes[i]));
      batch.push_back(std::move(joined));
    } else {
      ASSIGN_OR_RETURN(const Shape shape, spec_.shapes[i].ToShape());
      ASSIGN_OR_RETURN(Tensor joined, StackRows(rows, spec_.dtypes[i], shape));
      batch.push_back(std::move(joined));
    }
  }
  return batch;
}

}  // namespace tfbuild
