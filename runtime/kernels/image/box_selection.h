#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tfbuild {

struct BoxThresholds {
  float overlap = 0.5f;
  float score = -std::numeric_limits<float>::infinity();
  float sigma = 0;  // above 0: an overlap makes scores smaller, and does not rule out by itself
};

struct SelectedBox {
  int32_t box;
  float score;
  size_t seen;  // how many of the selected boxes it was compared with

  // The best score first, of the same the first.
  bool operator<(const SelectedBox& other) const {
    return score == other.score ? box > other.box : score < other.score;
  }
};

// How much two of the boxes have in common, by their numbers.
using BoxOverlap = std::function<float(int32_t, int32_t)>;

// The boxes with the best scores, at most so many, without those that overlap a better one.
std::vector<SelectedBox> SelectBoxes(const BoxOverlap& overlap, const std::vector<float>& scores,
                                     size_t most, const BoxThresholds& thresholds);
// The same of boxes of four numbers, two corners in any order: their overlap is the part of both
// together that they share.
std::vector<SelectedBox> SelectBoxes(const std::vector<float>& boxes, const std::vector<float>& scores,
                                     size_t most, const BoxThresholds& thresholds);

}  // namespace tfbuild
