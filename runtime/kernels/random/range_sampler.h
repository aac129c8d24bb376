#pragma once

#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status.h"
#include "kernels/random/philox_words.h"

namespace tfbuild {

// Which numbers of [0, range) candidate samplers draw, and how likely each is. Thread-safe.
class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;
  int64_t range() const { return range_; }
  virtual int64_t Sample(PhiloxWordStream* words) = 0;
  virtual float Probability(int64_t value) = 0;
  // Learns that these were asked for.
  virtual void Learn(const std::vector<int64_t>&) {}

 private:
  const int64_t range_;
};

class UniformSampler final : public RangeSampler {
 public:
  explicit UniformSampler(int64_t range) : RangeSampler(range) {}
  int64_t Sample(PhiloxWordStream* words) override {
    return static_cast<int64_t>(words->Below64(static_cast<uint64_t>(range())));
  }
  float Probability(int64_t) override { return 1.0f / static_cast<float>(range()); }
};

// Small numbers are the likely ones, as ranks of words are by Zipf's law.
class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t Sample(PhiloxWordStream* words) override {
    const double drawn = std::exp(words->NextDouble() * log_range_);
    return (static_cast<int64_t>(drawn) - 1) % range();  // rounding may reach the range itself
  }
  float Probability(int64_t value) override {
    const double at = static_cast<double>(value);
    return static_cast<float>(std::log((at + 2.0) / (at + 1.0)) / log_range_);
  }

 private:
  const double log_range_;
};

// How often each number was learnt, and once more: sums of powers of two (Fenwick), so that both
// learning and drawing take as many steps as the range has bits.
class UnigramSampler final : public RangeSampler {
 public:
  explicit UnigramSampler(int64_t range);
  int64_t Sample(PhiloxWordStream* words) override;
  float Probability(int64_t value) override;
  void Learn(const std::vector<int64_t>& values) override;

 private:
  std::mutex mutex_;
  std::vector<int32_t> weights_;
  std::vector<int32_t> sums_;  // at i, of the last (i & -i) weights up to i, counted from 1
  int32_t total_;
};

// Given weights, of which this shard has each `shards`-th; drawn by Vose's table of aliases.
class FixedUnigramSampler final : public RangeSampler {
 public:
  FixedUnigramSampler(int64_t range, std::vector<float> weights, int64_t shards, int64_t shard);
  int64_t Sample(PhiloxWordStream* words) override;
  float Probability(int64_t value) override;

 private:
  struct Place {
    float share;    // how much of this place is its own
    int32_t alias;  // whose the rest is
  };
  const std::vector<float> weights_;
  const int64_t shards_;
  const int64_t shard_;
  float total_ = 0;
  std::vector<Place> places_;
};

// Everything, in order.
class AllSampler final : public RangeSampler {
 public:
  explicit AllSampler(int64_t range) : RangeSampler(range) {}
  int64_t Sample(PhiloxWordStream*) override { return 0; }
  float Probability(int64_t) override { return 1; }
};

// What one step draws.
struct DrawnCandidates {
  std::vector<int64_t> values;
  int64_t tries = 0;
};

// A few seconds.
constexpr int64_t kMostTries = int64_t{1} << 28;

// Draws `count` numbers, all different where `unique`; then count <= range.
Result<DrawnCandidates> DrawCandidates(RangeSampler* sampler, int64_t count, bool unique,
                                       PhiloxWordStream* words);
// How often a number of that probability is expected among `count` that took so many tries.
float ExpectedCount(float probability, int64_t count, int64_t tries);

}  // namespace tfbuild
