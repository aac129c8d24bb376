#include "kernels/queues/waiting_store.h"

#include <algorithm>
#include <utility>

namespace tfbuild {

void WaitingStore::Try(StepContext* step, Attempt attempt, Done done) {
  std::list<Waiting> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const int64_t id = next_id_++;
    waiting_.push_back({id, step, std::move(attempt), std::move(done), OkStatus(), -1});
    Progress(&ended);
    if (!waiting_.empty() && waiting_.back().id == id && step != nullptr) {
      // The waker knows the store and a number only, and so may come too late.
      Waiting& last = waiting_.back();
      const std::weak_ptr<WaitingStore> store = weak_from_this();
      const auto wake = [store, id] {
        if (const std::shared_ptr<WaitingStore> alive = store.lock()) alive->Cancel(id);
      };
      if (!step->cancellation.Register(&last.token, wake)) {
        last.status = step->cancellation.status();
        ended.splice(ended.end(), waiting_, std::prev(waiting_.end()));
      }
    }
  }
  End(std::move(ended));
}

// Moves what has ended out of the list; the caller holds the lock.
void WaitingStore::Progress(std::list<Waiting>* ended) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (!at->attempt(&at->status)) {
      ++at;
      continue;
    }
    ended->splice(ended->end(), waiting_, at);
    at = waiting_.begin();  // others may go on now
  }
}

void WaitingStore::Cancel(int64_t id) {
  std::list<Waiting> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [id](const Waiting& waiting) { return waiting.id == id; });
    if (found == waiting_.end()) return;
    found->status = found->step->cancellation.status();
    ended.splice(ended.end(), waiting_, found);
  }
  End(std::move(ended));
}

void WaitingStore::End(std::list<Waiting> ended) {
  for (Waiting& waiting : ended) {
    if (waiting.step != nullptr) waiting.step->cancellation.Deregister(waiting.token);
    waiting.done(waiting.status);
  }
}

}  // namespace tfbuild
