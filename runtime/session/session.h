#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "executor/executor.h"
#include "graph/graph.h"
#include "kernels/framework/variable.h"
#include "passes/place.h"
#include "passes/prune.h"

namespace tfbuild {

struct SessionOptions {
  // Threads inside a kernel; 0: the cores this process may use. Process-wide, the last one counts.
  int intra_op_threads = 0;
  // Expensive kernels that may run beside each other; 0: chosen by the number of cores.
  int inter_op_threads = 0;
  bool allow_soft_placement = true;
  bool use_gpu = true;
};

// What a call of MakeCallable prepared: the pruned, placed graph with its kernels.
class Callable {
 public:
  const RunSignature& signature() const { return signature_; }
  const std::vector<Node*>& nodes() const { return nodes_; }
  const std::vector<Device*>& placement() const { return placement_; }

 private:
  friend class DirectSession;
  RunSignature signature_;
  std::vector<Node*> nodes_;
  std::vector<Device*> placement_;
  std::unique_ptr<Executor> executor_;
  mutable std::atomic<bool> has_run_{false};
};

// Runs parts of one graph in this process, and owns its variables. The graph may grow between
// calls and must outlive the session. Run may be called by several threads at once; MakeCallable
// only while nobody changes the graph.
class DirectSession {
 public:
  DirectSession(const Graph* graph, const SessionOptions& options);
  ~DirectSession();

  // Prepares a signature: prune, place, make kernels. The same signature is prepared once.
  Result<std::shared_ptr<Callable>> MakeCallable(std::vector<Endpoint> feeds,
                                                 std::vector<Endpoint> fetches,
                                                 std::vector<Node*> targets);
  // One step. Feeds and fetches are host tensors in the signature's order.
  Status Run(const Callable& callable, const std::vector<Tensor>& feeds,
             std::vector<Tensor>* fetches) const;
  // Ends the session: later calls are FailedPrecondition, running steps end as they would. What it
  // holds is freed with it.
  Status Close();

 private:
  Status Prepare(Callable* callable);

  const Graph* graph_;
  SessionOptions options_;
  std::unique_ptr<ThreadPool> pool_;
  VariableStore variables_;
  KernelCache kernels_;
  mutable std::mutex mutex_;
  std::map<std::vector<int>, std::shared_ptr<Callable>> callables_;
  std::atomic<bool> closed_{false};
};

}  // namespace tfbuild
