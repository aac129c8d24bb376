#include "kernels/summary/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/wire_format.h"

namespace tfbuild {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

std::vector<double> MakeLimits() {
  std::vector<double> above;
  for (double limit = 1.0e-12; limit < 1.0e20; limit *= 1.1) above.push_back(limit);
  above.push_back(kLargest);
  std::vector<double> limits;
  for (size_t i = above.size(); i > 0; --i) limits.push_back(-above[i - 1]);
  limits.push_back(0.0);
  limits.insert(limits.end(), above.begin(), above.end());
  return limits;
}

const std::vector<double>& Limits() {
  static const std::vector<double> limits = MakeLimits();
  return limits;
}

// Zero is what a field holds that is not written; a negative zero is written.
void WriteField(WireWriter* message, int field, double value) {
  if (value != 0 || std::signbit(value)) message->Double(field, value);
}

}  // namespace

Histogram::Histogram() : counts_(Limits().size(), 0.0), smallest_(kLargest), largest_(-kLargest) {}

void Histogram::Add(double value) {
  const std::vector<double>& limits = Limits();
  const auto place = std::upper_bound(limits.begin(), limits.end() - 1, value);
  counts_[static_cast<size_t>(place - limits.begin())] += 1;
  if (smallest_ > value) smallest_ = value;
  if (largest_ < value) largest_ = value;
  count_ += 1;
  sum_ += value;
  sum_of_squares_ += value * value;
}

std::string Histogram::Serialize() const {
  WireWriter limits;
  WireWriter counts;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) {
      while (i + 1 < counts_.size() && counts_[i + 1] == 0) ++i;
    }
    limits.RawDouble(Limits()[i]);
    counts.RawDouble(counts_[i]);
  }
  WireWriter message;
  WriteField(&message, 1, smallest_);
  WriteField(&message, 2, largest_);
  WriteField(&message, 3, count_);
  WriteField(&message, 4, sum_);
  WriteField(&message, 5, sum_of_squares_);
  message.Bytes(6, limits.Take());
  message.Bytes(7, counts.Take());
  return message.Take();
}

}  // namespace tfbuild
