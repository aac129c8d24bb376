#include "kernels/random/range_sampler.h"

#include <unordered_set>

#include "base/stop_look.h"

namespace tfbuild {

UnigramSampler::UnigramSampler(int64_t range)
    : RangeSampler(range),
      weights_(static_cast<size_t>(range), 1),
      sums_(static_cast<size_t>(range) + 1),
      total_(static_cast<int32_t>(range)) {
  for (size_t i = 1; i < sums_.size(); ++i) sums_[i] = static_cast<int32_t>(i & (~i + 1));
}

int64_t UnigramSampler::Sample(PhiloxWordStream* words) {
  std::lock_guard<std::mutex> lock(mutex_);
  int32_t left = static_cast<int32_t>(words->Below(static_cast<uint32_t>(total_)));
  size_t place = 0, step = 1;
  while (step * 2 < sums_.size()) step *= 2;
  for (; step > 0; step /= 2) {
    if (place + step >= sums_.size() || sums_[place + step] > left) continue;
    place += step;
    left -= sums_[place];
  }
  return static_cast<int64_t>(place);
}

float UnigramSampler::Probability(int64_t value) {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<float>(weights_[static_cast<size_t>(value)]) / static_cast<float>(total_);
}

void UnigramSampler::Learn(const std::vector<int64_t>& values) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const int64_t value : values) {
    if (total_ == INT32_MAX) return;  // it has learnt all that it can count
    ++total_;
    ++weights_[static_cast<size_t>(value)];
    for (size_t i = static_cast<size_t>(value) + 1; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
  }
}

FixedUnigramSampler::FixedUnigramSampler(int64_t range, std::vector<float> weights, int64_t shards,
                                         int64_t shard)
    : RangeSampler(range), weights_(std::move(weights)), shards_(shards), shard_(shard) {
  double sum = 0;
  for (const float weight : weights_) {
    total_ += weight;
    sum += static_cast<double>(weight);
  }
  const size_t count = weights_.size();
  places_.assign(count, {1, 0});
  std::vector<double> rest(count);
  std::vector<int32_t> full, wanting;
  for (size_t i = 0; i < count; ++i) {
    rest[i] = static_cast<double>(weights_[i]) * static_cast<double>(count) / sum;
    (rest[i] < 1.0 ? wanting : full).push_back(static_cast<int32_t>(i));
    places_[i].alias = static_cast<int32_t>(i);
  }
  while (!full.empty() && !wanting.empty()) {
    const int32_t taker = wanting.back(), giver = full.back();
    wanting.pop_back();
    full.pop_back();
    const size_t t = static_cast<size_t>(taker), g = static_cast<size_t>(giver);
    places_[t] = {static_cast<float>(rest[t]), giver};
    rest[g] -= 1.0 - rest[t];
    (rest[g] < 1.0 ? wanting : full).push_back(giver);
  }
}

int64_t FixedUnigramSampler::Sample(PhiloxWordStream* words) {
  const float point = words->NextFloat();
  const uint32_t drawn = words->Below(static_cast<uint32_t>(places_.size()));
  const Place& place = places_[drawn];
  const int64_t number = point < place.share ? static_cast<int64_t>(drawn) : place.alias;
  return number * shards_ + shard_;
}

float FixedUnigramSampler::Probability(int64_t value) {
  const int64_t place = value / shards_;
  if (value % shards_ != shard_ || place >= static_cast<int64_t>(weights_.size())) return 0;
  return weights_[static_cast<size_t>(place)] / total_;
}

Result<DrawnCandidates> DrawCandidates(RangeSampler* sampler, int64_t count, bool unique,
                                       PhiloxWordStream* words) {
  DrawnCandidates drawn;
  std::unordered_set<int64_t> seen;
  StopLook look;
  while (static_cast<int64_t>(drawn.values.size()) < count) {
    look.Turn();
    if (++drawn.tries > kMostTries) {
      return InvalidArgument("after ", kMostTries, " tries only ", drawn.values.size(), " of ", count,
                             " different candidates were drawn: the others are too unlikely");
    }
    const int64_t value = sampler->Sample(words);
    if (!unique || seen.insert(value).second) drawn.values.push_back(value);
  }
  return drawn;
}

float ExpectedCount(float probability, int64_t count, int64_t tries) {
  if (tries == count) return probability * static_cast<float>(count);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-probability));
}

}  // namespace tfbuild
