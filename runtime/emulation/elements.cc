#include "emulation/elements.h"

#include "tensor/half.h"

namespace emulation {

double Read(Element type, const void* data, int64_t index) {
  switch (type) {
    case Element::kFloat: return static_cast<const float*>(data)[index];
    case Element::kDouble: return static_cast<const double*>(data)[index];
    case Element::kHalf: return static_cast<const tfbuild::Half*>(data)[index];
    case Element::kBFloat16: return static_cast<const tfbuild::BFloat16*>(data)[index];
  }
  return 0;
}

void Write(Element type, void* data, int64_t index, double value) {
  switch (type) {
    case Element::kFloat: static_cast<float*>(data)[index] = static_cast<float>(value); break;
    case Element::kDouble: static_cast<double*>(data)[index] = value; break;
    case Element::kHalf:
      static_cast<tfbuild::Half*>(data)[index] = tfbuild::Half(static_cast<float>(value));
      break;
    case Element::kBFloat16:
      static_cast<tfbuild::BFloat16*>(data)[index] = tfbuild::BFloat16(static_cast<float>(value));
      break;
  }
}

}  // namespace emulation
