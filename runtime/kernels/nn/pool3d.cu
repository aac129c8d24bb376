// MaxPool3D and AvgPool3D with their gradients on a GPU. Each thread makes one element of the result, so
// nothing is added up in an order that could change.
#include "kernels/framework/cuda_group.cuh"
#include "kernels/nn/slide.cuh"
#include "kernels/nn/volume_dimensions.h"

namespace tfbuild {
namespace {

struct Pool {
  Slide slides[3];  // depth, rows, columns
  Divider inputs[3], outputs[3];
  Divider channels;  // 1 where channels are first: each is a volume then
  int64_t input_pixels, output_pixels;
};

struct Place {
  int64_t volume, channel;
  int64_t at[3];
};

__device__ inline Place Locate(const Pool& pool, const Divider* sizes, int64_t index) {
  Place place;
  place.channel = index;
  index = pool.channels.Split(&place.channel);
  for (int axis = 2; axis >= 0; --axis) {
    place.at[axis] = index;
    index = sizes[axis].Split(&place.at[axis]);
  }
  place.volume = index;
  return place;
}

// Where the first element of the channel of a volume is, and how far a pixel is from there.
__device__ inline int64_t InputStart(const Pool& pool, const Place& place) {
  return place.volume * pool.input_pixels * pool.channels.size + place.channel;
}
__device__ inline int64_t OutputStart(const Pool& pool, const Place& place) {
  return place.volume * pool.output_pixels * pool.channels.size + place.channel;
}
__device__ inline int64_t Pixel(const Pool& pool, const Divider* sizes, int64_t z, int64_t y,
                                int64_t x) {
  return ((z * sizes[1].size + y) * sizes[2].size + x) * pool.channels.size;
}

// Calls body(offset from InputStart) for each input under the window at `at`, in order, until it
// returns false.
template <typename Body>
__device__ inline void ForEachInput(const Pool& pool, const int64_t* at, const Body& body) {
  const Slide* s = pool.slides;
  for (int64_t z = s[0].Begin(at[0]); z < s[0].End(at[0]); ++z) {
    for (int64_t y = s[1].Begin(at[1]); y < s[1].End(at[1]); ++y) {
      for (int64_t x = s[2].Begin(at[2]); x < s[2].End(at[2]); ++x) {
        if (!body(Pixel(pool, pool.inputs, z, y, x))) return;
      }
    }
  }
}

// Calls body(offset from OutputStart, window) for each window that covers the input at `at`.
template <typename Body>
__device__ inline void ForEachWindow(const Pool& pool, const int64_t* at, const Body& body) {
  const Slide* s = pool.slides;
  int64_t window[3];
  for (window[0] = s[0].First(at[0]); window[0] <= s[0].Last(at[0]); ++window[0]) {
    for (window[1] = s[1].First(at[1]); window[1] <= s[1].Last(at[1]); ++window[1]) {
      for (window[2] = s[2].First(at[2]); window[2] <= s[2].Last(at[2]); ++window[2]) {
        body(Pixel(pool, pool.outputs, window[0], window[1], window[2]), window);
      }
    }
  }
}

__device__ inline int64_t SizeOf(const Pool& pool, const int64_t* at) {
  int64_t size = 1;
  for (int axis = 0; axis < 3; ++axis) {
    size *= pool.slides[axis].End(at[axis]) - pool.slides[axis].Begin(at[axis]);
  }
  return size;
}

template <typename T, bool kAverage>
__global__ void PoolKernel(Pool pool, int64_t count, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.outputs, i);
    const T* volume = in + InputStart(pool, place);
    C value = kAverage ? C(0) : MaximumOf::Identity<C>();
    ForEachInput(pool, place.at, [&](int64_t pixel) {
      const C x = Widen(volume[pixel]);
      value = kAverage ? value + x : MaximumOf::Combine(value, x);
      return true;
    });
    if (kAverage) value /= static_cast<C>(SizeOf(pool, place.at));
    out[i] = Narrow<T>::From(value);
  }
}

// A gradient goes to the first input of its window that equals its maximum. NaN counts as equal to NaN.
template <typename T>
__global__ void MaxPoolGradKernel(Pool pool, int64_t count, const T* in, const T* out,
                                  const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.inputs, i);
    const int64_t start = InputStart(pool, place);
    const int64_t output = OutputStart(pool, place);
    C sum = 0;
    ForEachWindow(pool, place.at, [&](int64_t offset, const int64_t* window) {
      const C maximum = Widen(out[output + offset]);
      bool mine = false;
      ForEachInput(pool, window, [&](int64_t pixel) {
        const C x = Widen(in[start + pixel]);
        if (!(x == maximum || (x != x && maximum != maximum))) return true;
        mine = start + pixel == i;
        return false;
      });
      if (mine) sum += Widen(grad[output + offset]);
    });
    result[i] = Narrow<T>::From(sum);
  }
}

template <typename T>
__global__ void AvgPoolGradKernel(Pool pool, int64_t count, const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.inputs, i);
    const T* from = grad + OutputStart(pool, place);
    C sum = 0;
    ForEachWindow(pool, place.at, [&](int64_t offset, const int64_t* window) {
      sum += Widen(from[offset]) / static_cast<C>(SizeOf(pool, window));
    });
    result[i] = Narrow<T>::From(sum);
  }
}

// `dims` is never of an empty tensor here.
Pool MakePool(const VolumeDimensions& dims) {
  Pool pool{};
  for (size_t i = 0; i < 3; ++i) {
    pool.slides[i] = MakeSlide(dims.windows[i]);
    pool.inputs[i] = Divider(dims.windows[i].input);
    pool.outputs[i] = Divider(dims.windows[i].output);
  }
  pool.channels = Divider(dims.channels_last ? dims.in_channels : 1);
  pool.input_pixels = dims.input_pixels();
  pool.output_pixels = dims.output_pixels();
  return pool;
}

class CudaPool3DOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadVolumeAttrs(construction, true));
    return OkStatus();
  }

 protected:
  static Status CheckPooled(const char* name, const Tensor& tensor, const VolumeDimensions& dims) {
    if (tensor.shape() == dims.output_shape()) return OkStatus();
    return InvalidArgument(name, " has shape ", tensor.shape(), " but the pooled shape is ",
                           dims.output_shape());
  }
  VolumeSliding sliding_;
};

template <typename T, bool kAverage>
class CudaForwardPool3DOp final : public CudaPool3DOp {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const VolumeDimensions dims,
                     MakeVolumePoolDimensions(sliding_, input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    const int64_t count = output->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), PoolKernel<T, kAverage>, MakePool(dims), count,
                  input.data<T>(), output->mutable_data<T>());
  }
};

// Inputs: the pooling's input, its output, and the gradient of that.
template <typename T>
class CudaMaxPool3DGradOp final : public CudaPool3DOp {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const VolumeDimensions dims,
                     MakeVolumePoolDimensions(sliding_, input.shape()));
    RETURN_IF_ERROR(CheckPooled("orig_output", context->input(1), dims));
    RETURN_IF_ERROR(CheckPooled("grad", context->input(2), dims));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, input.shape()));
    const int64_t count = result->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), MaxPoolGradKernel<T>, MakePool(dims), count,
                  input.data<T>(), context->input(1).data<T>(), context->input(2).data<T>(),
                  result->mutable_data<T>());
  }
};

// Inputs: the shape of the pooling's input, and the gradient of its output.
template <typename T>
class CudaAvgPool3DGradOp final : public CudaPool3DOp {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(1);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const VolumeDimensions dims, MakeVolumePoolDimensions(sliding_, shape));
    RETURN_IF_ERROR(CheckPooled("grad", gradient, dims));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, shape));
    const int64_t count = result->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), AvgPoolGradKernel<T>, MakePool(dims), count,
                  gradient.data<T>(), result->mutable_data<T>());
  }
};

#define REGISTER_AVERAGE(T)                                                                      \
  REGISTER_KERNEL(Kernel("AvgPool3D").OnGpu().Type<T>("T"), CudaForwardPool3DOp<T, true>);       \
  REGISTER_KERNEL(Kernel("AvgPool3DGrad").OnGpu().Type<T>("T").HostMemory("orig_input_shape"),   \
                  CudaAvgPool3DGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER_AVERAGE)
#undef REGISTER_AVERAGE

#define REGISTER_MAXIMUM(T)                                                                 \
  REGISTER_KERNEL(Kernel("MaxPool3D").OnGpu().Type<T>("T"), CudaForwardPool3DOp<T, false>); \
  REGISTER_KERNEL(Kernel("MaxPool3DGrad").OnGpu().Type<T>("T").Type<T>("TInput"),           \
                  CudaMaxPool3DGradOp<T>);
REGISTER_MAXIMUM(float)
REGISTER_MAXIMUM(Half)
REGISTER_MAXIMUM(BFloat16)
#undef REGISTER_MAXIMUM

}  // namespace
}  // namespace tfbuild
