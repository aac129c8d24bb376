// _ElementwiseChain on a GPU: one kernel for every chain, which reads each input and writes the result
// once. Between the steps values are rounded to their type, so the bits are those of the ops alone.
#include "kernels/framework/chain_steps.h"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/functors.h"

namespace tfbuild {
namespace {

// An input along the elements of the result: see Stretch.
struct ChainInput {
  const void* data = nullptr;
  Divider period;
  Divider repeats;
  bool whole = false;  // a pack of the result has a pack of it, or one element

  __device__ int64_t At(int64_t index) const {
    period.Split(&index);
    return repeats.Quotient(index);
  }
};

struct Chain {
  ChainSteps steps;
  ChainInput inputs[kMaxElementInputs];
};

// The elements of an input for `active` elements of the result from `first` on; behind those, some.
template <typename T, int N>
__device__ Pack<T, N> LoadInput(const ChainInput& input, int64_t first, int active) {
  const T* data = static_cast<const T*>(input.data);
  Pack<T, N> pack;
  if (input.whole && active == N) {
    const int64_t at = input.At(first);
    if (input.repeats.size == 1) return LoadPack<N>(data + at);
    const T value = data[at];
#pragma unroll
    for (int j = 0; j < N; ++j) pack.at[j] = value;
    return pack;
  }
#pragma unroll
  for (int j = 0; j < N; ++j) pack.at[j] = data[input.At(first + (j < active ? j : 0))];
  return pack;
}

template <typename C>
__device__ C ApplyStep(ChainOp op, C x, C y) {
  switch (op) {
#define CASE(formula) \
  case ChainOp::k##formula: return functor::formula::Apply(x);
    TFBUILD_CHAIN_UNARY(CASE)
#undef CASE
#define CASE(formula) \
  case ChainOp::k##formula: return functor::formula::Apply(x, y);
    TFBUILD_CHAIN_BINARY(CASE)
#undef CASE
  }
  return x;
}

template <typename T>
__global__ void ChainKernel(Chain chain, int64_t count, bool aligned, T* out) {
  constexpr int kN = kPackSize<T>;
  __shared__ Pack<T, kN> kept[kChainSlots][kThreads];  // each thread has a column of its own
  for (int64_t i = FirstIndex() * kN; i < count; i += IndexStep() * kN) {
    const int active = count - i < kN ? static_cast<int>(count - i) : kN;
    Pack<T, kN> value{};
    const auto load = [&](ChainPlace place) {
      if (place == kChainPrevious) return value;
      if (place >= kChainSlot) return kept[place - kChainSlot][threadIdx.x];
      return LoadInput<T, kN>(chain.inputs[place], i, active);
    };
#pragma unroll 1
    for (int k = 0; k < chain.steps.count; ++k) {
      const ChainStep step = chain.steps.at[k];
      const Pack<T, kN> left = load(step.left);
      const Pack<T, kN> right = step.right == step.left ? left : load(step.right);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        value.at[j] = Narrow<T>::From(ApplyStep(step.op, Widen(left.at[j]), Widen(right.at[j])));
      }
      if (step.to != kChainPrevious) kept[step.to - kChainSlot][threadIdx.x] = value;
    }
    if (aligned && active == kN) {
      StorePack(out + i, value);
    } else {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        if (j < active) out[i + j] = value.at[j];
      }
    }
  }
}

template <typename T>
class CudaElementwiseChainOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    inputs_ = static_cast<int>(construction.node.inputs().size());
    RETURN_IF_ERROR(CheckElementProgram(construction, inputs_));
    ASSIGN_OR_RETURN(const auto ops, construction.Attr<std::vector<std::string>>("ops"));
    ASSIGN_OR_RETURN(const auto operands, construction.Attr<std::vector<int64_t>>("operands"));
    const std::optional<ChainSteps> steps = PlanChainSteps(ops, operands, inputs_);
    if (!steps) return Unimplemented("the kernel for GPUs lacks an op of this chain, or room");
    steps_ = *steps;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ElementInputs inputs;
    for (int i = 0; i < inputs_; ++i) inputs.Add(context->input(i));
    ASSIGN_OR_RETURN(const Shape shape, BroadcastAll(inputs));
    ASSIGN_OR_RETURN(Tensor * output, ForwardOneOf(context, inputs, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    Chain chain{steps_, {}};
    std::vector<Tensor> written_out;
    for (int i = 0; i < inputs_; ++i) {
      ASSIGN_OR_RETURN(chain.inputs[i], AlongResult(context, inputs[i], shape, &written_out));
    }
    T* out = output->mutable_data<T>();
    CudaDevice* device = CudaDeviceOf(context);
    return Launch(device, LoopOver(*device, (count + kN - 1) / kN), ChainKernel<T>, chain, count,
                  IsAligned<kN>(out), out);
  }

 private:
  static constexpr int kN = kPackSize<T>;

  static Result<ChainInput> AlongResult(OpKernelContext* context, const Tensor& tensor,
                                        const Shape& shape, std::vector<Tensor>* written_out) {
    const int64_t count = shape.num_elements();
    const auto whole = [count](int64_t length) { return length % kN == 0 || length == count; };
    if (const std::optional<Stretch> stretch = StretchOf(tensor.shape(), shape)) {
      const bool neighbours = stretch->repeats == 1 && IsAligned<kN>(tensor.data<T>());
      return ChainInput{tensor.raw(), Divider(stretch->period), Divider(stretch->repeats),
                        whole(stretch->period) &&
                            (neighbours || (stretch->repeats > 1 && whole(stretch->repeats)))};
    }
    ASSIGN_OR_RETURN(Tensor copy, WriteOut(context, tensor, shape));
    written_out->push_back(std::move(copy));
    return AlongResult(context, written_out->back(), shape, written_out);
  }

  int inputs_ = 0;
  ChainSteps steps_;
};

// Doubles are left one by one: each op's arithmetic takes longer than its memory.
#define REGISTER(T)                                                  \
  REGISTER_KERNEL(Kernel("_ElementwiseChain").OnGpu().Type<T>("T"), \
                  CudaElementwiseChainOp<T>);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
