#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/complex.h"

namespace tfbuild {

// Discrete Fourier transforms of one length, in double: n log n steps for every n, by its prime
// factors where they are small, else by Bluestein's convolution. Never changes once it is made.
class Fourier {
 public:
  using Number = std::complex<double>;
  explicit Fourier(int64_t size);
  ~Fourier();

  int64_t size() const { return size_; }
  // Transforms `size` numbers in place: sum over j of x[j] * exp(-2 pi i j k / size), with + where
  // inverse (and no division).
  void Run(Number* values, bool inverse) const;

 private:
  void Factors(const Number* from, int64_t stride, Number* to, size_t depth, int64_t size,
               bool inverse) const;
  void Bluestein(Number* values, bool inverse) const;

  int64_t size_;
  std::vector<int64_t> factors_;
  std::vector<Number> roots_;  // exp(-2 pi i k / size)
  // For a size with a large prime factor.
  std::unique_ptr<Fourier> convolution_;  // of a power of two
  std::vector<Number> chirp_;
  std::vector<Number> chirp_transform_;
};

}  // namespace tfbuild
