// Random numbers on a GPU: the same streams as on the CPU, so the same seeds give the same numbers
// up to the last bits of logarithms, sines and cosines.
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/random/philox.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

// Each thread draws whole groups, each from its own place of the stream.
template <typename Draw, typename T>
__global__ void DrawKernel(Draw draw, Philox start, int64_t count, T* out) {
  constexpr int kGroup = Draw::kGroup;
  const int64_t groups = (count + kGroup - 1) / kGroup;
  for (int64_t group = FirstIndex(); group < groups; group += IndexStep()) {
    Philox generator = start;
    generator.Skip(static_cast<uint64_t>(group) * Draw::kCallsPerGroup);
    typename Draw::Value values[kGroup];
    draw(&generator, values);
    for (int j = 0; j < kGroup; ++j) {
      const int64_t i = group * kGroup + j;
      if (i < count) out[i] = Narrow<T>::From(values[j]);
    }
  }
}

template <typename T, typename Draw>
Status RunDraw(OpKernelContext* context, const Draw& draw, RandomStream* stream) {
  ASSIGN_OR_RETURN(const Shape shape, RandomOutputShape(context->input(0)));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  const int64_t count = shape.num_elements();
  if (count == 0) return OkStatus();
  CudaDevice* device = CudaDeviceOf(context);
  return Launch(device, LoopOver(*device, (count + Draw::kGroup - 1) / Draw::kGroup),
                DrawKernel<Draw, T>, draw, stream->Reserve(count), count,
                output->mutable_data<T>());
}

class CudaRandomOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }

 protected:
  RandomStream stream_;
};

template <typename T, typename Draw>
class CudaDrawOp final : public CudaRandomOp {
 public:
  Status Compute(OpKernelContext* context) override {
    return RunDraw<T>(context, Draw(), &stream_);
  }
};

template <typename T>
class CudaUniformIntOp final : public CudaRandomOp {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const UniformIntDraw<T> draw,
                     MakeUniformIntDraw<T>(context->input(1), context->input(2)));
    return RunDraw<T>(context, draw, &stream_);
  }
};

#define REGISTER_DRAW(OP, T, DRAW)                                        \
  REGISTER_KERNEL(Kernel(OP).OnGpu().Type<T>("dtype").HostMemory("shape"), \
                  CudaDrawOp<T, DRAW<T>>);
#define REGISTER(T)                                      \
  REGISTER_DRAW("RandomUniform", T, UniformDraw)         \
  REGISTER_DRAW("RandomStandardNormal", T, NormalDraw)   \
  REGISTER_DRAW("TruncatedNormal", T, TruncatedNormalDraw)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_DRAW

#define REGISTER(T)                             \
  REGISTER_KERNEL(Kernel("RandomUniformInt")    \
                      .OnGpu()                  \
                      .Type<T>("Tout")          \
                      .HostMemory("shape")      \
                      .HostMemory("minval")     \
                      .HostMemory("maxval"),    \
                  CudaUniformIntOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
