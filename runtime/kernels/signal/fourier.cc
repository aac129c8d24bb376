#include "kernels/signal/fourier.h"

#include <algorithm>
#include <cmath>

#include "base/stop.h"

namespace tfbuild {
namespace {

constexpr int64_t kLargestFactor = 13;
constexpr int64_t kLook = 4096;  // numbers between two looks whether to go on
constexpr double kPi = 3.14159265358979323846;

// exp(-2 pi i k / n), as exact as sine and cosine are within an eighth of the circle.
Fourier::Number Root(int64_t k, int64_t n) {
  const double eighth = 8.0 * static_cast<double>(k) / static_cast<double>(n);
  const int octant = static_cast<int>(eighth) & 7;
  const bool odd = octant % 2 == 1;
  const double turned = odd ? (octant + 1) - eighth : eighth - octant;
  const double angle = turned * kPi / 4;
  double c = std::cos(angle), s = std::sin(angle);
  if (octant == 1 || octant == 2 || octant == 5 || octant == 6) std::swap(c, s);
  if (octant >= 2 && octant <= 5) c = -c;
  if (octant >= 4) s = -s;
  return {c, -s};
}

}  // namespace

Fourier::~Fourier() = default;

Fourier::Fourier(int64_t size) : size_(size) {
  int64_t rest = size;
  // Fours first: they take fewer multiplications than two twos.
  for (const int64_t factor : {4, 2, 3, 5, 7, 11, 13}) {
    while (rest % factor == 0 && rest > 1) {
      factors_.push_back(factor);
      rest /= factor;
    }
  }
  if (rest == 1) {
    roots_.resize(static_cast<size_t>(size));
    for (int64_t k = 0; k < size; ++k) {
      if (k % kLook == 0) ThrowIfStopped();
      roots_[static_cast<size_t>(k)] = Root(k, size);
    }
    return;
  }
  int64_t length = 1;
  while (length < 2 * size - 1) length *= 2;
  convolution_ = std::make_unique<Fourier>(length);
  chirp_.resize(static_cast<size_t>(size));
  chirp_transform_.resize(static_cast<size_t>(length));
  int64_t square = 0;  // k * k modulo twice the size
  for (int64_t k = 0; k < size; ++k) {
    if (k % kLook == 0) ThrowIfStopped();
    const Number root = Root(square, 2 * size);
    chirp_[static_cast<size_t>(k)] = root;
    chirp_transform_[static_cast<size_t>(k)] = std::conj(root);
    if (k > 0) chirp_transform_[static_cast<size_t>(length - k)] = std::conj(root);
    square = (square + 2 * k + 1) % (2 * size);
  }
  convolution_->Run(chirp_transform_.data(), false);
}

void Fourier::Run(Number* values, bool inverse) const {
  if (size_ <= 1) return;
  if (convolution_) return Bluestein(values, inverse);
  const std::vector<Number> from(values, values + size_);
  Factors(from.data(), 1, values, 0, size_, inverse);
}

void Fourier::Factors(const Number* from, int64_t stride, Number* to, size_t depth, int64_t size,
                      bool inverse) const {
  const int64_t factor = factors_[depth], part = size / factor;
  for (int64_t j = 0; j < factor; ++j) {
    if (part == 1) {
      to[j] = from[j * stride];
    } else {
      Factors(from + j * stride, stride * factor, to + j * part, depth + 1, part, inverse);
    }
  }
  // The root of `size` number k is root k * stride of size_.
  const auto root = [&](int64_t k) {
    const Number value = roots_[static_cast<size_t>(k % size * (size_ / size))];
    return inverse ? std::conj(value) : value;
  };
  const auto times = [](const Number& a, const Number& b) {
    return Number(a.real() * b.real() - a.imag() * b.imag(),
                  a.real() * b.imag() + a.imag() * b.real());
  };
  const auto quarter = [inverse](const Number& a) {  // a * -i, or a * i
    return inverse ? Number(-a.imag(), a.real()) : Number(a.imag(), -a.real());
  };
  Number turned[kLargestFactor];
  for (int64_t k = 0; k < part; ++k) {
    if (k % kLook == kLook - 1) ThrowIfStopped();  // not for each of the many short parts
    turned[0] = to[k];
    for (int64_t j = 1; j < factor; ++j) {
      turned[j] = k == 0 ? to[j * part] : times(to[j * part + k], root(j * k));
    }
    if (factor == 2) {
      to[k] = turned[0] + turned[1];
      to[k + part] = turned[0] - turned[1];
    } else if (factor == 4) {
      const Number even = turned[0] + turned[2], odd = turned[1] + turned[3];
      const Number half = turned[0] - turned[2], other = quarter(turned[1] - turned[3]);
      to[k] = even + odd;
      to[k + part] = half + other;
      to[k + 2 * part] = even - odd;
      to[k + 3 * part] = half - other;
    } else {
      for (int64_t q = 0; q < factor; ++q) {
        Number sum = turned[0];
        for (int64_t j = 1; j < factor; ++j) sum += times(turned[j], root(j * q % factor * part));
        to[k + q * part] = sum;
      }
    }
  }
}

// The transform as a convolution with a chirp: j * k = (j * j + k * k - (j - k) * (j - k)) / 2.
void Fourier::Bluestein(Number* values, bool inverse) const {
  const size_t length = chirp_transform_.size(), size = static_cast<size_t>(size_);
  std::vector<Number> work(length);
  for (size_t k = 0; k < size; ++k) {
    work[k] = (inverse ? std::conj(values[k]) : values[k]) * chirp_[k];
  }
  convolution_->Run(work.data(), false);
  for (size_t k = 0; k < length; ++k) work[k] *= chirp_transform_[k];
  convolution_->Run(work.data(), true);
  const double scale = 1 / static_cast<double>(length);
  for (size_t k = 0; k < size; ++k) {
    const Number value = work[k] * scale * chirp_[k];
    values[k] = inverse ? std::conj(value) : value;
  }
}

}  // namespace tfbuild
