// Producers and consumers of one queue, cancelled and closed at random: nothing is lost or doubled.
// For longer, and under the thread sanitiser: TFBUILD_QUEUE_STRESS_SECONDS=600.
#include <chrono>
#include <cstdlib>
#include <future>
#include <random>
#include <thread>

#include "base/c_locale.h"
#include "kernels/framework/queue_op.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int kPairs = 16;  // as many producers as consumers
constexpr int kPerProducer = 60;

using Ids = std::vector<int64_t>;

// What a thread waits in, and may be cancelled in by another one.
class CancellableStep {
 public:
  // Calls `ask(step, done)`, and returns what `done` was given.
  template <typename Answer, typename Ask>
  Answer Wait(const Ask& ask) {
    auto step = std::make_unique<StepContext>(1);
    StepContext* const running = step.get();
    Swap(&step);
    std::promise<Answer> promise;
    ask(running, [&promise](Answer answer) { promise.set_value(std::move(answer)); });
    Answer answer = promise.get_future().get();
    Swap(&step);
    return answer;
  }
  void Cancel() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (step_ != nullptr) step_->Fail(Status(Code::kCancelled, "by the test"));
  }

 private:
  void Swap(std::unique_ptr<StepContext>* step) {
    std::lock_guard<std::mutex> lock(mutex_);
    step_.swap(*step);
  }
  std::mutex mutex_;
  std::unique_ptr<StepContext> step_;
};

// What one producer has certainly put in, and the batches of which the first rows may be in.
struct Produced {
  Ids sure;
  std::vector<Ids> cut;
};

struct Answer {
  Status status;
  std::vector<Tensor> components;
};

void Produce(Queue* queue, CancellableStep* step, int64_t first, Produced* produced) {
  std::mt19937 random(static_cast<uint32_t>(first));
  for (int64_t id = first; id < first + kPerProducer;) {
    Ids ids{id++};
    const bool many = random() % 2 == 0;
    for (size_t more = many ? random() % 7 : 0; more > 0; --more) ids.push_back(id++);
    const auto status = step->Wait<Status>([&](StepContext* running, const Queue::Done& done) {
      if (many) return queue->EnqueueMany({Tensor::Vector(ids)}, running, done);
      queue->Enqueue({Tensor::Scalar(ids[0])}, running, done);
    });
    if (status.ok()) {
      produced->sure.insert(produced->sure.end(), ids.begin(), ids.end());
    } else {
      EXPECT_EQ(static_cast<int>(status.code()), static_cast<int>(Code::kCancelled));
      if (many) produced->cut.push_back(std::move(ids));
    }
  }
}

void Consume(Queue* queue, CancellableStep* step, uint32_t seed, Ids* consumed) {
  std::mt19937 random(seed);
  while (true) {
    const uint32_t way = random() % 3;
    const auto answer = step->Wait<Answer>([&](StepContext* running, const auto& finish) {
      const auto taken = [finish](const Status& status, std::vector<Tensor> components) {
        finish({status, std::move(components)});
      };
      if (way == 0) return queue->Dequeue(running, taken);
      queue->DequeueMany(1 + random() % 9, way == 1, running, taken);
    });
    if (answer.status.ok()) {
      const Tensor& ids = answer.components[0];
      consumed->insert(consumed->end(), ids.data<int64_t>(),
                       ids.data<int64_t>() + ids.num_elements());
    } else if (answer.status.code() == Code::kOutOfRange) {
      return;  // closed; what is left is too little for this one
    }
  }
}

// Each id that was put in came out once, and of each batch that was cut short the first ones.
void CheckBalance(const std::vector<Produced>& produced, const Ids& consumed) {
  std::map<int64_t, int> times;
  for (const int64_t id : consumed) ++times[id];
  size_t expected = 0;
  for (const Produced& producer : produced) {
    for (const int64_t id : producer.sure) EXPECT_EQ(times[id], 1);
    expected += producer.sure.size();
    for (const Ids& batch : producer.cut) {
      bool ended = false;
      for (const int64_t id : batch) {
        EXPECT_TRUE(times[id] == 0 || (times[id] == 1 && !ended));
        ended |= times[id] == 0;
        expected += static_cast<size_t>(times[id]);
      }
    }
  }
  EXPECT_EQ(consumed.size(), expected);
}

void RunRound(uint32_t seed) {
  std::mt19937 random(seed);
  const auto queue = std::make_shared<Queue>();
  QueueSpec spec;
  spec.kind = "FIFOQueue";
  spec.name = "q";
  spec.capacity = 1 + random() % 12;
  spec.dtypes = {DType::kInt64};
  spec.shapes = {PartialShape(Shape{})};
  spec.min_after_dequeue = random() % 2 == 0 ? 0 : random() % spec.capacity;
  ASSERT_OK(queue->Configure(spec, [](const QueueSpec&) { return std::make_unique<FifoStorage>(); }));

  std::vector<CancellableStep> steps(2 * kPairs);
  std::vector<Produced> produced(kPairs);
  std::vector<Ids> consumed(kPairs);
  std::vector<std::thread> producers, consumers;
  for (size_t i = 0; i < kPairs; ++i) {
    const int64_t first = static_cast<int64_t>(i) * 10 * kPerProducer;
    producers.emplace_back([&, i, first] { Produce(queue.get(), &steps[i], first, &produced[i]); });
    consumers.emplace_back([&, i] {
      Consume(queue.get(), &steps[kPairs + i], seed + static_cast<uint32_t>(i), &consumed[i]);
    });
  }
  std::atomic<bool> over{false};
  std::thread canceller([&] {
    std::mt19937 choice(seed + 1);
    while (!over) {
      steps[choice() % steps.size()].Cancel();
      std::this_thread::yield();
    }
  });
  // Half of the time it is closed while they are at it.
  const bool early = random() % 2 == 0;
  if (early) {
    for (uint32_t turns = random() % 200; turns > 0; --turns) std::this_thread::yield();
    queue->Close(random() % 2 == 0, nullptr, [](const Status&) {});
  }
  for (std::thread& producer : producers) producer.join();
  if (!early) queue->Close(false, nullptr, [](const Status&) {});
  for (std::thread& consumer : consumers) consumer.join();
  over = true;
  canceller.join();

  Ids all;
  for (const Ids& ids : consumed) all.insert(all.end(), ids.begin(), ids.end());
  queue->DequeueMany(1 << 20, true, nullptr, [&](const Status& status, std::vector<Tensor> rest) {
    if (!status.ok()) return;
    all.insert(all.end(), rest[0].data<int64_t>(),
               rest[0].data<int64_t>() + rest[0].num_elements());
  });
  EXPECT_EQ(queue->size(), int64_t{0});
  CheckBalance(produced, all);
}

TEST(QueueStress, LosesAndDoublesNothing) {
  const char* wanted = std::getenv("TFBUILD_QUEUE_STRESS_SECONDS");
  const std::chrono::seconds length(wanted == nullptr ? 2 : ReadInt(wanted, nullptr));
  const auto end = std::chrono::steady_clock::now() + length;
  uint32_t seed = 1;
  do {
    RunRound(seed++);
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
