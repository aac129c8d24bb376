#include "kernels/io/reader.h"

#include <utility>

#include "base/exceptions.h"
#include "graph/wire_format.h"

namespace tfbuild {

// What was asked of the queue: whether it has answered before Dequeue returned.
struct Reader::Fetch {
  std::mutex mutex;
  bool returned = false;
  bool answered = false;
};

Status Reader::Configure(const std::string& kind, const Maker& make) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (records_ == nullptr) {
    kind_ = kind;
    records_ = make();
  }
  if (kind_ == kind) return OkStatus();
  return InvalidArgument("a shared reader is a ", kind_, ", not a ", kind);
}

void Reader::Read(std::shared_ptr<Queue> queue, StepContext* step, int64_t at_most, Done done) {
  auto request = std::make_shared<Request>();
  request->queue = std::move(queue);
  request->step = step;
  request->at_most = at_most;
  request->done = std::move(done);
  GoOn(request);
}

void Reader::Cancel(int64_t id) {
  RequestPtr request;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto parked = parked_.begin(); parked != parked_.end(); ++parked) {
      if ((*parked)->id != id) continue;
      request = *parked;
      parked_.erase(parked);
      break;
    }
  }
  if (request == nullptr) return;
  const Status why = request->step->cancellation.status();
  request->done(why.code() == Code::kCancelled
                    ? Status(Code::kCancelled, "Dequeue operation was cancelled") : why, {});
}

// Until the request has what it asked for, or the queue keeps it waiting. A queue that answers at
// once is answered by another turn, not by a call within a call.
void Reader::GoOn(const RequestPtr& request) {
  const std::shared_ptr<Reader> self = shared_from_this();
  while (true) {
    const Next next = Serve(request);
    if (next == Next::kWait) return;
    if (next == Next::kGive) return Finish(request);
    const auto fetch = std::make_shared<Fetch>();
    request->queue->Dequeue(request->step, [self, request, fetch](const Status& status,
                                                                  const std::vector<Tensor>& taken) {
      self->Take(request.get(), status, taken);
      {
        std::lock_guard<std::mutex> lock(fetch->mutex);
        fetch->answered = true;
        if (!fetch->returned) return;
      }
      self->GoOn(request);
    });
    std::lock_guard<std::mutex> lock(fetch->mutex);
    fetch->returned = true;
    if (!fetch->answered) return;
  }
}

Reader::Next Reader::Serve(const RequestPtr& request) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!request->status.ok() || request->at_most <= 0) return Next::kGive;
  request->status = CatchExceptions([&] { return ReadRecords(request.get()); });
  if (!request->status.ok() || !request->records.empty()) return Next::kGive;
  if (fetching_) return Park(request);
  fetching_ = true;
  return Next::kFetch;
}

// Puts a request aside while another one waits for work; the caller holds the lock.
Reader::Next Reader::Park(const RequestPtr& request) {
  request->id = next_id_++;
  if (request->step != nullptr) {
    const std::weak_ptr<Reader> reader = weak_from_this();
    const auto wake = [reader, id = request->id] {
      if (const std::shared_ptr<Reader> alive = reader.lock()) alive->Cancel(id);
    };
    if (!request->step->cancellation.Register(&request->token, wake)) {
      request->status = request->step->cancellation.status();
      return Next::kGive;
    }
  }
  parked_.push_back(request);
  return Next::kWait;
}

// As much as is asked for and there is in one piece of work.
Status Reader::ReadRecords(Request* request) {
  while (open_ && static_cast<int64_t>(request->records.size()) < request->at_most) {
    RETURN_IF_ERROR(broken_);
    Record record;
    const Result<bool> found = records_->Next(&record);
    if (!found.ok()) return broken_ = found.status();
    if (*found) {
      ++produced_;
      request->records.push_back(std::move(record));
      if (!records_->IsWhole()) continue;
    }
    open_ = false;
    records_->Close();
    finished_ = started_;
  }
  return OkStatus();
}

void Reader::Take(Request* request, const Status& status, const std::vector<Tensor>& components) {
  std::lock_guard<std::mutex> lock(mutex_);
  fetching_ = false;
  request->status = status;
  if (!status.ok()) return;
  request->status = CatchExceptions([&] {
    const Tensor& work = components[0];
    if (components.size() != 1 || work.dtype() != DType::kString || work.num_elements() != 1) {
      return InvalidArgument("a reader takes names of work, one string each, from its queue");
    }
    work_ = *work.data<std::string>();
    RETURN_IF_ERROR(records_->Open(work_));
    open_ = true;
    broken_ = OkStatus();
    ++started_;
    return OkStatus();
  });
}

// Gives the records, and lets those go on that were put aside meanwhile.
void Reader::Finish(const RequestPtr& request) {
  std::list<RequestPtr> parked;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!fetching_) parked.swap(parked_);
  }
  // Records that came before an error are given first; the error comes again.
  request->done(request->records.empty() ? request->status : OkStatus(), request->records);
  for (const RequestPtr& next : parked) {
    if (next->step != nullptr) next->step->cancellation.Deregister(next->token);
    next->token = -1;
    GoOn(next);
  }
}

int64_t Reader::num_records_produced() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return produced_;
}

int64_t Reader::num_work_units_completed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return finished_;
}

void Reader::Reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  started_ = finished_ = produced_ = 0;
  work_.clear();
  open_ = false;
  broken_ = OkStatus();
  records_->Close();
}

Result<std::string> Reader::SerializeState() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!records_->IsWhole()) return Unimplemented("Reader SerializeState");
  WireWriter out;
  if (started_ != 0) out.Int(1, started_);
  if (finished_ != 0) out.Int(2, finished_);
  if (produced_ != 0) out.Int(3, produced_);
  if (!work_.empty()) out.Bytes(4, work_);
  return out.Take();
}

Status Reader::RestoreState(const std::string& state) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!records_->IsWhole()) return Unimplemented("Reader RestoreState");
  int64_t numbers[3] = {0, 0, 0};
  std::string work;
  WireReader reader(state);
  while (!reader.done()) {
    const Result<WireField> field = reader.Next();
    if (!field.ok()) return InvalidArgument("Could not parse state for a reader");
    if (field->number >= 1 && field->number <= 3) numbers[field->number - 1] = field->as_int();
    if (field->number == 4) work = std::string(field->bytes);
  }
  if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0 || numbers[1] > numbers[0] ||
      numbers[0] - numbers[1] > 1) {
    return InvalidArgument("Unexpected negative or contradicting numbers when restoring a reader");
  }
  started_ = numbers[0];
  finished_ = numbers[1];
  produced_ = numbers[2];
  work_ = std::move(work);
  records_->Close();
  open_ = started_ > finished_;
  broken_ = OkStatus();
  return open_ ? records_->Open(work_) : OkStatus();
}

}  // namespace tfbuild
