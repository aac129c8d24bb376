// LRN and LRNGrad: each channel divided by a power of the sum of squares of the channels near it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/nn/lrn.h"

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

// The sums and norms of one pixel's channels.
struct LrnChannels {
  explicit LrnChannels(const LrnSettings& settings) : settings(settings) {}
  const LrnSettings settings;

  // sums[c] is the sum of terms[c - radius .. c + radius].
  void Sums(const std::vector<double>& terms, std::vector<double>* sums) const {
    const int64_t count = static_cast<int64_t>(terms.size());
    for (int64_t c = 0; c < count; ++c) {
      double sum = 0;
      const int64_t end = std::min(count, c + settings.radius + 1);
      for (int64_t j = std::max<int64_t>(0, c - settings.radius); j < end; ++j) {
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
    for (double& norm : *norms) norm = settings.bias + settings.alpha * norm;
  }
};

template <typename Body>
void ForEachPixel(const Shape& shape, const Body& body) {
  const int64_t channels = shape.dim(3);
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
class LrnOp final : public LrnKernel {
  Status Normalise(OpKernelContext*, const Tensor& input, Tensor* output) const override {
    const LrnChannels channels(settings_);
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    using Doubles = std::vector<double>;
    ForEachPixel(input.shape(), [&](int64_t at, Doubles* terms, Doubles* norms, Doubles*) {
      channels.Norms(in + at, terms, norms);
      for (size_t c = 0; c < norms->size(); ++c) {
        const double value = static_cast<float>(in[at + static_cast<int64_t>(c)]);
        out[at + static_cast<int64_t>(c)] =
            T(static_cast<float>(value * std::pow((*norms)[c], -settings_.beta)));
      }
    });
    return OkStatus();
  }
};

template <typename T>
class LrnGradOp final : public LrnGradKernel {
  Status Differentiate(OpKernelContext*, const Tensor& gradients, const Tensor& image,
                       const Tensor& normalised, Tensor* output) const override {
    const LrnChannels channels(settings_);
    const T* gradient = gradients.data<T>();
    const T* x = image.data<T>();
    const T* y = normalised.data<T>();
    T* out = output->mutable_data<T>();
    using Doubles = std::vector<double>;
    ForEachPixel(image.shape(), [&](int64_t at, Doubles* terms, Doubles* norms, Doubles* sums) {
      channels.Norms(x + at, terms, norms);
      for (size_t c = 0; c < terms->size(); ++c) {
        const int64_t i = at + static_cast<int64_t>(c);
        (*terms)[c] = double{static_cast<float>(gradient[i])} * static_cast<float>(y[i]) /
                      (*norms)[c];
      }
      channels.Sums(*terms, sums);
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
