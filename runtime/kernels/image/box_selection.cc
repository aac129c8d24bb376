#include "kernels/image/box_selection.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "base/stop_look.h"

namespace tfbuild {
namespace {

// The part of both boxes together that they share; corners may come in any order.
float Overlap(const float* a, const float* b) {
  const auto low = [](const float* box, int i) { return std::min(box[i], box[i + 2]); };
  const auto high = [](const float* box, int i) { return std::max(box[i], box[i + 2]); };
  const auto area = [&](const float* box) {
    return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1));
  };
  const float area_a = area(a), area_b = area(b);
  if (!(area_a > 0) || !(area_b > 0)) return 0;
  const float rows = std::max(std::min(high(a, 0), high(b, 0)) - std::max(low(a, 0), low(b, 0)), 0.0f);
  const float cols = std::max(std::min(high(a, 1), high(b, 1)) - std::max(low(a, 1), low(b, 1)), 0.0f);
  const float shared = rows * cols;
  return shared / (area_a + area_b - shared);
}

// Lowers the score for boxes that are selected already; false where one of them rules it out.
bool Compare(const BoxOverlap& overlap_of, const std::vector<SelectedBox>& selected,
             const BoxThresholds& thresholds, SelectedBox* next) {
  constexpr size_t kLook = 4096;  // boxes between two looks whether to go on
  for (size_t j = selected.size(); j-- > next->seen;) {
    if (j % kLook == kLook - 1) ThrowIfStopped();
    const float overlap = overlap_of(next->box, selected[j].box);
    const bool is_soft = thresholds.sigma > 0;
    if (!is_soft && overlap > thresholds.overlap) return false;
    if (is_soft) {  // however large the overlap is
      next->score *= std::exp(-0.5f / thresholds.sigma * overlap * overlap);
    } else if (!(overlap <= thresholds.overlap)) {
      next->score = 0;
    }
    if (next->score <= thresholds.score) break;
  }
  return true;
}

}  // namespace

std::vector<SelectedBox> SelectBoxes(const BoxOverlap& overlap, const std::vector<float>& scores,
                                     size_t most, const BoxThresholds& thresholds) {
  std::priority_queue<SelectedBox> queue;
  StopLook look;
  for (size_t i = 0; i < scores.size(); ++i) {
    look.Turn();
    if (scores[i] > thresholds.score) queue.push({static_cast<int32_t>(i), scores[i], 0});
  }
  std::vector<SelectedBox> selected;
  while (selected.size() < most && !queue.empty()) {
    look.Turn();
    SelectedBox next = queue.top();
    queue.pop();
    const float before = next.score;
    if (!Compare(overlap, selected, thresholds, &next)) continue;
    next.seen = selected.size();
    if (next.score == before) {
      selected.push_back(next);
    } else if (next.score > thresholds.score) {
      queue.push(next);
    }
  }
  return selected;
}

std::vector<SelectedBox> SelectBoxes(const std::vector<float>& boxes, const std::vector<float>& scores,
                                     size_t most, const BoxThresholds& thresholds) {
  const BoxOverlap overlap = [&boxes](int32_t a, int32_t b) {
    return Overlap(&boxes[4 * static_cast<size_t>(a)], &boxes[4 * static_cast<size_t>(b)]);
  };
  return SelectBoxes(overlap, scores, most, thresholds);
}

}  // namespace tfbuild
