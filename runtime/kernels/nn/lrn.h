#pragma once

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

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
};

// LRN, on whichever device.
class LrnKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& input = context->input(0);
    if (input.rank() != 4) return InvalidArgument("LRN needs rank 4, not ", input.shape());
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    return input.num_elements() > 0 ? Normalise(context, input, output) : OkStatus();
  }

  bool IsExpensive() const override { return true; }

 protected:
  virtual Status Normalise(OpKernelContext* context, const Tensor& input, Tensor* output) const = 0;

  LrnSettings settings_;
};

// LRNGrad, on whichever device.
class LrnGradKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return settings_.Read(construction);
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor &gradient = context->input(0), &image = context->input(1);
    const Tensor& normalised = context->input(2);
    if (image.rank() != 4 || gradient.shape() != image.shape() ||
        normalised.shape() != image.shape()) {
      return InvalidArgument("LRNGrad needs three tensors of one shape of rank 4");
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, image.shape()));
    if (image.num_elements() == 0) return OkStatus();
    return Differentiate(context, gradient, image, normalised, output);
  }

  bool IsExpensive() const override { return true; }

 protected:
  virtual Status Differentiate(OpKernelContext* context, const Tensor& gradient,
                               const Tensor& image, const Tensor& normalised,
                               Tensor* output) const = 0;

  LrnSettings settings_;
};

}  // namespace tfbuild
