#include "base/thread_pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/reserve.h"

namespace tfbuild {

// The threads and what they share: all that a fork() makes useless.
class ThreadPool::Workers {
 public:
  Workers() = default;
  ~Workers() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Whether a thread will run the task, which is taken only then.
  bool Schedule(int num_threads, std::function<void()>* task) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (threads_.empty()) Start(num_threads, &lock);
      if (threads_.empty()) return false;
      queue_.push_back(std::move(*task));
    }
    wake_.notify_one();
    return true;
  }

 private:
  // Answers when all are there that will be.
  void Start(int num_threads, std::unique_lock<std::mutex>* lock) {
    const int count = ThreadsBesideReserve(num_threads);
    threads_.reserve(static_cast<size_t>(count));
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      // A limit on processes or memory: those that there are do the work.
    }
    started_.wait(*lock, [this] { return num_started_ == threads_.size(); });
  }

  void Work() {
    MapThreadMemory();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++num_started_;
    }
    started_.notify_all();
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      // A fork() waits for tasks that run. So who waits for them holds no guard meanwhile
      // (ForkAllowed), as a task may give its own up and fork.
      const ForkGuard guard;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable started_;
  size_t num_started_ = 0;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads), workers_(std::make_unique<Workers>()), renewed_([this] {
        // The threads do not exist in the child and can be neither joined nor destroyed.
        static_cast<void>(workers_.release());
        workers_ = std::make_unique<Workers>();
      }) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::Schedule(std::function<void()> task) {
  if (!workers_->Schedule(num_threads_, &task)) task();
}

}  // namespace tfbuild
