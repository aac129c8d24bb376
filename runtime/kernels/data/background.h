#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "kernels/framework/function_runtime.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

// Where the threads of an iterator and whoever asks it for elements meet. Shared, since a wake-up may
// come late.
struct MeetingPoint {
  std::mutex mutex;
  std::condition_variable work;   // something to do for the threads
  std::condition_variable ready;  // something for who asks
};

// Waits on `wake` of the meeting point, whose lock is held, until `done`; an error when the step ends
// first. What else ends the wait must make `done` hold.
Status WaitInStep(StepContext* step, const std::shared_ptr<MeetingPoint>& point,
                  std::unique_lock<std::mutex>* lock, std::condition_variable* wake,
                  const std::function<bool()>& done);

// More threads of one iterator would wait for each other alone.
constexpr int64_t kMaxThreads = 128;

// Threads that work ahead of the steps that ask an iterator for elements, in a step of their own, which
// ends with the session and with this. They are joined when this ends, which says so on the error
// stream where one does not end; a child of fork() has none of them.
class Background {
 public:
  // Called on each thread until it returns false, with the meeting point's lock held; it gives the
  // lock up where it works.
  using Turn = std::function<bool(std::unique_lock<std::mutex>* lock, StepContext* step)>;

  explicit Background(std::shared_ptr<FunctionRuntime> runtime);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Starts that many threads, or as many as are to be had; ResourceExhausted without any.
  Status Start(int threads, const Turn& turn);
  bool started() const { return !threads_.empty() || lost_; }
  MeetingPoint& point() { return *point_; }
  // Waits on `wake` of the meeting point until `done`; an error when `step` or the session ends
  // first, or the threads were lost to a fork.
  Status Wait(StepContext* step, std::unique_lock<std::mutex>* lock, std::condition_variable* wake,
              const std::function<bool()>& done);
  // For a turn: waits until `done` or the end of this, and says whether it is not the end.
  bool WaitForWork(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done);

 private:
  void Run(const Turn& turn);
  void Lose();

  std::shared_ptr<FunctionRuntime> runtime_;
  std::shared_ptr<MeetingPoint> point_ = std::make_shared<MeetingPoint>();
  InnerStep step_;
  bool ended_ = false;
  bool lost_ = false;
  size_t working_ = 0;  // threads
  std::vector<std::thread> threads_;
  RenewedByFork renewed_;
};

}  // namespace tfbuild
