#include "session/session.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>

#include "base/fork.h"
#include "base/parallel.h"
#include "base/reserve.h"
#include "kernels/framework/step_context.h"
#include "passes/prune.h"
#include "session/session_functions.h"

namespace tfbuild {
namespace {

// Kernels use all cores themselves; running them beside each other pays where cores are many.
int DefaultInterOpThreads() {
  const int cores = MaxThreads();
  return cores >= 8 ? cores / 4 : 0;
}

std::vector<int> KeyOf(const RunSignature& signature) {
  std::vector<int> key;
  for (const Endpoint& feed : signature.feeds) {
    key.push_back(feed.node->id());
    key.push_back(feed.index);
  }
  key.push_back(-1);
  for (const Endpoint& fetch : signature.fetches) {
    key.push_back(fetch.node->id());
    key.push_back(fetch.index);
  }
  key.push_back(-1);
  for (const Node* target : signature.targets) key.push_back(target->id());
  return key;
}

// As TensorFlow words it: processors are no "known devices".
void LogDevices(const std::vector<Device*>& devices) {
  std::string lines;
  for (const Device* device : devices) {
    if (device->type() == DeviceType::kCpu) continue;
    lines += StrCat("\n", device->name(), " -> device: ", device->ordinal(), ", name: ",
                    device->description());
  }
  std::fprintf(stderr, "Device mapping:%s\n", lines.empty() ? " no known devices." : lines.c_str());
}

std::vector<Device*> DevicesOf(const SessionOptions& options) {
  return options.devices.empty() ? SessionDevices(options.num_cpus, options.use_gpu)
                                 : options.devices;
}

}  // namespace

class DirectSession::Running {
 public:
  Running(const DirectSession* session, StepContext* step) : session_(session), step_(step) {
    std::lock_guard<std::mutex> lock(session->running_mutex_);
    next_ = session->running_;
    if (next_ != nullptr) next_->before_ = this;
    session->running_ = this;
    // One that a Close has not seen, since it came later.
    if (session->closed_) step->Fail(Closed());
  }
  ~Running() {
    std::lock_guard<std::mutex> lock(session_->running_mutex_);
    (before_ == nullptr ? session_->running_ : before_->next_) = next_;
    if (next_ != nullptr) next_->before_ = before_;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // The caller holds running_mutex_, so that no step ends meanwhile.
  static void CancelAll(Running* first, const Status& why) {
    for (Running* running = first; running != nullptr; running = running->next_) {
      running->step_->Fail(why);
    }
  }

  static Status Closed() {
    return Status(Code::kCancelled, "Step was cancelled by an explicit call to `Session::Close()`.");
  }

 private:
  const DirectSession* session_;
  StepContext* step_;
  Running* before_ = nullptr;
  Running* next_ = nullptr;
};

DirectSession::DirectSession(const Graph* graph, const SessionOptions& options)
    : graph_(graph),
      options_(options),
      functions_(MakeFunctionRuntime(graph, DevicesOf(options)[0], options.passes, &resources_)),
      kernels_(&resources_),
      placement_(DevicesOf(options), {options.allow_soft_placement}),
      cancelled_by_end_([this] { Cancel(Status(Code::kCancelled, "the process has ended")); }) {
  if (options.intra_op_threads > 0) SetMaxThreads(options.intra_op_threads);
  const int threads =
      options.inter_op_threads > 0 ? options.inter_op_threads : DefaultInterOpThreads();
  if (threads > 1) pool_ = std::make_unique<ThreadPool>(threads);
  if (options.log_device_placement) LogDevices(DevicesOf(options));
}

DirectSession::~DirectSession() { functions_->End(); }

Status DirectSession::CheckUsable() const {
  if (closed_) return FailedPrecondition("the session is closed");
  return CheckForked();
}

Result<std::shared_ptr<Callable>> DirectSession::MakeCallable(std::vector<Endpoint> feeds,
                                                              std::vector<Endpoint> fetches,
                                                              std::vector<Node*> targets) {
  RETURN_IF_ERROR(CheckUsable());
  auto callable = std::make_shared<Callable>();
  callable->signature_ = {std::move(feeds), std::move(fetches), std::move(targets)};
  const ForkGuard guard;
  std::lock_guard<std::mutex> lock(mutex_);
  callable->graph_version_ = graph_->version();
  Key key = KeyOf(callable->signature_);
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    callables_.splice(callables_.begin(), callables_, known->second);
    const std::shared_ptr<Callable>& prepared = known->second->callable;
    if (prepared->graph_version() == graph_->version()) return prepared;
    callables_.pop_front();
    by_key_.erase(known);
  }
  RETURN_IF_ERROR(CheckReserve());
  RETURN_IF_ERROR(Prepare(callable.get()));
  Keep(std::move(key), callable);
  return callable;
}

void DirectSession::Keep(Key key, std::shared_ptr<Callable> callable) {
  callables_.push_front({key, std::move(callable)});
  by_key_[std::move(key)] = callables_.begin();
  if (callables_.size() <= kMaxCallables) return;
  by_key_.erase(callables_.back().key);
  callables_.pop_back();
}

size_t DirectSession::num_callables() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return callables_.size();
}

void DirectSession::LogPlacement(const PlanGraph& plan) {
  for (const PlanNode* node : plan.nodes()) {
    if (node->feed != kNoFeed || !logged_.insert(node->name()).second) continue;
    std::fprintf(stderr, "%s: (%s): %s\n", node->name().c_str(), node->op().c_str(),
                 node->device->name().c_str());
  }
}

// From what was asked to what can run; each line is one step of the session's work.
Result<PlanGraph> DirectSession::Plan(const RunSignature& signature, const PassOptions& options,
                                      std::vector<PassRecord>* passes) {
  ASSIGN_OR_RETURN(PlanGraph plan, Prune(*graph_, signature));
  ASSIGN_OR_RETURN(*passes, RunInlining(options, &plan));
  placement_.Update(*graph_);
  RETURN_IF_ERROR(placement_.Place(&plan));
  if (options_.log_device_placement) LogPlacement(plan);
  ASSIGN_OR_RETURN(auto rewritten, RunPasses(options, &plan));
  std::move(rewritten.begin(), rewritten.end(), std::back_inserter(*passes));
  return plan;
}

Status DirectSession::Prepare(Callable* callable) {
  std::vector<PassRecord> passes;
  ASSIGN_OR_RETURN(PlanGraph plan, Plan(callable->signature_, options_.passes, &passes));
  passes.clear();
  ASSIGN_OR_RETURN(std::unique_ptr<Program> program, Program::Create(std::move(plan), &kernels_));
  callable->executor_ = std::make_unique<Executor>(std::move(program), pool_.get());
  return OkStatus();
}

Result<const std::vector<PassRecord>*> DirectSession::Explain(Callable* callable) {
  if (closed_) return FailedPrecondition("the session is closed");
  const ForkGuard guard;
  std::lock_guard<std::mutex> lock(mutex_);
  if (callable->passes_.empty()) {
    std::vector<PassRecord> passes;
    PassOptions options = options_.passes;
    options.keep_dumps = true;
    RETURN_IF_ERROR(Plan(callable->signature_, options, &passes).status());
    callable->passes_ = std::move(passes);
  }
  return &callable->passes_;
}

Result<std::map<std::string, GraphDef>> DirectSession::PartitionGraphs(
    const RunSignature& signature) {
  RETURN_IF_ERROR(CheckUsable());
  const ForkGuard guard;
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<PassRecord> passes;
  ASSIGN_OR_RETURN(const PlanGraph plan, Plan(signature, options_.passes, &passes));
  return ToGraphDefs(plan);
}

Status DirectSession::Run(const Callable& callable, const std::vector<Tensor>& feeds,
                          std::vector<Tensor>* fetches, const StepOptions& options) const {
  RETURN_IF_ERROR(CheckUsable());
  const ForkGuard guard;
  // In a first step kernels start threads and make what later steps find.
  const bool first = !callable.has_run_.load(std::memory_order_relaxed);
  if (first) RETURN_IF_ERROR(CheckReserve());
  StepContext step(next_step_.fetch_add(1, std::memory_order_relaxed), &resources_);
  step.trace = options.trace;
  const bool has_limit = options.timeout.count() > 0 && options.timeout < kForever;
  if (has_limit) step.deadline = StepContext::Clock::now() + options.timeout;
  const bool is_brief = callable.program().brief;
  StepWatch watch;
  if (options.look && !is_brief) {
    watch.look = [&options] {
      const ForkAllowed allowed;  // the caller's code
      return options.look();
    };
    step.watch = &watch;
  }
  std::optional<Running> running;
  if (!is_brief) running.emplace(this, &step);
  const Status status = callable.executor_->Run(feeds, fetches, &step);
  if (first && status.ok()) callable.has_run_.store(true, std::memory_order_relaxed);
  return status;
}

std::optional<Status> DirectSession::RunTiny(const Callable& callable,
                                             const std::vector<Tensor>& feeds,
                                             std::vector<Tensor>* fetches) const {
  if (!callable.program().tiny || !callable.has_run_.load(std::memory_order_relaxed)) return {};
  RETURN_IF_ERROR(CheckUsable());
  StepContext step(next_step_.fetch_add(1, std::memory_order_relaxed), &resources_);
  step.may_wait = false;
  const Status status = callable.executor_->Run(feeds, fetches, &step);
  if (status.code() == Code::kUnavailable) return {};
  return status;
}

void DirectSession::Cancel(const Status& why) const {
  {
    std::lock_guard<std::mutex> lock(running_mutex_);
    Running::CancelAll(running_, why);
  }
  functions_->background()->Fail(why);
}

Status DirectSession::Close() {
  closed_ = true;
  if (!CheckForked().ok()) return OkStatus();  // nothing runs here, nor is anything to be touched
  const ForkGuard guard;
  Cancel(Running::Closed());
  std::lock_guard<std::mutex> lock(mutex_);
  by_key_.clear();
  callables_.clear();
  return OkStatus();
}

}  // namespace tfbuild
