#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "graph/graph.h"

namespace tfbuild {

// Which nodes of a function's body stand in branches and loops that are made of Switch, Merge, Enter and
// Exit, as TensorFlow 1's `cond` and `while_loop` are. Who waits for one of them would be in its branch, too.
class BodyBranches {
 public:
  explicit BodyBranches(const Graph& body);
  // Behind which nodes outside of all branches and loops the given ones have happened, or were not to:
  // themselves where they stand outside, else where what comes of them leaves. In the body's order.
  std::vector<const Node*> Ends(const std::vector<const Node*>& nodes) const;

 private:
  // The predicate of a branch, which of its outputs, and which side was taken.
  using Side = std::tuple<const Node*, int, int>;
  struct Where {
    std::set<Side> sides;
    int loops = 0;  // how many are around it
  };
  Where Of(const Endpoint& input) const;
  Where Inside(const Node& node) const;
  void LeaveLoop(Where* where) const;

  std::map<const Node*, Where> where_;
  std::map<const Node*, std::vector<const Node*>> readers_;
};

}  // namespace tfbuild
