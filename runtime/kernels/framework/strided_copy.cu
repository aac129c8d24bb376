// Copies of n-dimensional blocks, fills and zeros in the memory of a GPU.
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

constexpr int kMaxDims = 12;
constexpr int kTile = 32;
constexpr int kTileRows = 8;  // of threads; each copies kTile / kTileRows elements

struct Dims {
  int rank = 0;
  Divider sizes[kMaxDims];
  int64_t from[kMaxDims] = {};
  int64_t to[kMaxDims] = {};

  // The places of element `index` on both sides.
  __device__ void Locate(int64_t index, int64_t* from_at, int64_t* to_at) const {
#pragma unroll 1
    for (int k = rank - 1; k >= 0; --k) {
      int64_t coordinate = index;
      index = k == 0 ? 0 : sizes[k].Split(&coordinate);
      *from_at += coordinate * from[k];
      *to_at += coordinate * to[k];
    }
  }
};

// The first `rank` dimensions of a copy.
Dims MakeDims(const StridedCopy& copy, size_t rank) {
  Dims dims;
  dims.rank = static_cast<int>(rank);
  for (size_t k = 0; k < rank; ++k) {
    dims.sizes[k] = Divider(copy.dims[k]);
    dims.from[k] = copy.from_strides[k];
    dims.to[k] = copy.to_strides[k];
  }
  return dims;
}

template <typename E>
__global__ void CopyKernel(Dims dims, int64_t count, const E* from, E* to) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    int64_t source = 0;
    int64_t target = 0;
    dims.Locate(i, &source, &target);
    to[target] = from[source];
  }
}

// One block transposes tiles of matrices: rows are dense in `to`, columns in `from`.
template <typename E>
__global__ void TransposeKernel(Dims outer, int64_t height, int64_t width, int64_t from_stride,
                                int64_t to_stride, Divider tiles_of_matrix, Divider tiles_across,
                                int64_t tiles, const E* from, E* to) {
  __shared__ E tile[kTile][kTile + 1];  // one more, so that a column lies in different banks
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    int64_t left = t;
    const int64_t matrix = tiles_of_matrix.Split(&left);
    const int64_t top = tiles_across.Split(&left) * kTile;
    left *= kTile;
    int64_t source = 0;
    int64_t target = 0;
    outer.Locate(matrix, &source, &target);
    for (int j = threadIdx.y; j < kTile; j += kTileRows) {
      const int64_t row = top + threadIdx.x;
      const int64_t column = left + j;
      if (row < height && column < width) {
        tile[j][threadIdx.x] = from[source + row + column * from_stride];
      }
    }
    __syncthreads();
    for (int i = threadIdx.y; i < kTile; i += kTileRows) {
      const int64_t row = top + i;
      const int64_t column = left + threadIdx.x;
      if (row < height && column < width) {
        to[target + row * to_stride + column] = tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }
}

template <typename E>
__global__ void FillKernel(const E* value, int64_t count, E* to) {
  const E element = *value;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) to[i] = element;
}

// The dimension along which `from` is dense when `to` is dense along the last one, so that the copy
// transposes; -1 when it does not or is too small for tiles to pay.
int TransposedDim(const StridedCopy& copy) {
  const size_t last = copy.dims.size() - 1;
  if (copy.to_strides[last] != 1 || copy.from_strides[last] <= 1) return -1;
  for (size_t k = 0; k < last; ++k) {
    if (copy.from_strides[k] == 1 && copy.dims[k] >= 4 && copy.dims[last] >= 4) {
      return static_cast<int>(k);
    }
  }
  return -1;
}

template <typename E>
Status Transpose(CudaDevice* device, const StridedCopy& copy, int dense, const E* from, E* to) {
  const size_t column = copy.dims.size() - 1;
  const size_t row = static_cast<size_t>(dense);
  StridedCopy outer;
  for (size_t k = 0; k < column; ++k) {
    if (k != row) outer.AddDim(copy.dims[k], copy.from_strides[k], copy.to_strides[k]);
  }
  const int64_t down = (copy.dims[row] + kTile - 1) / kTile;
  const int64_t across = (copy.dims[column] + kTile - 1) / kTile;
  const int64_t tiles = outer.num_elements() * down * across;
  const int64_t blocks = std::min<int64_t>(tiles, int64_t{device->processors()} * 64);
  const LaunchShape shape{dim3(static_cast<unsigned>(blocks)), dim3(kTile, kTileRows)};
  return Launch(device, shape, TransposeKernel<E>, MakeDims(outer, outer.dims.size()),
                copy.dims[row], copy.dims[column], copy.from_strides[column],
                copy.to_strides[row], Divider(down * across), Divider(across), tiles, from, to);
}

template <typename E>
Status Copy(CudaDevice* device, const StridedCopy& copy, const void* from, void* to) {
  const E* source = static_cast<const E*>(from) + copy.from;
  E* target = static_cast<E*>(to) + copy.to;
  if (copy.dims.size() > kMaxDims) {
    return Unimplemented("copies of more than ", kMaxDims, " dimensions on a GPU");
  }
  if constexpr (sizeof(E) <= 8) {  // wider words are never transposed
    const int dense = TransposedDim(copy);
    if (dense >= 0) return Transpose(device, copy, dense, source, target);
  }
  const int64_t count = copy.num_elements();
  return Launch(device, LoopOver(*device, count), CopyKernel<E>,
                MakeDims(copy, copy.dims.size()), count, source, target);
}

// Whether `number` elements of `size` bytes are whole words.
bool IsWhole(int64_t number, int size, int word) { return number * size % word == 0; }

// Turns the copy into one of 16-byte words where rows are dense on both sides and everything is a
// multiple of them. Answers the size of an element from then on.
int Widen(int size, const void* from, const void* to, StridedCopy* copy) {
  constexpr int kWord = 16;
  const size_t last = copy->dims.size() - 1;
  bool fits = copy->from_strides[last] == 1 && copy->to_strides[last] == 1 &&
              IsWhole(copy->dims[last], size, kWord) && IsWhole(copy->from, size, kWord) &&
              IsWhole(copy->to, size, kWord) && IsAligned<kWord>(static_cast<const char*>(from)) &&
              IsAligned<kWord>(static_cast<const char*>(to));
  for (size_t k = 0; k < last; ++k) {
    fits = fits && IsWhole(copy->from_strides[k], size, kWord) &&
           IsWhole(copy->to_strides[k], size, kWord);
  }
  if (!fits) return size;
  const int64_t ratio = kWord / size;
  copy->dims[last] /= ratio;
  copy->from /= ratio;
  copy->to /= ratio;
  for (size_t k = 0; k < last; ++k) {
    copy->from_strides[k] /= ratio;
    copy->to_strides[k] /= ratio;
  }
  return kWord;
}

bool IsDense(const StridedCopy& copy) {
  return copy.dims.size() == 1 && copy.from_strides[0] == 1 && copy.to_strides[0] == 1;
}

Status CudaCopy(Device* any, const StridedCopy& copy, int size, const void* from, void* to) {
  CudaDevice* device = static_cast<CudaDevice*>(any);
  if (IsDense(copy)) {
    RETURN_IF_ERROR(device->Activate());
    CUDA_RETURN_IF_ERROR(cudaMemcpyAsync(
        static_cast<char*>(to) + copy.to * size, static_cast<const char*>(from) + copy.from * size,
        static_cast<size_t>(copy.dims[0]) * static_cast<size_t>(size), cudaMemcpyDeviceToDevice,
        device->stream()));
    return OkStatus();
  }
  StridedCopy wide = copy;
  switch (Widen(size, from, to, &wide)) {
    case 1: return Copy<uint8_t>(device, wide, from, to);
    case 2: return Copy<uint16_t>(device, wide, from, to);
    case 4: return Copy<uint32_t>(device, wide, from, to);
    case 8: return Copy<uint64_t>(device, wide, from, to);
    case 16: return Copy<uint4>(device, wide, from, to);
    default: return Internal("no copy for elements of ", size, " bytes");
  }
}

template <typename E>
Status Fill(CudaDevice* device, const void* value, int64_t count, void* to) {
  return Launch(device, LoopOver(*device, count), FillKernel<E>, static_cast<const E*>(value),
                count, static_cast<E*>(to));
}

Status CudaFill(Device* any, int size, const void* value, int64_t count, void* to) {
  CudaDevice* device = static_cast<CudaDevice*>(any);
  switch (size) {
    case 1: return Fill<uint8_t>(device, value, count, to);
    case 2: return Fill<uint16_t>(device, value, count, to);
    case 4: return Fill<uint32_t>(device, value, count, to);
    case 8: return Fill<uint64_t>(device, value, count, to);
    case 16: return Fill<uint4>(device, value, count, to);
    default: return Internal("no fill for elements of ", size, " bytes");
  }
}

Status CudaZero(Device* any, void* to, int64_t bytes) {
  CudaDevice* device = static_cast<CudaDevice*>(any);
  RETURN_IF_ERROR(device->Activate());
  CUDA_RETURN_IF_ERROR(cudaMemsetAsync(to, 0, static_cast<size_t>(bytes), device->stream()));
  return OkStatus();
}

[[maybe_unused]] const bool kMoverIsSet =
    SetDataMover(DeviceType::kGpu, {CudaCopy, CudaFill, CudaZero});

}  // namespace
}  // namespace tfbuild
