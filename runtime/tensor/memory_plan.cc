#include "tensor/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tensor/allocator.h"

namespace tfbuild {
namespace {

size_t Aligned(size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

bool Meet(const MemoryRequest& a, const MemoryRequest& b) {
  return a.taken < b.given_back && b.taken < a.given_back;
}

// The lowest offset at which nothing else lies in the request's time.
size_t LowestFit(const std::vector<MemoryRequest>& requests, const MemoryPlan& plan,
                 const std::vector<size_t>& placed, const MemoryRequest& request) {
  std::vector<std::pair<size_t, size_t>> taken;  // from, to
  for (const size_t other : placed) {
    if (!Meet(requests[other], request)) continue;
    const size_t from = plan.places[other].offset;
    taken.emplace_back(from, from + Aligned(requests[other].bytes));
  }
  std::sort(taken.begin(), taken.end());
  size_t at = 0;
  for (const auto& [from, to] : taken) {
    if (at + Aligned(request.bytes) <= from) break;
    at = std::max(at, to);
  }
  return at;
}

// Who had the bytes of each place last: a map from where a piece begins to its owner, and to the end
// of the block where nobody was.
void FindOwnersBefore(MemoryPlan* plan) {
  constexpr int kNobody = -1;
  std::map<size_t, int> owners = {{0, kNobody}};
  for (size_t k = 0; k < plan->places.size(); ++k) {
    MemoryPlan::Place& place = plan->places[k];
    if (place.offset == MemoryPlan::kNoPlace) continue;
    const size_t end = place.offset + Aligned(place.bytes);
    const auto cut = [&owners](size_t at) {
      const auto next = owners.upper_bound(at);
      return owners.emplace(at, std::prev(next)->second).first;
    };
    const auto first = cut(place.offset);
    const auto last = cut(end);
    for (auto piece = first; piece != last; ++piece) {
      const int owner = piece->second;
      if (owner == kNobody) continue;
      if (std::count(place.before.begin(), place.before.end(), owner) == 0) {
        place.before.push_back(owner);
      }
    }
    owners.erase(first, last);
    owners[place.offset] = static_cast<int>(k);
  }
}

}  // namespace

MemoryPlan PlanMemory(const std::vector<MemoryRequest>& requests) {
  MemoryPlan plan;
  plan.places.resize(requests.size());
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return requests[a].bytes > requests[b].bytes;
  });
  std::vector<size_t> placed;
  for (const size_t k : order) {
    plan.places[k].bytes = requests[k].bytes;
    if (requests[k].given_back == MemoryRequest::kNever) continue;
    const size_t offset = LowestFit(requests, plan, placed, requests[k]);
    plan.places[k].offset = offset;
    plan.block_bytes = std::max(plan.block_bytes, offset + Aligned(requests[k].bytes));
    plan.starts.push_back(offset);
    placed.push_back(k);
  }
  std::sort(plan.starts.begin(), plan.starts.end());
  plan.starts.erase(std::unique(plan.starts.begin(), plan.starts.end()), plan.starts.end());
  for (const size_t k : placed) {
    MemoryPlan::Place& place = plan.places[k];
    place.start = static_cast<int>(
        std::lower_bound(plan.starts.begin(), plan.starts.end(), place.offset) -
        plan.starts.begin());
  }
  FindOwnersBefore(&plan);
  return plan;
}

}  // namespace tfbuild
