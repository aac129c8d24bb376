// ResizeNearestNeighbor, ResizeBilinear and their gradients on a GPU. Each thread makes pixels of the
// result; those of a gradient look for the numbers that are theirs, so that none is added to by two.
#include "kernels/framework/cuda_exact_sum.cuh"
#include "kernels/image/resize.h"

namespace tfbuild {
namespace {

// One number of images [batch, rows, cols, channels].
struct ImagePlace {
  int64_t image, row, col, channel;
};

// How many rows and columns there are, for finding the place of a number and the number at one.
struct ImageGrid {
  ImageGrid(int64_t rows, int64_t cols, int64_t channels)
      : rows(rows), cols(cols), channels(channels) {}

  __device__ ImagePlace PlaceOf(int64_t index) const {
    ImagePlace place;
    place.channel = index;
    place.col = channels.Split(&place.channel);
    place.row = cols.Split(&place.col);
    place.image = rows.Split(&place.row);
    return place;
  }
  __device__ int64_t IndexOf(int64_t image, int64_t row, int64_t col, int64_t channel) const {
    return ((image * rows.size + row) * cols.size + col) * channels.size + channel;
  }

  Divider rows, cols, channels;
};

struct Resizing {
  explicit Resizing(const ResizeSizes& sizes)
      : in(sizes.in_rows, sizes.in_cols, sizes.channels),
        out(sizes.out_rows, sizes.out_cols, sizes.channels),
        rows(sizes.rows),
        cols(sizes.cols) {}

  ImageGrid in, out;
  ResizeScale rows, cols;
};

template <typename E>
__global__ void NearestKernel(int64_t elements, Resizing resizing, const E* in, E* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const ImagePlace to = resizing.out.PlaceOf(i);
    const int64_t row = resizing.rows.Nearest(to.row, resizing.in.rows.size);
    const int64_t col = resizing.cols.Nearest(to.col, resizing.in.cols.size);
    out[i] = in[resizing.in.IndexOf(to.image, row, col, to.channel)];
  }
}

template <typename T>
__global__ void BilinearKernel(int64_t elements, Resizing resizing, const T* in, float* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const ImagePlace to = resizing.out.PlaceOf(i);
    const Between y(resizing.rows, to.row, resizing.in.rows.size);
    const Between x(resizing.cols, to.col, resizing.in.cols.size);
    const auto mixed = [&](int64_t row) {
      const auto at = [&](int64_t col) {
        return static_cast<float>(Widen(in[resizing.in.IndexOf(to.image, row, col, to.channel)]));
      };
      const float left = at(x.lower);
      return left + (at(x.upper) - left) * x.share;
    };
    const float above = mixed(y.lower);
    out[i] = above + (mixed(y.upper) - above) * y.share;
  }
}

// The first of `count` numbers from which on `reached` holds; count where it holds of none.
template <typename Reached>
__device__ int64_t FirstFrom(int64_t count, const Reached& reached) {
  int64_t begin = 0;
  while (begin < count) {
    const int64_t middle = begin + (count - begin) / 2;
    if (reached(middle)) {
      count = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

struct Range {
  int64_t begin, end;
};

// The pixels of the result, of `count`, whose nearest in an image of `size` is that one.
__device__ inline Range NearestTo(const ResizeScale& scale, int64_t count, int64_t size,
                                  int64_t pixel) {
  const auto from = [&](int64_t least) {
    return FirstFrom(count, [&](int64_t x) { return scale.Nearest(x, size) >= least; });
  };
  return {from(pixel), from(pixel + 1)};
}

// Those that are mixed of it and another.
__device__ inline Range MixedOf(const ResizeScale& scale, int64_t count, int64_t size,
                                int64_t pixel) {
  return {FirstFrom(count, [&](int64_t x) { return Between(scale, x, size).upper >= pixel; }),
          FirstFrom(count, [&](int64_t x) { return Between(scale, x, size).lower > pixel; })};
}

template <typename T>
__global__ void NearestGradKernel(int64_t elements, Resizing resizing, const T* gradient, T* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const ImagePlace to = resizing.in.PlaceOf(i);
    const ImageGrid& grid = resizing.out;
    const Range rows = NearestTo(resizing.rows, grid.rows.size, resizing.in.rows.size, to.row);
    const Range cols = NearestTo(resizing.cols, grid.cols.size, resizing.in.cols.size, to.col);
    ExactSum<ComputeTypeOf<T>> sum;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      for (int64_t col = cols.begin; col < cols.end; ++col) {
        sum.Add(Widen(gradient[grid.IndexOf(to.image, row, col, to.channel)]));
      }
    }
    out[i] = Narrow<T>::From(sum.value());
  }
}

template <typename T>
__global__ void BilinearGradKernel(int64_t elements, Resizing resizing, const float* gradient,
                                   T* out) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const ImagePlace to = resizing.in.PlaceOf(i);
    const ImageGrid& grid = resizing.out;
    const Range rows = MixedOf(resizing.rows, grid.rows.size, resizing.in.rows.size, to.row);
    const Range cols = MixedOf(resizing.cols, grid.cols.size, resizing.in.cols.size, to.col);
    ExactSum<C> sum;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const Between y(resizing.rows, row, resizing.in.rows.size);
      for (int64_t col = cols.begin; col < cols.end; ++col) {
        const Between x(resizing.cols, col, resizing.in.cols.size);
        const float value = gradient[grid.IndexOf(to.image, row, col, to.channel)];
        const auto add = [&](int64_t at_row, float down, int64_t at_col, float across) {
          if (at_row != to.row || at_col != to.col) return;
          sum.Add(static_cast<C>(RoundedProduct(value, RoundedProduct(down, across))));
        };
        add(y.lower, 1 - y.share, x.lower, 1 - x.share);
        add(y.lower, 1 - y.share, x.upper, x.share);
        add(y.upper, y.share, x.lower, 1 - x.share);
        add(y.upper, y.share, x.upper, x.share);
      }
    }
    out[i] = Narrow<T>::From(sum.value());
  }
}

template <typename... Params, typename... Args>
Status LaunchFor(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& result,
                 void (*kernel)(int64_t, Resizing, Params...), Args... args) {
  CudaDevice* device = CudaDeviceOf(context);
  const int64_t elements = result.num_elements();
  return Launch(device, LoopOver(*device, elements), kernel, elements, Resizing(sizes), args...);
}

template <typename E>
class CudaResizeNearestOp final : public ResizeKernel {
  Status Resize(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    return LaunchFor(context, sizes, *output, NearestKernel<E>, images.data<E>(),
                     output->mutable_data<E>());
  }
};

template <typename T>
class CudaResizeBilinearOp final : public ResizeKernel {
  Status Resize(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& images,
                Tensor* output) const override {
    return LaunchFor(context, sizes, *output, BilinearKernel<T>, images.data<T>(),
                     output->mutable_data<float>());
  }
};

template <typename T>
class CudaResizeNearestGradOp final : public ResizeGradToSizeKernel {
  Status AddUp(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& gradient,
               Tensor* output) const override {
    return LaunchFor(context, sizes, *output, NearestGradKernel<T>, gradient.data<T>(),
                     output->mutable_data<T>());
  }
};

template <typename T>
class CudaResizeBilinearGradOp final : public ResizeGradKernel {
  Status AddUp(OpKernelContext* context, const ResizeSizes& sizes, const Tensor& gradient,
               Tensor* output) const override {
    return LaunchFor(context, sizes, *output, BilinearGradKernel<T>, gradient.data<float>(),
                     output->mutable_data<T>());
  }
};

#define REGISTER(T)                                                                             \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighbor").OnGpu().Type<T>("T").HostMemory("size"),      \
                  CudaResizeNearestOp<T>);                                                      \
  REGISTER_KERNEL(Kernel("ResizeNearestNeighborGrad").OnGpu().Type<T>("T").HostMemory("size"),  \
                  CudaResizeNearestGradOp<T>);                                                  \
  REGISTER_KERNEL(Kernel("ResizeBilinear").OnGpu().Type<T>("T").HostMemory("size"),             \
                  CudaResizeBilinearOp<T>);                                                     \
  REGISTER_KERNEL(Kernel("ResizeBilinearGrad").OnGpu().Type<T>("T"), CudaResizeBilinearGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
REGISTER_KERNEL(Kernel("ResizeNearestNeighbor").OnGpu().Type<uint8_t>("T").HostMemory("size"),
                CudaResizeNearestOp<uint8_t>);
REGISTER_KERNEL(Kernel("ResizeBilinear").OnGpu().Type<uint8_t>("T").HostMemory("size"),
                CudaResizeBilinearOp<uint8_t>);

}  // namespace
}  // namespace tfbuild
