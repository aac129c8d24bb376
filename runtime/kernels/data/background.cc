#include "kernels/data/background.h"

#include <chrono>
#include <cstdio>
#include <new>
#include <system_error>

#include "base/c_locale.h"
#include "base/exceptions.h"
#include "base/reserve.h"

namespace tfbuild {
namespace {

constexpr std::chrono::seconds kLongWait{10};

}  // namespace

Status WaitInStep(StepContext* step, const std::shared_ptr<MeetingPoint>& point,
                  std::unique_lock<std::mutex>* lock, std::condition_variable* wake,
                  const std::function<bool()>& done) {
  while (!done()) {
    int64_t token = 0;
    const bool registered = step->cancellation.Register(&token, [point] {
      { std::lock_guard<std::mutex> held(point->mutex); }
      point->work.notify_all();
      point->ready.notify_all();
    });
    if (!registered) return step->cancellation.status();
    {
      // What is waited for may fork, or need what a fork has.
      const ForkAllowed allowed;
      step->Wait(lock, wake, [&] { return done() || step->cancellation.cancelled(); });
      lock->unlock();  // before the guard is taken back, and the callback
    }
    step->cancellation.Deregister(token);
    lock->lock();  // another thread may have undone meanwhile what was done
  }
  return OkStatus();
}

Background::Background(std::shared_ptr<FunctionRuntime> runtime)
    : runtime_(std::move(runtime)),
      step_(runtime_->background(), 0, nullptr),
      renewed_([this] { Lose(); }) {
  int64_t token = 0;
  // The step is this one's own, so the callback need not be taken back.
  static_cast<void>(step_.get()->cancellation.Register(&token, [point = point_] {
    { std::lock_guard<std::mutex> lock(point->mutex); }
    point->work.notify_all();
    point->ready.notify_all();
  }));
}

Background::~Background() {
  if (lost_) return;
  {
    std::lock_guard<std::mutex> lock(point_->mutex);
    ended_ = true;
  }
  step_.get()->Fail(Status(Code::kCancelled, "the iterator has ended"));
  {
    std::unique_lock<std::mutex> lock(point_->mutex);
    const auto all_ended = [this] { return working_ == 0; };
    if (!point_->ready.wait_for(lock, kLongWait, all_ended)) {
      std::fprintf(stderr, "tfbuild: a session or iterator has ended, and waits for a function of its "
                           "dataset that does not return\n");
    }
  }
  for (std::thread& thread : threads_) thread.join();
}

// In the child of a fork: nobody there unlocks what the threads had locked, and there is nobody to join.
void Background::Lose() {
  if (threads_.empty()) return;
  lost_ = true;
  new std::vector<std::thread>(std::move(threads_));
  threads_.clear();
  new std::shared_ptr<MeetingPoint>(std::move(point_));
  point_ = std::make_shared<MeetingPoint>();
}

Status Background::Start(int threads, const Turn& turn) {
  RETURN_IF_ERROR(CheckReserve());
  for (int i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this, turn] { Run(turn); });
      ++working_;
    } catch (const std::system_error& error) {
      if (threads_.empty()) {
        return ResourceExhausted("no thread can be started: ",
                                 ErrnoText(error.code().value()));
      }
      break;
    }
  }
  return OkStatus();
}

void Background::Run(const Turn& turn) {
  std::unique_lock<std::mutex> lock(point_->mutex);
  while (!ended_ && turn(&lock, step_.get())) {
  }
  --working_;
  point_->ready.notify_all();
}

Status Background::Wait(StepContext* step, std::unique_lock<std::mutex>* lock,
                        std::condition_variable* wake, const std::function<bool()>& done) {
  if (lost_) {
    return FailedPrecondition("the process was forked, and the threads of this iterator are not "
                              "in the child; initialize the iterator there");
  }
  const Cancellation& own = step_.get()->cancellation;
  RETURN_IF_ERROR(WaitInStep(step, point_, lock, wake, [&] { return done() || own.cancelled(); }));
  return done() ? OkStatus() : own.status();
}

bool Background::WaitForWork(std::unique_lock<std::mutex>* lock,
                             const std::function<bool()>& done) {
  const Cancellation& own = step_.get()->cancellation;
  point_->work.wait(*lock, [&] { return ended_ || own.cancelled() || done(); });
  return !ended_ && !own.cancelled();
}

}  // namespace tfbuild
