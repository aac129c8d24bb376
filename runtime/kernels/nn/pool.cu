// MaxPool and AvgPool with their gradients on a GPU. Each thread makes one element of the result,
// so nothing is added up in an order that could change.
#include <string>

#include "kernels/framework/cuda_group.cuh"
#include "kernels/nn/slide.cuh"

namespace tfbuild {
namespace {

struct Pool {
  Slide rows;
  Slide cols;
  // Distances in elements.
  int64_t input_batch, input_row, input_col, input_channel;
  int64_t output_batch, output_row, output_col, output_channel;
  // Of an array's dimensions, to take an index apart: the innermost first.
  bool channels_first;
  Divider channels, input_rows, input_cols, output_rows, output_cols;
};

struct Place {
  int64_t batch, row, col, channel;
};

__device__ Place Locate(const Pool& pool, const Divider& rows, const Divider& cols, int64_t index) {
  Place place;
  if (pool.channels_first) {
    place.col = index;
    index = cols.Split(&place.col);
    place.row = index;
    index = rows.Split(&place.row);
    place.channel = index;
    place.batch = pool.channels.Split(&place.channel);
  } else {
    place.channel = index;
    index = pool.channels.Split(&place.channel);
    place.col = index;
    index = cols.Split(&place.col);
    place.row = index;
    place.batch = rows.Split(&place.row);
  }
  return place;
}

__device__ int64_t InputPlane(const Pool& pool, const Place& place) {
  return place.batch * pool.input_batch + place.channel * pool.input_channel;
}
__device__ int64_t OutputPlane(const Pool& pool, const Place& place) {
  return place.batch * pool.output_batch + place.channel * pool.output_channel;
}

template <typename T, bool kAverage>
__global__ void PoolKernel(Pool pool, int64_t count, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.output_rows, pool.output_cols, i);
    const T* plane = in + InputPlane(pool, place);
    const int64_t top = pool.rows.Begin(place.row);
    const int64_t bottom = pool.rows.End(place.row);
    const int64_t left = pool.cols.Begin(place.col);
    const int64_t right = pool.cols.End(place.col);
    C value = kAverage ? C(0) : MaximumOf::Identity<C>();
    for (int64_t row = top; row < bottom; ++row) {
      for (int64_t col = left; col < right; ++col) {
        const C x = Widen(plane[row * pool.input_row + col * pool.input_col]);
        value = kAverage ? value + x : MaximumOf::Combine(value, x);
      }
    }
    if (kAverage) value /= static_cast<C>((bottom - top) * (right - left));
    out[i] = Narrow<T>::From(value);
  }
}

// Whether element (row, col) is the first of its window that equals the window's maximum. NaN
// counts as equal to NaN.
template <typename T>
__device__ bool IsFirstMaximum(const Pool& pool, const T* plane, int64_t window_row,
                               int64_t window_col, int64_t row, int64_t col,
                               ComputeTypeOf<T> maximum) {
  using C = ComputeTypeOf<T>;
  const auto is_maximum = [&](int64_t r, int64_t c) {
    const C x = Widen(plane[r * pool.input_row + c * pool.input_col]);
    return x == maximum || (x != x && maximum != maximum);
  };
  if (!is_maximum(row, col)) return false;
  const int64_t left = pool.cols.Begin(window_col);
  const int64_t right = pool.cols.End(window_col);
  for (int64_t r = pool.rows.Begin(window_row); r <= row; ++r) {
    const int64_t end = r == row ? col : right;
    for (int64_t c = left; c < end; ++c) {
      if (is_maximum(r, c)) return false;
    }
  }
  return true;
}

template <typename T>
__global__ void MaxPoolGradKernel(Pool pool, int64_t count, const T* in, const T* out,
                                  const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.input_rows, pool.input_cols, i);
    const T* plane = in + InputPlane(pool, place);
    const int64_t output_plane = OutputPlane(pool, place);
    C sum = 0;
    for (int64_t r = pool.rows.First(place.row); r <= pool.rows.Last(place.row); ++r) {
      for (int64_t c = pool.cols.First(place.col); c <= pool.cols.Last(place.col); ++c) {
        const int64_t at = output_plane + r * pool.output_row + c * pool.output_col;
        if (IsFirstMaximum(pool, plane, r, c, place.row, place.col, Widen(out[at]))) {
          sum += Widen(grad[at]);
        }
      }
    }
    result[i] = Narrow<T>::From(sum);
  }
}

template <typename T>
__global__ void AvgPoolGradKernel(Pool pool, int64_t count, const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place place = Locate(pool, pool.input_rows, pool.input_cols, i);
    const T* plane = grad + OutputPlane(pool, place);
    C sum = 0;
    for (int64_t r = pool.rows.First(place.row); r <= pool.rows.Last(place.row); ++r) {
      for (int64_t c = pool.cols.First(place.col); c <= pool.cols.Last(place.col); ++c) {
        const int64_t size = (pool.rows.End(r) - pool.rows.Begin(r)) *
                             (pool.cols.End(c) - pool.cols.Begin(c));
        sum += Widen(plane[r * pool.output_row + c * pool.output_col]) / static_cast<C>(size);
      }
    }
    result[i] = Narrow<T>::From(sum);
  }
}

// `shape` is never empty here.
Pool MakePool(const PoolDimensions& dims) {
  Pool pool{};
  pool.rows = MakeSlide(dims.rows);
  pool.cols = MakeSlide(dims.cols);
  pool.channels_first = dims.format == DataFormat::kNCHW;
  pool.channels = Divider(dims.channels);
  pool.input_rows = Divider(dims.rows.input);
  pool.input_cols = Divider(dims.cols.input);
  pool.output_rows = Divider(dims.rows.output);
  pool.output_cols = Divider(dims.cols.output);
  const int64_t input_area = dims.rows.input * dims.cols.input;
  const int64_t output_area = dims.rows.output * dims.cols.output;
  pool.input_batch = input_area * dims.channels;
  pool.output_batch = output_area * dims.channels;
  const int64_t step = pool.channels_first ? 1 : dims.channels;
  pool.input_col = pool.output_col = step;
  pool.input_row = dims.cols.input * step;
  pool.output_row = dims.cols.output * step;
  pool.input_channel = pool.channels_first ? input_area : 1;
  pool.output_channel = pool.channels_first ? output_area : 1;
  return pool;
}

class CudaPoolOp : public OpKernel {
 protected:
  Status ReadAttrs(const OpKernelConstruction& construction, bool has_explicit_paddings) {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, has_explicit_paddings));
    return OkStatus();
  }
  Sliding sliding_;
};

template <typename T, bool kAverage>
class CudaForwardPoolOp final : public CudaPoolOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadAttrs(construction, !kAverage);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
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
class CudaMaxPoolGradOp final : public CudaPoolOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadAttrs(construction, true);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& output = context->input(1);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    if (output.shape() != dims.output_shape() || gradient.shape() != dims.output_shape()) {
      return InvalidArgument("orig_output and grad must have shape ", dims.output_shape(),
                             " but have ", output.shape(), " and ", gradient.shape());
    }
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, input.shape()));
    const int64_t count = result->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), MaxPoolGradKernel<T>, MakePool(dims), count,
                  input.data<T>(), output.data<T>(), gradient.data<T>(),
                  result->mutable_data<T>());
  }
};

// Inputs: the shape of the pooling's input, and the gradient of its output.
template <typename T>
class CudaAvgPoolGradOp final : public CudaPoolOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadAttrs(construction, false);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(1);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, shape));
    if (gradient.shape() != dims.output_shape()) {
      return InvalidArgument("grad must have shape ", dims.output_shape(), " but has ",
                             gradient.shape());
    }
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, shape));
    const int64_t count = result->num_elements();
    if (count == 0) return OkStatus();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, count), AvgPoolGradKernel<T>, MakePool(dims), count,
                  gradient.data<T>(), result->mutable_data<T>());
  }
};

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("MaxPool").OnGpu().Type<T>("T"), CudaForwardPoolOp<T, false>);       \
  REGISTER_KERNEL(Kernel("AvgPool").OnGpu().Type<T>("T"), CudaForwardPoolOp<T, true>);        \
  REGISTER_KERNEL(Kernel("MaxPoolGrad").OnGpu().Type<T>("T"), CudaMaxPoolGradOp<T>);          \
  REGISTER_KERNEL(Kernel("AvgPoolGrad").OnGpu().Type<T>("T").HostMemory("orig_input_shape"),  \
                  CudaAvgPoolGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
