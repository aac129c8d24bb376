// LRN and LRNGrad: each channel divided by a power of the sum of squares of the channels near it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kLrnGrain = 2048;  // elements that are worth a thread: each takes a power

Status LrnShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(0, 4));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status LrnGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->WithRank(0, 4));
  for (int i = 1; i < 3; ++i) {
    ASSIGN_OR_RETURN(shape, shape.MergeWith(context->input(i)));
  }
  context->set_output(0, std::move(shape));
  return OkStatus();
}

#define LRN_ATTRS                                                                           \
  .Attr("depth_radius: int = 5").Attr("bias: float = 1.0").Attr("alpha: float = 1.0")       \
  .Attr("beta: float = 0.5").Attr("T: {half, bfloat16, float} = DT_FLOAT")

REGISTER_OP("LRN").Input("input: T").Output("output: T") LRN_ATTRS.ShapeFunction(LrnShape);
REGISTER_OP("LRNGrad")
    .Input("input_grads: T").Input("input_image: T").Input("output_image: T").Output("output: T")
    LRN_ATTRS.ShapeFunction(LrnGradShape);

struct LrnSettings {
  int64_t radius = 5;
  double bias = 1, alpha = 1, beta = 0.5;

  Status Read(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(radius, construction.Attr<int64_t>("depth_radius"));
    ASSIGN_OR_RETURN(bias, construction.Attr<float>("bias"));
    ASSIGN_OR_RETURN(alpha, construction.Attr<float>("alpha"));
    ASSIGN_OR_RETURN(beta, construction.Attr<float>("beta"));
    if (radius >= 0 && radius <= INT32_MAX) return OkStatus();
    return InvalidArgument("depth_radius = ", radius, " is no number of channels");
  }

  // sums[c] is the sum of terms[c - radius .. c + radius].
  void Sums(const std::vector<double>& terms, std::vector<double>* sums) const {
    const int64_t count = static_cast<int64_t>(terms.size());
    for (int64_t c = 0; c < count; ++c) {
      double sum = 0;
      const int64_t end = std::min(count, c + radius + 1);
      for (int64_t j = std::max<int64_t>(0, c - radius); j < end; ++j) {
        sum += terms[static_cast<size_t>(j)];
      }
      (*sums)[static_cast<size_t>(c)] = sum;
    }
  }

  template <typename T>
  void Norms(const T* x, std::vector<double>* terms, std::vector<double>* norms) const {
    for (size_t c = 0; c < terms->size(); ++c) {
      const double value = static_cast<float>(x[c]);
      (*terms)[c] = value * value;
    }
    Sums(*terms, norms);
    for (double& norm : *norms) norm = bias + alpha * norm;
  }
};

template <typename Body>
void ForEachPixel(const Shape& shape, const Body& body) {
  const int64_t channels = shape.dim(3);
  if (shape.num_elements() == 0) return;
  const int64_t pixels = shape.num_elements() / channels;
  ParallelFor(pixels, kLrnGrain / channels + 1, [&](int64_t begin, int64_t end) {
    std::vector<double> terms(static_cast<size_t>(channels)), sums(terms.size());
    std::vector<double> norms(terms.size());
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      body(pixel * channels, &terms, &norms, &sums);
    }
  });
}

template <typename T>
class LrnOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (input.rank() != 4) return InvalidArgument("LRN needs rank 4, not ", input.shape());
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    using Doubles = std::vector<double>;
    ForEachPixel(input.shape(), [&](int64_t at, Doubles* terms, Doubles* norms, Doubles*) {
      settings_.Norms(in + at, terms, norms);
      for (size_t c = 0; c < norms->size(); ++c) {
        const double value = static_cast<float>(in[at + static_cast<int64_t>(c)]);
        out[at + static_cast<int64_t>(c)] =
            T(static_cast<float>(value * std::pow((*norms)[c], -settings_.beta)));
      }
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  LrnSettings settings_;
};

template <typename T>
class LrnGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& image = context->input(1);
    if (image.rank() != 4 || context->input(0).shape() != image.shape() ||
        context->input(2).shape() != image.shape()) {
      return InvalidArgument("LRNGrad needs three tensors of one shape of rank 4");
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, image.shape()));
    const T* gradient = context->input(0).data<T>();
    const T* x = image.data<T>();
    const T* y = context->input(2).data<T>();
    T* out = output->mutable_data<T>();
    using Doubles = std::vector<double>;
    ForEachPixel(image.shape(), [&](int64_t at, Doubles* terms, Doubles* norms, Doubles* sums) {
      settings_.Norms(x + at, terms, norms);
      for (size_t c = 0; c < terms->size(); ++c) {
        const int64_t i = at + static_cast<int64_t>(c);
        (*terms)[c] = double{static_cast<float>(gradient[i])} * static_cast<float>(y[i]) /
                      (*norms)[c];
      }
      settings_.Sums(*terms, sums);
      for (size_t c = 0; c < terms->size(); ++c) {
        const int64_t i = at + static_cast<int64_t>(c);
        const double own = double{static_cast<float>(gradient[i])} *
                           std::pow((*norms)[c], -settings_.beta);
        const double shared = 2 * settings_.alpha * settings_.beta * static_cast<float>(x[i]);
        out[i] = T(static_cast<float>(own - shared * (*sums)[c]));
      }
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  LrnSettings settings_;
};

#define REGISTER(T)                                                  \
  REGISTER_KERNEL(Kernel("LRN").OnCpu().Type<T>("T"), LrnOp<T>);     \
  REGISTER_KERNEL(Kernel("LRNGrad").OnCpu().Type<T>("T"), LrnGradOp<T>);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
