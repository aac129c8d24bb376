#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "passes/plan_graph.h"
#include "tensor/device.h"

namespace tfbuild {

struct PlacementOptions {
  // A request that cannot be met is dropped instead of being an error.
  bool allow_soft_placement = true;
};

// Where each node of a session's graph runs: on the requested device, else the first GPU that has a
// kernel, else the CPU. Nodes that hand a variable's reference or a resource to each other, that
// name the same variable, or that a "_class" attribute ("loc:@name") colocates, share a device; and
// what has state stays where a plan has first used it. So the whole graph decides, not the part that
// one call needs. Numbers of the host (int32, what decides between branches) are on the host of the
// GPU that they would share. Not thread-safe.
class Placement {
 public:
  // `devices` begins with CPU:0.
  Placement(std::vector<Device*> devices, const PlacementOptions& options);
  // Takes in the nodes that the graph has got since the last call. It never has fewer.
  void Update(const Graph& graph);
  Result<Device*> DeviceOf(const Node& node);
  // Gives each node of the plan its device, and keeps those with state there for good.
  Status Place(PlanGraph* plan);

 private:
  // Nodes that share a device, or one that stays where it is.
  struct Group {
    std::vector<const Node*> members;
    Device* pinned = nullptr;
    std::optional<Result<Device*>> found;
    bool torn = false;  // pinned to two devices
  };
  int Find(int id);
  // The group of a node, which gets one of its own if it has none.
  Group& GroupFor(const Node* node);
  void Join(const Node* a, const Node* b);
  void Add(Node* node);
  void JoinColocated(const Graph& graph, const Node& node);
  Result<Device*> Requested(const Group& group) const;
  Result<Device*> DeviceOfMade(const PlanNode& node) const;
  Result<Device*> Choose(const Group& group) const;

  std::vector<Device*> devices_;
  PlacementOptions options_;
  // A union-find forest over node ids; the group of a set is that of its root. Most nodes are in none.
  std::vector<int> parent_;
  std::unordered_map<int, Group> groups_;
  std::vector<Device*> alone_;  // of those, by id, once somebody has asked
  std::map<std::string, const Node*> variables_;  // the first node of each
};

// The device that a request such as "/gpu:0", "/device:GPU:0" or a full name asks for; null for an
// empty request, NotFound when it is not among `devices`, InvalidArgument when it is malformed.
Result<Device*> FindRequestedDevice(const std::string& request,
                                    const std::vector<Device*>& devices);

}  // namespace tfbuild
