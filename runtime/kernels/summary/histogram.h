#pragma once

#include <string>
#include <vector>

namespace tfbuild {

// How many values lie where, in TensorFlow's buckets: limits grow by a tenth from 1e-12 to 1e20, on
// both sides of zero.
class Histogram {
 public:
  Histogram();
  void Add(double value);
  // TensorFlow's message HistogramProto; neighbours without values are one bucket in it.
  std::string Serialize() const;

 private:
  std::vector<double> counts_;
  double smallest_;
  double largest_;
  double count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace tfbuild
