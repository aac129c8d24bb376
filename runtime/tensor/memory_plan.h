#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tfbuild {

// One allocation of a step. Times count what was taken and given back before.
struct MemoryRequest {
  static constexpr int kNever = std::numeric_limits<int>::max();
  size_t bytes = 0;
  int taken = 0;
  int given_back = kNever;  // within the step
};

// Where a step's allocations lie in one block, so that those that live at the same time do not
// overlap. What outlives the step is not in the block.
struct MemoryPlan {
  static constexpr size_t kNoPlace = std::numeric_limits<size_t>::max();
  struct Place {
    size_t bytes = 0;
    size_t offset = kNoPlace;
    int start = 0;             // in `starts`
    std::vector<int> before;   // allocations whose bytes these were; they must be given back
  };
  std::vector<Place> places;   // in the order of the requests
  std::vector<size_t> starts;  // all offsets, ascending
  size_t block_bytes = 0;
};

// The plan for these requests, which are in the order of `taken`. Large ones are placed first, each as
// low as it fits.
MemoryPlan PlanMemory(const std::vector<MemoryRequest>& requests);

}  // namespace tfbuild
