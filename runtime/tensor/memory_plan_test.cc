#include "tensor/memory_plan.h"

#include <algorithm>
#include <random>

#include "tensor/allocator.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

constexpr size_t kKiB = 1024;

// Requests in their order, by when they are taken and given back.
std::vector<MemoryRequest> RandomRequests(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto number = [&random](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::vector<MemoryRequest> requests;
  std::vector<size_t> live;
  for (int time = 0; static_cast<int>(requests.size()) < count; ++time) {
    if (!live.empty() && number(0, 2) == 0) {
      const size_t at = static_cast<size_t>(number(0, static_cast<int>(live.size()) - 1));
      requests[live[at]].given_back = time;
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      MemoryRequest request;
      request.bytes = static_cast<size_t>(number(1, 1000));
      request.taken = time;
      live.push_back(requests.size());
      requests.push_back(request);
    }
  }
  return requests;
}

bool Meet(const MemoryRequest& a, const MemoryRequest& b) {
  return a.taken < b.given_back && b.taken < a.given_back;
}

TEST(MemoryPlan, WhatLivesTogetherDoesNotOverlap) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<MemoryRequest> requests = RandomRequests(seed, 60);
    const MemoryPlan plan = PlanMemory(requests);
    for (size_t a = 0; a < requests.size(); ++a) {
      const MemoryPlan::Place& place = plan.places[a];
      EXPECT_EQ(place.bytes, requests[a].bytes);
      if (requests[a].given_back == MemoryRequest::kNever) {
        EXPECT_EQ(place.offset, MemoryPlan::kNoPlace);
        continue;
      }
      EXPECT_TRUE(place.offset + place.bytes <= plan.block_bytes);
      EXPECT_EQ(plan.starts[static_cast<size_t>(place.start)], place.offset);
      for (size_t b = 0; b < a; ++b) {
        const MemoryPlan::Place& other = plan.places[b];
        if (other.offset == MemoryPlan::kNoPlace || !Meet(requests[a], requests[b])) continue;
        EXPECT_TRUE(place.offset + place.bytes <= other.offset ||
                    other.offset + other.bytes <= place.offset);
      }
    }
  }
}

// Whoever had one of a place's bytes last is among those that are looked at before it is taken.
TEST(MemoryPlan, NamesWhoHadTheBytesBefore) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<MemoryRequest> requests = RandomRequests(seed, 40);
    const MemoryPlan plan = PlanMemory(requests);
    std::vector<int> owners(plan.block_bytes, -1);
    for (size_t k = 0; k < requests.size(); ++k) {
      const MemoryPlan::Place& place = plan.places[k];
      if (place.offset == MemoryPlan::kNoPlace) continue;
      // The bytes up to the next place that is aligned are its own as well.
      const size_t end = (place.offset + place.bytes + kTensorAlignment - 1) / kTensorAlignment *
                         kTensorAlignment;
      bool all_named = true;
      for (size_t byte = place.offset; byte < end; ++byte) {
        all_named &= owners[byte] == -1 || std::count(place.before.begin(), place.before.end(),
                                                      owners[byte]) > 0;
        owners[byte] = static_cast<int>(k);
      }
      EXPECT_TRUE(all_named);
    }
  }
}

TEST(MemoryPlan, UsesBytesAgain) {
  // A chain: each value is read by the next alone, so that two places are enough.
  std::vector<MemoryRequest> chain;
  for (int k = 0; k < 10; ++k) chain.push_back({kKiB, 2 * k, 2 * k + 3});
  EXPECT_EQ(PlanMemory(chain).block_bytes, 2 * kKiB);
  // Two halves fit where a whole one was, which blocks of one size for each cannot.
  const std::vector<MemoryRequest> halves = {{2 * kKiB, 0, 1}, {kKiB, 2, 5}, {kKiB, 3, 4}};
  EXPECT_EQ(PlanMemory(halves).block_bytes, 2 * kKiB);
  EXPECT_EQ(PlanMemory({}).block_bytes, size_t{0});
}

}  // namespace
}  // namespace tfbuild
