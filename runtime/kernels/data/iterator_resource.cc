#include "kernels/data/iterator_resource.h"

#include <utility>

namespace tfbuild {

class IteratorResource::Turn {
 public:
  Turn(IteratorResource* iterator, StepContext* step) : iterator_(iterator) {
    std::unique_lock<std::mutex> lock(iterator->point_->mutex);
    status_ = WaitInStep(step, iterator->point_, &lock, &iterator->point_->ready,
                         [iterator] { return !iterator->busy_; });
    if (status_.ok()) iterator->busy_ = true;
  }
  ~Turn() {
    if (!status_.ok()) return;
    {
      std::lock_guard<std::mutex> lock(iterator_->point_->mutex);
      iterator_->busy_ = false;
    }
    iterator_->point_->ready.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  const Status& status() const { return status_; }

 private:
  IteratorResource* iterator_;
  Status status_;
};

Status IteratorResource::State(const ElementSpec& spec) {
  std::lock_guard<std::mutex> lock(point_->mutex);
  if (stated_) return CheckSpec(spec_, spec);
  stated_ = true;
  spec_ = spec;
  return OkStatus();
}

ElementSpec IteratorResource::spec() const {
  std::lock_guard<std::mutex> lock(point_->mutex);
  return spec_;
}

bool IteratorResource::has_begun() const {
  std::lock_guard<std::mutex> lock(point_->mutex);
  return iterator_ != nullptr || lost_;
}

// In the child of a fork: nobody there unlocks the lock, or ends what another thread was reading.
void IteratorResource::Lose() {
  new std::shared_ptr<MeetingPoint>(std::move(point_));
  point_ = std::make_shared<MeetingPoint>();
  if (!busy_) return;
  busy_ = false;
  lost_ = true;
  new IteratorPtr(std::move(iterator_));
  iterator_ = nullptr;
}

Status IteratorResource::Begin(StepContext* step, const DatasetPtr& dataset,
                               FunctionRuntime* runtime) {
  RETURN_IF_ERROR(CheckSpec(spec(), dataset->spec()));
  const Turn turn(this, step);
  RETURN_IF_ERROR(turn.status());
  return BeginInTurn(step, dataset, runtime);
}

Status IteratorResource::BeginOnce(StepContext* step, const DatasetMaker& make,
                                   FunctionRuntime* runtime) {
  if (has_begun()) return OkStatus();
  const Turn turn(this, step);
  RETURN_IF_ERROR(turn.status());
  if (has_begun()) return OkStatus();
  ASSIGN_OR_RETURN(const DatasetPtr dataset, make());
  RETURN_IF_ERROR(CheckSpec(spec(), dataset->spec()));
  return BeginInTurn(step, dataset, runtime);
}

Status IteratorResource::BeginInTurn(StepContext* step, const DatasetPtr& dataset,
                                     FunctionRuntime* runtime) {
  ASSIGN_OR_RETURN(IteratorPtr made, dataset->MakeIterator(step));
  bool is_new = false;
  {
    std::lock_guard<std::mutex> lock(point_->mutex);
    std::swap(iterator_, made);  // the old one ends without the lock
    lost_ = false;
    is_new = !std::exchange(at_end_registered_, true);
  }
  if (is_new) runtime->AtEnd(weak_from_this(), [this] { End(); });
  return OkStatus();
}

Result<bool> IteratorResource::Next(StepContext* step, Element* element) {
  const Turn turn(this, step);
  RETURN_IF_ERROR(turn.status());
  IteratorPtr iterator;
  {
    std::lock_guard<std::mutex> lock(point_->mutex);
    if (lost_) {
      return FailedPrecondition("the process was forked while another thread read this iterator, "
                                "and its place is not known in the child; initialize it there");
    }
    iterator = iterator_;
  }
  if (iterator == nullptr) {
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
        "the initializer operation for this iterator before getting the next element.");
  }
  return iterator->Next(step, element);
}

void IteratorResource::End() {
  IteratorPtr ended;  // ends without the lock
  {
    std::lock_guard<std::mutex> lock(point_->mutex);
    ended.swap(iterator_);
  }
}

}  // namespace tfbuild
