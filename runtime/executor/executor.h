#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/thread_pool.h"
#include "graph/graph.h"
#include "kernels/framework/op_kernel.h"
#include "passes/prune.h"

namespace tfbuild {

// The kernels of a session, one for each node and device, shared by all its plans: a random
// number generator goes on where it was, whatever else is fetched with it. Not thread-safe.
class KernelCache {
 public:
  explicit KernelCache(VariableStore* variables) : variables_(variables) {}
  struct Made {
    std::unique_ptr<OpKernel> kernel;
    const KernelRegistration* registration;
  };
  Result<const Made*> Get(const Node& node, Device* device);

 private:
  VariableStore* variables_;
  std::unordered_map<const Node*, std::unordered_map<Device*, Made>> made_;
};

// Runs the nodes of one plan. Made once for each signature; Run may be called by several threads at
// once. A node runs when all its inputs have arrived; each value goes straight into the slots of
// its consumers, the last of which owns it, and is copied where an edge crosses devices.
//
// With a thread pool and a graph that has room for it, expensive kernels run beside each other;
// otherwise the calling thread runs the nodes in topological order, which costs least.
class Executor {
 public:
  // `nodes` in topological order, `placement` one device each. All pointers must outlive the
  // executor. `pool` may be null.
  static Result<std::unique_ptr<Executor>> Create(const RunSignature& signature,
                                                  const std::vector<Node*>& nodes,
                                                  const std::vector<Device*>& placement,
                                                  KernelCache* kernels, ThreadPool* pool);

  // One step. `feeds` are host tensors in the signature's order; `fetches` receives host tensors.
  // The first error of a kernel ends the step.
  Status Run(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches) const;

  int num_nodes() const { return static_cast<int>(items_.size()); }

 private:
  // Where a value comes from.
  struct Source {
    const Node* node;
    Device* device;
    bool on_host;
  };
  // Where a value goes: an input slot of an item, or (item -1) a fetch.
  struct Destination {
    int item;
    int slot;
    Device* device;
    bool on_host;
    bool wants_variable;
  };
  struct Item {
    const Node* node;
    OpKernel* kernel;
    Device* device;
    int first_input;
    int num_inputs;
    int num_outputs;
    int pending;  // inputs and control inputs that come from other items
    bool expensive;
    std::unique_ptr<bool[]> input_on_host;
    std::unique_ptr<bool[]> output_on_host;
    std::vector<std::vector<Destination>> outputs;
    std::vector<int> control_successors;
  };
  struct Step;

  Executor() = default;
  Status AddItems(const std::vector<Node*>& nodes, const std::vector<Device*>& placement,
                  KernelCache* kernels);
  Status Connect(const RunSignature& signature, const std::vector<Node*>& nodes);
  void FindParallelism();
  Status RunStep(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches) const;
  Status CheckFeeds(const std::vector<Tensor>& feeds) const;
  Status DeliverFeeds(const std::vector<Tensor>& feeds, Step* step) const;
  Status RunInOrder(Step* step) const;
  Status RunParallel(Step* step) const;
  void RunItem(int index, Step* step) const;
  void RunReady(int index, Step* step) const;
  // Computes an item and hands its values on; whatever it throws is a Status.
  Status RunOne(const Item& item, Step* step) const;
  Status Compute(const Item& item, Step* step, Entry* outputs) const;
  Status Propagate(const Item& item, Step* step, Entry* outputs) const;
  Status ReadVariables(const Item& item, Entry* inputs) const;
  Status Deliver(Entry value, const Source& source, const std::vector<Destination>& to,
                 Step* step) const;
  Status SynchronizeDevices() const;

  std::vector<Item> items_;
  std::vector<Endpoint> feeds_;
  std::vector<std::vector<Destination>> feed_destinations_;
  std::vector<Device*> gpus_;
  int num_slots_ = 0;
  int num_fetches_ = 0;
  bool parallel_ = false;
  ThreadPool* pool_ = nullptr;
};

}  // namespace tfbuild
