#include "kernels/framework/gemm_loops.h"

#include <algorithm>
#include <memory>

#include "kernels/framework/vector_target.h"

namespace tfbuild {
namespace {

constexpr int64_t kTileRows = 4;
// Rows of b that are packed together: with the columns of a tile they fill the first-level cache.
constexpr int64_t kDepth = 256;
constexpr int64_t kMaxTileBytes = 128;  // of one row of a tile

// Computes a tile, the product of kTileRows rows of a and `packed`, k rows of b as wide as the
// tile: two vectors. Written with GCC's vectors, so that the tile's sums stay in registers; the
// compiler splits those that are too large for a function's processor, so there are three.
#define TFBUILD_TILE(name, T, bytes, attributes)                                     \
  attributes void name(const T* const* a, int64_t a_col, const T* packed, int64_t k, \
                       T* tile) {                                                    \
    typedef T Vector __attribute__((vector_size(bytes)));                            \
    constexpr int64_t kLanes = bytes / sizeof(T);                                    \
    Vector sum[kTileRows][2] = {};                                                   \
    for (int64_t p = 0; p < k; ++p) {                                                \
      Vector b[2];                                                                   \
      __builtin_memcpy(b, packed + p * 2 * kLanes, sizeof(b));                       \
      for (int64_t row = 0; row < kTileRows; ++row) {                                \
        const T factor = a[row][p * a_col];                                          \
        sum[row][0] += b[0] * factor;                                                \
        sum[row][1] += b[1] * factor;                                                \
      }                                                                              \
    }                                                                                \
    __builtin_memcpy(tile, sum, sizeof(sum));                                        \
  }

#define TFBUILD_TILES(T)                                 \
  TFBUILD_TILE(SmallTile, T, 16, )                       \
  TFBUILD_TILE(MediumTile, T, 32, TFBUILD_FOR_AVX2)      \
  TFBUILD_TILE(LargeTile, T, 64, TFBUILD_FOR_AVX512)
TFBUILD_TILES(double)
TFBUILD_TILES(uint32_t)
TFBUILD_TILES(uint64_t)

// The tile function for this processor, and how wide its tiles are.
template <typename T>
struct TileKernel {
  void (*compute)(const T* const* a, int64_t a_col, const T* packed, int64_t k, T* tile);
  int64_t columns;

  static TileKernel Best() {
    switch (vector_level) {
      case VectorLevel::kAvx512: return {LargeTile, 2 * 64 / sizeof(T)};
      case VectorLevel::kAvx2: return {MediumTile, 2 * 32 / sizeof(T)};
      default: return {SmallTile, 2 * 16 / sizeof(T)};
    }
  }
};

// Copies a block of b, filling rows up with zeros to the width of a tile.
template <typename T>
void Pack(const T* b, int64_t b_row, int64_t depth, int64_t columns, int64_t width, T* packed) {
  for (int64_t p = 0; p < depth; ++p) {
    std::copy_n(b + p * b_row, columns, packed + p * width);
    std::fill_n(packed + p * width + columns, width - columns, T(0));
  }
}

// One block of b against all rows of a.
template <typename T>
void AddBlock(const ProductPart<T>& part, const TileKernel<T>& kernel, const T* packed,
              int64_t depth, int64_t columns) {
  alignas(64) T tile[kTileRows * kMaxTileBytes / sizeof(T)];
  for (int64_t i = 0; i < part.rows; i += kTileRows) {
    const int64_t rows = std::min(kTileRows, part.rows - i);
    const T* a[kTileRows];
    for (int64_t r = 0; r < kTileRows; ++r) {
      a[r] = part.a + (i + std::min(r, rows - 1)) * part.a_row;  // the last row fills up
    }
    kernel.compute(a, part.a_col, packed, depth, tile);
    for (int64_t r = 0; r < rows; ++r) {
      T* c = part.c + (i + r) * part.c_row;
      const T* from = tile + r * kernel.columns;
      for (int64_t j = 0; j < columns; ++j) c[j] += from[j];
    }
  }
}

// A block of b; not on the stack, which may be small.
template <typename T>
struct alignas(64) PackedBlock {
  T values[kDepth * kMaxTileBytes / sizeof(T)];
};

template <typename T>
void AddProductOf(const ProductPart<T>& part) {
  const TileKernel<T> kernel = TileKernel<T>::Best();
  const std::unique_ptr<PackedBlock<T>> block_of_b(new PackedBlock<T>);
  T* const packed = block_of_b->values;
  for (int64_t p = 0; p < part.k; p += kDepth) {
    const int64_t depth = std::min(kDepth, part.k - p);
    for (int64_t j = 0; j < part.n; j += kernel.columns) {
      const int64_t columns = std::min(kernel.columns, part.n - j);
      Pack(part.b + p * part.b_row + j, part.b_row, depth, columns, kernel.columns, packed);
      ProductPart<T> block = part;
      block.a += p * part.a_col;
      block.c += j;
      AddBlock(block, kernel, packed, depth, columns);
    }
  }
}

}  // namespace

void AddProduct(const ProductPart<double>& part) { AddProductOf(part); }
void AddProduct(const ProductPart<uint32_t>& part) { AddProductOf(part); }
void AddProduct(const ProductPart<uint64_t>& part) { AddProductOf(part); }

}  // namespace tfbuild
