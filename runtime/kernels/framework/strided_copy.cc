#include "kernels/framework/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/parallel.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

constexpr int64_t kStridedCopyGrain = 32768;  // elements that are worth a thread
constexpr int64_t kCopyTile = 64;  // a tile of both sides fits the second-level cache
constexpr int64_t kLine = 64;  // bytes that the cache takes in at once

// Walks the first `outer` dimensions of a copy and keeps both offsets.
class Odometer {
 public:
  Odometer(const StridedCopy& copy, size_t outer, int64_t start)
      : copy_(copy), index_(outer), from_(copy.from), to_(copy.to) {
    for (size_t k = outer; k-- > 0;) {
      index_[k] = start % copy.dims[k];
      start /= copy.dims[k];
      from_ += index_[k] * copy.from_strides[k];
      to_ += index_[k] * copy.to_strides[k];
    }
  }
  void Next() {
    for (size_t k = index_.size(); k-- > 0;) {
      const bool carry = ++index_[k] == copy_.dims[k];
      const int64_t steps = carry ? 1 - copy_.dims[k] : 1;
      from_ += steps * copy_.from_strides[k];
      to_ += steps * copy_.to_strides[k];
      if (!carry) return;
      index_[k] = 0;
    }
  }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }

 private:
  const StridedCopy& copy_;
  std::vector<int64_t> index_;
  int64_t from_;
  int64_t to_;
};

template <typename E>
void CopyRow(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::copy_n(from, count, to);
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, count, *from);
  } else if (to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * from_stride];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

template <typename E>
void CopyRows(const StridedCopy& copy, const E* from, E* to) {
  const size_t last = copy.dims.size() - 1;
  const int64_t width = copy.dims[last];
  const int64_t from_stride = copy.from_strides[last];
  const int64_t to_stride = copy.to_strides[last];
  ParallelFor(copy.num_elements(), kStridedCopyGrain, [&](int64_t begin, int64_t end) {
    Odometer odometer(copy, last, begin / width);
    for (int64_t column = begin % width; begin < end; column = 0, odometer.Next()) {
      const int64_t count = std::min(width - column, end - begin);
      CopyRow(from + odometer.from() + column * from_stride, from_stride,
              to + odometer.to() + column * to_stride, to_stride, count);
      begin += count;
    }
  });
}

// to[i][j] = from[j][i] for four by four elements, rows being strides apart.
void TransposeFour(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride) {
  typedef uint32_t Four __attribute__((vector_size(16)));
  Four rows[4];
  for (int64_t j = 0; j < 4; ++j) __builtin_memcpy(&rows[j], from + j * from_stride, 16);
  const Four a = __builtin_shuffle(rows[0], rows[1], Four{0, 4, 1, 5});
  const Four b = __builtin_shuffle(rows[0], rows[1], Four{2, 6, 3, 7});
  const Four c = __builtin_shuffle(rows[2], rows[3], Four{0, 4, 1, 5});
  const Four d = __builtin_shuffle(rows[2], rows[3], Four{2, 6, 3, 7});
  rows[0] = __builtin_shuffle(a, c, Four{0, 1, 4, 5});
  rows[1] = __builtin_shuffle(a, c, Four{2, 3, 6, 7});
  rows[2] = __builtin_shuffle(b, d, Four{0, 1, 4, 5});
  rows[3] = __builtin_shuffle(b, d, Four{2, 3, 6, 7});
  for (int64_t i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &rows[i], 16);
}

// Whether rows so many bytes apart push each other out of the first-level cache.
bool PushOut(int64_t bytes) { return bytes % 1024 == 0; }

// The same for a square whose rows are whole lines. Each line is read and written once: a second look
// would wait for what others have pushed out.
template <typename E>
void TransposeLines(const E* from, int64_t from_stride, E* to, int64_t to_stride) {
  constexpr int64_t kSide = kLine / sizeof(E);
  E rows[kSide * kSide], columns[kSide * kSide];
  // Each row of `to` is a page of its own, across which no processor looks ahead by itself.
  for (int64_t i = 0; i < kSide; ++i) __builtin_prefetch(to + i * to_stride + kSide, 1);
  for (int64_t j = 0; j < kSide; ++j) std::memcpy(rows + j * kSide, from + j * from_stride, kLine);
  if constexpr (std::is_same<E, uint32_t>::value) {
    for (int64_t i = 0; i < kSide; i += 4) {
      for (int64_t j = 0; j < kSide; j += 4) {
        TransposeFour(rows + i + j * kSide, kSide, columns + i * kSide + j, kSide);
      }
    }
  } else {
    for (int64_t i = 0; i < kSide; ++i) {
      for (int64_t j = 0; j < kSide; ++j) columns[i * kSide + j] = rows[i + j * kSide];
    }
  }
  for (int64_t i = 0; i < kSide; ++i) std::memcpy(to + i * to_stride, columns + i * kSide, kLine);
}

// Of any size: four by four, and one by one.
template <typename E>
void TransposeAny(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t height,
                   int64_t width) {
  int64_t done = 0;  // rows of `to`
  if constexpr (std::is_same<E, uint32_t>::value) {
    const int64_t fours = width / 4 * 4;
    for (; done + 4 <= height; done += 4) {
      for (int64_t j = 0; j < fours; j += 4) {
        TransposeFour(from + done + j * from_stride, from_stride, to + done * to_stride + j,
                      to_stride);
      }
      for (int64_t j = fours; j < width; ++j) {
        for (int64_t i = done; i < done + 4; ++i) to[i * to_stride + j] = from[i + j * from_stride];
      }
    }
  }
  for (int64_t i = done; i < height; ++i) {
    for (int64_t j = 0; j < width; ++j) to[i * to_stride + j] = from[i + j * from_stride];
  }
}

template <typename E>
void TransposeTile(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t height,
                   int64_t width) {
  constexpr int64_t kSize = sizeof(E), kSide = kLine / kSize;
  int64_t whole_height = 0, whole_width = 0;
  if (!PushOut(from_stride * kSize) && !PushOut(to_stride * kSize)) {
    return TransposeAny(from, from_stride, to, to_stride, height, width);
  }
  if constexpr (std::is_trivially_copyable<E>::value) {
    whole_height = height / kSide * kSide;
    whole_width = width / kSide * kSide;
    for (int64_t i = 0; i < whole_height; i += kSide) {
      for (int64_t j = 0; j < whole_width; j += kSide) {
        TransposeLines(from + i + j * from_stride, from_stride, to + i * to_stride + j, to_stride);
      }
    }
  }
  TransposeAny(from + whole_width * from_stride, from_stride, to + whole_width, to_stride,
               whole_height, width - whole_width);
  TransposeAny(from + whole_height, from_stride, to + whole_height * to_stride, to_stride,
               height - whole_height, width);
}

// The last two dimensions are a matrix to transpose: down its first `from` is dense, along its
// second `to` is dense. Tiles keep the lines of both in cache.
template <typename E>
void CopyTiles(const StridedCopy& copy, const E* from, E* to) {
  const size_t last = copy.dims.size() - 1;
  const int64_t height = copy.dims[last - 1];
  const int64_t width = copy.dims[last];
  const int64_t from_stride = copy.from_strides[last];
  const int64_t to_stride = copy.to_strides[last - 1];
  const int64_t bands = (height + kCopyTile - 1) / kCopyTile;
  const int64_t matrices = copy.num_elements() / (height * width);
  const int64_t grain = std::max<int64_t>(1, kStridedCopyGrain / (std::min(height, kCopyTile) * width));
  ParallelFor(matrices * bands, grain, [&](int64_t begin, int64_t end) {
    Odometer odometer(copy, last - 1, begin / bands);
    for (int64_t band = begin; band < end; ++band) {
      const int64_t top = band % bands * kCopyTile;
      const int64_t bottom = std::min(top + kCopyTile, height);
      const E* source = from + odometer.from();
      E* target = to + odometer.to();
      for (int64_t left = 0; left < width; left += kCopyTile) {
        const int64_t right = std::min(left + kCopyTile, width);
        TransposeTile(source + top + left * from_stride, from_stride,
                      target + top * to_stride + left, to_stride, bottom - top, right - left);
      }
      if (bottom == height) odometer.Next();
    }
  });
}

// Puts a dimension along which `from` is dense just before the last one, along which `to` is; false
// when the copy is not of that kind.
bool ArrangeTiles(StridedCopy* copy) {
  const size_t last = copy->dims.size() - 1;
  if (copy->to_strides[last] != 1 || copy->from_strides[last] <= 1) return false;
  for (size_t k = 0; k < last; ++k) {
    if (copy->from_strides[k] != 1) continue;
    for (auto* list : {&copy->dims, &copy->from_strides, &copy->to_strides}) {
      std::rotate(list->begin() + static_cast<int64_t>(k),
                  list->begin() + static_cast<int64_t>(k) + 1,
                  list->begin() + static_cast<int64_t>(last));
    }
    return true;
  }
  return false;
}

template <typename E>
void CopyElements(const StridedCopy& copy, const void* from, void* to) {
  StridedCopy tiled = copy;
  if (ArrangeTiles(&tiled)) {
    CopyTiles(tiled, static_cast<const E*>(from), static_cast<E*>(to));
  } else {
    CopyRows(copy, static_cast<const E*>(from), static_cast<E*>(to));
  }
}

template <typename E>
void FillElements(const void* value, int64_t count, void* to) {
  const E element = *static_cast<const E*>(value);
  E* target = static_cast<E*>(to);
  ParallelFor(count, kStridedCopyGrain, [=](int64_t begin, int64_t end) {
    std::fill(target + begin, target + end, element);
  });
}

Status CpuCopy(Device*, const StridedCopy& copy, int size, const void* from, void* to) {
  switch (size) {
    case 1: CopyElements<uint8_t>(copy, from, to); break;
    case 2: CopyElements<uint16_t>(copy, from, to); break;
    case 4: CopyElements<uint32_t>(copy, from, to); break;
    case 8: CopyElements<uint64_t>(copy, from, to); break;
    case 16: CopyElements<std::complex<double>>(copy, from, to); break;
    default: return Internal("no copy for elements of ", size, " bytes");
  }
  return OkStatus();
}

Status CpuFill(Device*, int size, const void* value, int64_t count, void* to) {
  switch (size) {
    case 1: FillElements<uint8_t>(value, count, to); break;
    case 2: FillElements<uint16_t>(value, count, to); break;
    case 4: FillElements<uint32_t>(value, count, to); break;
    case 8: FillElements<uint64_t>(value, count, to); break;
    case 16: FillElements<std::complex<double>>(value, count, to); break;
    default: return Internal("no fill for elements of ", size, " bytes");
  }
  return OkStatus();
}

Status CpuZero(Device*, void* to, int64_t bytes) {
  char* target = static_cast<char*>(to);
  ParallelFor(bytes, 8 * kStridedCopyGrain, [=](int64_t begin, int64_t end) {
    std::memset(target + begin, 0, static_cast<size_t>(end - begin));
  });
  return OkStatus();
}

std::array<DataMover, 2>& Movers() {
  static std::array<DataMover, 2> movers{{{CpuCopy, CpuFill, CpuZero}, {}}};
  return movers;
}

Result<const DataMover*> MoverOf(OpKernelContext* context) {
  const DataMover& mover = Movers()[static_cast<size_t>(context->device()->type())];
  if (mover.copy == nullptr) {
    return Unimplemented("this build moves no data on ", context->device()->name());
  }
  return &mover;
}

}  // namespace

int64_t StridedCopy::num_elements() const {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

StridedCopy StridedCopy::Collapsed() const {
  StridedCopy result;
  result.from = from;
  result.to = to;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    const bool merge = !result.dims.empty() &&
                       result.from_strides.back() == from_strides[k] * dims[k] &&
                       result.to_strides.back() == to_strides[k] * dims[k];
    if (!merge) {
      result.AddDim(dims[k], from_strides[k], to_strides[k]);
      continue;
    }
    result.dims.back() *= dims[k];
    result.from_strides.back() = from_strides[k];
    result.to_strides.back() = to_strides[k];
  }
  if (result.dims.empty()) result.AddDim(1, 1, 1);
  return result;
}

std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  uint64_t stride = 1;  // wraps around where an array is empty, and means nothing there
  for (size_t k = dims.size(); k-- > 0;) {
    strides[k] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[k]);
  }
  return strides;
}

bool SetDataMover(DeviceType type, const DataMover& mover) {
  Movers()[static_cast<size_t>(type)] = mover;
  return true;
}

Status RunStridedCopy(OpKernelContext* context, const StridedCopy& copy, const Tensor& from,
                      Tensor* to) {
  if (copy.num_elements() == 0) return OkStatus();
  const StridedCopy collapsed = copy.Collapsed();
  if (from.dtype() == DType::kString) {  // objects of the host on every device
    CopyElements<std::string>(collapsed, from.raw(), to->raw());
    return OkStatus();
  }
  if (from.dtype() == DType::kVariant) {
    CopyElements<Variant>(collapsed, from.raw(), to->raw());
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const DataMover* mover, MoverOf(context));
  return mover->copy(context->device(), collapsed, DTypeSize(from.dtype()), from.raw(), to->raw());
}

Status RunFill(OpKernelContext* context, const Tensor& value, Tensor* to) {
  if (to->num_elements() == 0) return OkStatus();
  if (value.dtype() == DType::kString) {
    FillElements<std::string>(value.raw(), to->num_elements(), to->raw());
    return OkStatus();
  }
  if (value.dtype() == DType::kVariant) {
    FillElements<Variant>(value.raw(), to->num_elements(), to->raw());
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const DataMover* mover, MoverOf(context));
  return mover->fill(context->device(), DTypeSize(value.dtype()), value.raw(), to->num_elements(),
                     to->raw());
}

Status RunZero(OpKernelContext* context, Tensor* to) {
  const bool objects = to->dtype() == DType::kString || to->dtype() == DType::kVariant;
  if (to->num_elements() == 0 || objects) return OkStatus();  // which are made empty
  ASSIGN_OR_RETURN(const DataMover* mover, MoverOf(context));
  return mover->zero(context->device(), to->raw(), static_cast<int64_t>(to->num_bytes()));
}

}  // namespace tfbuild
