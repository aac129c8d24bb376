#include "session/session.h"

#include "base/fork.h"
#include "base/parallel.h"
#include "base/reserve.h"

namespace tfbuild {
namespace {

// Kernels use all cores themselves; running them beside each other pays where cores are many.
int DefaultInterOpThreads() {
  const int cores = IntraOpTeam::MaxThreads();
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

}  // namespace

DirectSession::DirectSession(const Graph* graph, const SessionOptions& options)
    : graph_(graph), options_(options), kernels_(&variables_) {
  if (options.intra_op_threads > 0) IntraOpTeam::SetMaxThreads(options.intra_op_threads);
  const int threads =
      options.inter_op_threads > 0 ? options.inter_op_threads : DefaultInterOpThreads();
  if (threads > 1) pool_ = std::make_unique<ThreadPool>(threads);
}

DirectSession::~DirectSession() = default;

Result<std::shared_ptr<Callable>> DirectSession::MakeCallable(std::vector<Endpoint> feeds,
                                                              std::vector<Endpoint> fetches,
                                                              std::vector<Node*> targets) {
  if (closed_) return FailedPrecondition("the session is closed");
  auto callable = std::make_shared<Callable>();
  callable->signature_ = {std::move(feeds), std::move(fetches), std::move(targets)};
  const ForkGuard guard;
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int> key = KeyOf(callable->signature_);
  const auto known = callables_.find(key);
  if (known != callables_.end()) return known->second;
  RETURN_IF_ERROR(CheckReserve());
  RETURN_IF_ERROR(Prepare(callable.get()));
  callables_.emplace(std::move(key), callable);
  return callable;
}

// From what was asked to what can run; each line is one step of the session's work.
Status DirectSession::Prepare(Callable* callable) {
  const std::vector<Device*>& devices =
      options_.use_gpu ? LocalDevices() : std::vector<Device*>{CpuDevice()};
  callable->nodes_ = Prune(*graph_, callable->signature_);
  ASSIGN_OR_RETURN(callable->placement_,
                   Place(callable->nodes_, devices, {options_.allow_soft_placement}));
  ASSIGN_OR_RETURN(callable->executor_,
                   Executor::Create(callable->signature_, callable->nodes_, callable->placement_,
                                    &kernels_, pool_.get()));
  return OkStatus();
}

Status DirectSession::Run(const Callable& callable, const std::vector<Tensor>& feeds,
                          std::vector<Tensor>* fetches) const {
  if (closed_) return FailedPrecondition("the session is closed");
  const ForkGuard guard;
  // In a first step kernels start threads and make what later steps find.
  const bool first = !callable.has_run_.load(std::memory_order_relaxed);
  if (first) RETURN_IF_ERROR(CheckReserve());
  const Status status = callable.executor_->Run(feeds, fetches);
  if (first && status.ok()) callable.has_run_.store(true, std::memory_order_relaxed);
  return status;
}

Status DirectSession::Close() {
  closed_ = true;
  const ForkGuard guard;
  std::lock_guard<std::mutex> lock(mutex_);
  callables_.clear();
  return OkStatus();
}

}  // namespace tfbuild
