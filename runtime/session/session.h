#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fork.h"
#include "executor/executor.h"
#include "graph/graph.h"
#include "kernels/framework/function_runtime.h"
#include "kernels/framework/resource_manager.h"
#include "passes/passes.h"
#include "passes/place.h"

namespace tfbuild {

struct SessionOptions {
  // Threads inside a kernel; 0: the cores this process may use. Process-wide, the last one counts.
  int intra_op_threads = 0;
  // Expensive kernels that may run beside each other; 0: chosen by the number of cores.
  int inter_op_threads = 0;
  bool allow_soft_placement = true;
  bool use_gpu = true;
  // Devices CPU:0, CPU:1 and so on; they share the memory and the cores.
  int num_cpus = 1;
  // Write to the standard error output which GPUs there are, and once where each node runs.
  bool log_device_placement = false;
  // What to run on, CPU:0 first; empty: all that this process has.
  std::vector<Device*> devices;
  PassOptions passes;
};

// A longer time is no limit: the clock cannot count to its end.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365 * 100);

struct StepOptions {
  std::chrono::milliseconds timeout{0};  // 0: none
  // Called now and then on the calling thread while the step runs; an error ends it. Null: nobody.
  std::function<Status()> look = nullptr;
  StepTrace* trace = nullptr;  // set: filled with what the step did
};

// What a call of MakeCallable prepared: the part of the graph that it needs, placed, rewritten and
// laid out with its kernels.
class Callable {
 public:
  const RunSignature& signature() const { return signature_; }
  const Program& program() const { return executor_->program(); }
  int64_t planned_steps() const { return executor_->planned_steps(); }
  int64_t replays() const { return executor_->replays(); }
  // Of the graph, when this was prepared: right as long as the graph has no other.
  int64_t graph_version() const { return graph_version_; }

 private:
  friend class DirectSession;
  RunSignature signature_;
  int64_t graph_version_ = 0;
  std::vector<PassRecord> passes_;  // once somebody has asked
  std::unique_ptr<Executor> executor_;
  mutable std::atomic<bool> has_run_{false};
};

// Runs parts of one graph in this process, and owns its variables. The graph may grow between
// calls and must outlive the session. Run may be called by several threads at once, also while the
// graph changes; MakeCallable only while nobody changes it.
class DirectSession {
 public:
  DirectSession(const Graph* graph, const SessionOptions& options);
  ~DirectSession();

  // Prepares a signature: prune, place, rewrite, make kernels. The same signature is prepared once
  // for each version of the graph; of many signatures the latest used are kept.
  Result<std::shared_ptr<Callable>> MakeCallable(std::vector<Endpoint> feeds,
                                                 std::vector<Endpoint> fetches,
                                                 std::vector<Node*> targets);
  // One step. Feeds and fetches are host tensors in the signature's order.
  Status Run(const Callable& callable, const std::vector<Tensor>& feeds,
             std::vector<Tensor>* fetches, const StepOptions& options = {}) const;
  // The same of a program that is tiny and has run, for a caller who holds a lock under which nobody
  // forks and which those may want who hold what the step needs: nothing, and no effect, where it
  // would have to wait, or the program is another.
  std::optional<Status> RunTiny(const Callable& callable, const std::vector<Tensor>& feeds,
                                std::vector<Tensor>* fetches) const;
  // Ends the session: later calls are FailedPrecondition, running steps are cancelled. What it holds
  // is freed with it.
  Status Close();
  // What each pass did to the plan of a callable, and the plan behind it; lives as long as the
  // callable. Planned again for who asks first: the texts take more memory than the plan.
  Result<const std::vector<PassRecord>*> Explain(Callable* callable);
  // What a signature becomes, as a GraphDef for each device, by its name.
  Result<std::map<std::string, GraphDef>> PartitionGraphs(const RunSignature& signature);
  // How many signatures are prepared.
  size_t num_callables() const;

  static constexpr size_t kMaxCallables = 1024;

 private:
  // FailedPrecondition where the session runs nothing any longer.
  Status CheckUsable() const;
  using Key = std::vector<int>;
  // A step among those that run, while this lives.
  class Running;
  struct Prepared {
    Key key;
    std::shared_ptr<Callable> callable;
  };
  Result<PlanGraph> Plan(const RunSignature& signature, const PassOptions& options,
                         std::vector<PassRecord>* passes);
  Status Prepare(Callable* callable);
  void LogPlacement(const PlanGraph& plan);
  // Ends the steps that run, and what runs behind steps.
  void Cancel(const Status& why) const;
  void Keep(Key key, std::shared_ptr<Callable> callable);

  const Graph* graph_;
  SessionOptions options_;
  std::unique_ptr<ThreadPool> pool_;
  mutable ResourceManager resources_;
  std::shared_ptr<FunctionRuntime> functions_;
  KernelCache kernels_;
  Placement placement_;
  std::set<std::string> logged_;  // nodes whose device has been written
  mutable std::mutex mutex_;
  std::list<Prepared> callables_;  // the latest used first
  std::map<Key, std::list<Prepared>::iterator> by_key_;
  std::atomic<bool> closed_{false};
  mutable std::mutex running_mutex_;
  mutable Running* running_ = nullptr;  // the first of a list
  mutable std::atomic<int64_t> next_step_{1};
  const CancelledByEnd cancelled_by_end_;  // last: it cancels what is above
};

}  // namespace tfbuild
