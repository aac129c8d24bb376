// RandomGamma: numbers from gamma distributions, by rejection (Marsaglia and Tsang, "A simple method
// for generating gamma variables", 2000).
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

Status GammaShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape outer, context->input_as_shape(0));
  const PartialShape& alpha = context->input(1);
  if (!outer.known_rank() || !alpha.known_rank()) return OkStatus();
  std::vector<int64_t> dims = outer.dims();
  dims.insert(dims.end(), alpha.dims().begin(), alpha.dims().end());
  context->set_output(0, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("RandomGamma")
    .Input("shape: S")
    .Input("alpha: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double}")
    .Stateful()
    .ShapeFunction(GammaShape);

constexpr uint64_t kCallsPerNumber = 256;

// The numbers of one place of a stream, two at a time, the second one first as in TensorFlow.
class GammaDraws {
 public:
  explicit GammaDraws(const Philox& generator) : generator_(generator) {}
  double Uniform() {
    if (uniforms_left_ == 0) {
      UniformDraw<double>()(&generator_, uniforms_);
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }
  double Normal() {
    if (normals_left_ == 0) {
      NormalDraw<double>()(&generator_, normals_);
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }

 private:
  Philox generator_;
  double uniforms_[2] = {};
  double normals_[2] = {};
  int uniforms_left_ = 0;
  int normals_left_ = 0;
};

double DrawGamma(double alpha, GammaDraws* draws) {
  if (!(alpha > 0) || std::isinf(alpha)) return std::nan("");
  if (alpha == 1) return -std::log1p(-draws->Uniform());
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = draws->Normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = draws->Uniform();
    // The first test, which is cheap, is enough for most.
    if (u >= 1 - 0.0331 * (x * x) * (x * x) &&
        std::log(u) >= 0.5 * x * x + d * (1 - v + std::log(v))) {
      continue;
    }
    return small ? d * v * std::pow(draws->Uniform(), 1 / alpha) : d * v;
  }
}

template <typename T>
class RandomGammaOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& alpha = context->input(1);
    ASSIGN_OR_RETURN(const Shape outer, RandomOutputShape(context->input(0)));
    std::vector<int64_t> dims = outer.dims();
    dims.insert(dims.end(), alpha.shape().dims().begin(), alpha.shape().dims().end());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t samples = outer.num_elements(), alphas = alpha.num_elements();
    const Philox start = stream_.ReserveCalls(static_cast<uint64_t>(samples * alphas) *
                                              kCallsPerNumber);
    const T* from = alpha.data<T>();
    T* to = output->mutable_data<T>();
    ParallelFor(samples * alphas, 512, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Philox generator = start;
        generator.Skip(static_cast<uint64_t>(i) * kCallsPerNumber);
        GammaDraws draws(generator);
        const int64_t which = i / samples;
        const double drawn = DrawGamma(static_cast<double>(ComputeTypeOf<T>(from[which])), &draws);
        to[i % samples * alphas + which] = static_cast<T>(static_cast<ComputeTypeOf<T>>(drawn));
      }
    });
    return OkStatus();
  }

 private:
  RandomStream stream_;
};

REGISTER_KERNEL(Kernel("RandomGamma").OnCpu().Type<float>("T"), RandomGammaOp<float>);
REGISTER_KERNEL(Kernel("RandomGamma").OnCpu().Type<double>("T"), RandomGammaOp<double>);
REGISTER_KERNEL(Kernel("RandomGamma").OnCpu().Type<Half>("T"), RandomGammaOp<Half>);

}  // namespace
}  // namespace tfbuild
