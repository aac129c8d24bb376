// Conv3D and its gradients on a GPU: products by cuBLAS, with columns that kernels fill and add up. Each
// thread makes one element, so nothing is added up in an order that could change.
#include "kernels/framework/cuda_gemm.cuh"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/nn/volume_convolution.h"

namespace tfbuild {
namespace {

// Of one spatial dimension.
struct Line {
  int64_t input;
  int64_t pad;
  int64_t dilation;
  Divider output, filter, stride, own;  // `own`: by the input's size
};

struct Volumes {
  Line lines[3];  // depth, rows, columns
  Divider channels;
  int64_t input_pixels, output_pixels, width;
  int64_t first, count;  // pixels of the columns
};

Volumes Describe(const VolumeDimensions& dims, VolumeSteps::Pixels pixels) {
  Volumes made{};
  for (size_t i = 0; i < 3; ++i) {
    const Window& w = dims.windows[i];
    made.lines[i] = {w.input, w.pad_before, w.dilation, Divider(w.output), Divider(w.filter),
                     Divider(w.stride), Divider(w.input)};
  }
  made.channels = Divider(dims.in_channels);
  made.input_pixels = dims.input_pixels();
  made.output_pixels = dims.output_pixels();
  made.width = dims.places() * dims.in_channels;
  made.first = pixels.first;
  made.count = pixels.count;
  return made;
}

template <typename T>
__global__ void TakeColumnsKernel(Volumes v, const T* input, T* columns) {
  for (int64_t i = FirstIndex(); i < v.count * v.width; i += IndexStep()) {
    int64_t channel = i;
    int64_t rest = v.channels.Split(&channel);
    int64_t place[3];
    for (int axis = 2; axis >= 0; --axis) {
      place[axis] = rest;
      rest = v.lines[axis].filter.Split(&place[axis]);
    }
    rest += v.first;  // now the pixel
    int64_t at[3];
    bool inside = true;
    for (int axis = 2; axis >= 0; --axis) {
      const Line& line = v.lines[axis];
      at[axis] = rest;
      rest = line.output.Split(&at[axis]);
      at[axis] = at[axis] * line.stride.size - line.pad + place[axis] * line.dilation;
      inside = inside && at[axis] >= 0 && at[axis] < line.input;
    }
    const int64_t pixel =
        rest * v.input_pixels + (at[0] * v.lines[1].input + at[1]) * v.lines[2].input + at[2];
    columns[i] = inside ? input[pixel * v.channels.size + channel] : Narrow<T>::From(0);
  }
}

// The window of the output that sees `at` from that place of the filter, or -1.
__device__ inline int64_t WindowOf(const Line& line, int64_t at, int64_t place) {
  int64_t beyond = at + line.pad - place * line.dilation;
  if (beyond < 0) return -1;
  const int64_t window = line.stride.Split(&beyond);
  return beyond == 0 && window < line.output.size ? window : -1;
}

// `input` begins with the volume of that number and has `elements`.
template <typename T>
__global__ void AddColumnsKernel(Volumes v, int64_t volume, int64_t elements, const T* columns,
                                 T* input) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t channel = i;
    int64_t rest = v.channels.Split(&channel);
    int64_t at[3];
    for (int axis = 2; axis >= 0; --axis) {
      at[axis] = rest;
      rest = v.lines[axis].own.Split(&at[axis]);
    }
    const int64_t before = (volume + rest) * v.output_pixels - v.first;
    C sum = Widen(input[i]);
    int64_t place = 0;
    for (int64_t p = 0; p < v.lines[0].filter.size; ++p) {
      const int64_t z = WindowOf(v.lines[0], at[0], p);
      for (int64_t q = 0; q < v.lines[1].filter.size; ++q) {
        const int64_t y = WindowOf(v.lines[1], at[1], q);
        for (int64_t r = 0; r < v.lines[2].filter.size; ++r, ++place) {
          const int64_t x = WindowOf(v.lines[2], at[2], r);
          if (z < 0 || y < 0 || x < 0) continue;
          const int64_t pixel =
              before + (z * v.lines[1].output.size + y) * v.lines[2].output.size + x;
          if (pixel < 0 || pixel >= v.count) continue;
          sum += Widen(columns[pixel * v.width + place * v.channels.size + channel]);
        }
      }
    }
    input[i] = Narrow<T>::From(sum);
  }
}

template <typename T>
__global__ void AddKernel(const T* from, int64_t count, T* to) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    to[i] = Narrow<T>::From(Widen(to[i]) + Widen(from[i]));
  }
}

template <typename T>
class CudaVolumeSteps final : public VolumeSteps {
 public:
  explicit CudaVolumeSteps(CudaDevice* device) : device_(device) {}

  int64_t MostColumns() const override { return 1 << 26; }

  Status TakeColumns(const VolumeDimensions& dims, Pixels pixels, const void* input,
                     void* columns) override {
    const Volumes volumes = Describe(dims, pixels);
    return Launch(device_, LoopOver(*device_, volumes.count * volumes.width),
                  TakeColumnsKernel<T>, volumes, static_cast<const T*>(input),
                  static_cast<T*>(columns));
  }

  // Goes through the volumes of which there are pixels.
  Status AddColumns(const VolumeDimensions& dims, Pixels pixels, const void* columns,
                    void* input) override {
    const int64_t size = dims.input_pixels() * dims.in_channels;
    const int64_t first = pixels.first / dims.output_pixels();
    const int64_t last = (pixels.first + pixels.count - 1) / dims.output_pixels();
    const int64_t elements = (last - first + 1) * size;
    return Launch(device_, LoopOver(*device_, elements), AddColumnsKernel<T>,
                  Describe(dims, pixels), first, elements, static_cast<const T*>(columns),
                  static_cast<T*>(input) + first * size);
  }

  Status Multiply(const MatMulSizes& s, const void* a, const void* b, void* c) override {
    return RunCudaGemm(device_, DTypeOf<T>::value, {s.m, s.k, s.n, s.transpose_a, s.transpose_b},
                       a, b, c);
  }

  Status Add(const void* from, int64_t count, void* to) override {
    return Launch(device_, LoopOver(*device_, count), AddKernel<T>, static_cast<const T*>(from),
                  count, static_cast<T*>(to));
  }

 private:
  CudaDevice* device_;
};

template <typename T, ConvPass pass>
class CudaConv3DOp final : public VolumeConvolutionOp {
 public:
  CudaConv3DOp() : VolumeConvolutionOp(pass) {}

 private:
  Status Run(OpKernelContext* context, const VolumeDimensions& dims, const Tensor& first,
             const Tensor& second, Tensor* result) override {
    CudaVolumeSteps<T> steps(CudaDeviceOf(context));
    return RunVolumeConvolution(context, &steps, pass, dims, first, second, result);
  }
};

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("Conv3D").OnGpu().Type<T>("T"), CudaConv3DOp<T, ConvPass::kForward>); \
  REGISTER_KERNEL(                                                                            \
      Kernel("Conv3DBackpropInputV2").OnGpu().Type<T>("T").HostMemory("input_sizes"),         \
      CudaConv3DOp<T, ConvPass::kInput>);                                                     \
  REGISTER_KERNEL(                                                                            \
      Kernel("Conv3DBackpropFilterV2").OnGpu().Type<T>("T").HostMemory("filter_sizes"),       \
      CudaConv3DOp<T, ConvPass::kFilter>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
