#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "kernels/framework/step_context.h"
#include "tensor/tensor.h"

namespace tfbuild {

// An element of a queue: a tensor for each of its components.
using QueueElement = std::vector<Tensor>;

// What a queue was asked to be.
struct QueueSpec {
  std::string kind;  // "FIFOQueue"
  std::string name;
  int64_t capacity = -1;  // negative: none
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;  // of the components; empty where nothing is said
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  bool waits_for_all = false;  // whether a batch is taken when all of it is there, and not before
  bool pads = false;  // whether rows of one batch may differ in the dimensions that are unknown
};

// In which order elements come out. For one thread at a time.
class QueueStorage {
 public:
  virtual ~QueueStorage() = default;
  virtual void Put(QueueElement element) = 0;
  // Takes one; there is one.
  virtual QueueElement Take() = 0;
  // Gives one back that was taken for a batch that did not come about, the last one first.
  virtual void PutBack(QueueElement element) = 0;
  virtual int64_t size() const = 0;
};

// Elements between steps: some put them in, others take them out, and both wait without a thread
// while there is no room or nothing to take. Who came first is served first. Made without being
// anything until it is configured. Thread-safe.
class Queue final : public Resource, public std::enable_shared_from_this<Queue> {
 public:
  static constexpr char kKind[] = "queue";
  using Done = std::function<void(const Status&)>;
  // Gets a tensor for each component.
  using Taken = std::function<void(const Status&, std::vector<Tensor>)>;
  using StorageMaker = std::function<std::unique_ptr<QueueStorage>(const QueueSpec&)>;

  // Makes it what the spec says; later ones must say the same, else InvalidArgument.
  Status Configure(const QueueSpec& spec, const StorageMaker& make);

  // Each calls its last argument once, here or on the thread of whoever makes it possible, and soon
  // when the step is cancelled. `step` may be null: then nothing else ends the wait.
  void Enqueue(QueueElement element, StepContext* step, Done done);
  // The rows of the components are elements.
  void EnqueueMany(std::vector<Tensor> batch, StepContext* step, Done done);
  void Dequeue(StepContext* step, Taken taken);
  // `count` elements as one batch; of a closed queue fewer where that is allowed.
  void DequeueMany(int64_t count, bool allow_fewer, StepContext* step, Taken taken);
  // From when those that wait with elements have put them in, nothing is put in any longer; with
  // `cancel_enqueues` they are cancelled and it is closed at once.
  void Close(bool cancel_enqueues, StepContext* step, Done done);

  int64_t size() const;
  bool closed() const;
  // InvalidArgument unless it holds these types.
  Status CheckTypes(const std::vector<DType>& dtypes) const;

 private:
  enum class Kind { kEnqueue, kClose, kDequeue };
  struct Attempt {
    Kind kind = Kind::kEnqueue;
    int64_t id = 0;
    StepContext* step = nullptr;
    int64_t token = -1;  // of no waker
    std::vector<Tensor> put;  // an element, or a batch of them
    bool many = false;
    bool allow_fewer = false;
    int64_t left = 1;  // elements to put in or take out
    std::vector<QueueElement> taken;
    Status status;
    Done done;
    Taken give;
  };
  using Attempts = std::list<Attempt>;

  void Try(Attempt attempt);
  // Moves what has ended out of the lists; the caller holds the lock.
  void Progress(Attempts* ended);
  bool TryFront(Attempts* attempts, Attempts* ended);
  bool Serve(Attempt* attempt, bool* moved);
  bool ServeEnqueue(Attempt* attempt, bool* moved);
  bool ServeClose(Attempt* attempt);
  bool ServeDequeue(Attempt* attempt, bool* moved);
  bool EndShort(Attempt* attempt);
  void PutBack(Attempt* attempt);
  void Cancel(int64_t id);
  void EndCancelled(Attempts* attempts, Attempts::iterator attempt, Attempts* ended);
  // Without the lock.
  void End(Attempts ended);
  Result<std::vector<Tensor>> Batch(const Attempt& attempt) const;
  Status CheckElement(const std::vector<Tensor>& put, bool many) const;
  std::string Text() const;  // "FIFOQueue 'q'"

  mutable std::mutex mutex_;
  QueueSpec spec_;
  std::unique_ptr<QueueStorage> storage_;
  bool closed_ = false;
  int64_t next_id_ = 0;
  Attempts enqueues_;  // closing stands among them
  Attempts dequeues_;
};

}  // namespace tfbuild
