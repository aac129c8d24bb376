#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/shape_context.h"

namespace tfbuild {

// What follows a matrix product or a convolution in one call of a GPU's library, in this order, each of
// it or not: the attribute `fused_ops` of _FusedMatMul and _FusedConv2D, in TensorFlow's words.
struct Epilogue {
  enum class Activation { kNone, kRelu, kGelu };
  bool bias = false;      // "BiasAdd": the first of args, a number for each column or channel
  bool residual = false;  // "Add": the next of args, of the result's shape
  Activation activation = Activation::kNone;  // "Relu", "GeluApproximate"

  int num_args() const { return (bias ? 1 : 0) + (residual ? 1 : 0); }
  std::vector<std::string> fused_ops() const;
};

// InvalidArgument where the words are others, or in another order.
Result<Epilogue> ParseEpilogue(const std::vector<std::string>& fused_ops);

// The attributes "fused_ops" and "num_args" of an OpKernelConstruction or a ShapeContext.
template <typename Source>
Result<Epilogue> ReadEpilogue(const Source& source) {
  ASSIGN_OR_RETURN(const auto fused_ops,
                   source.template Attr<std::vector<std::string>>("fused_ops"));
  ASSIGN_OR_RETURN(const int64_t num_args, source.template Attr<int64_t>("num_args"));
  ASSIGN_OR_RETURN(const Epilogue epilogue, ParseEpilogue(fused_ops));
  if (num_args != epilogue.num_args()) {
    return InvalidArgument("fused_ops take ", epilogue.num_args(), " more inputs, not ", num_args);
  }
  return epilogue;
}

// Output 0 is what the product or convolution alone gives, once the inputs behind it fit.
Status InferEpilogue(ShapeContext* context, PartialShape result, int channels_axis);

}  // namespace tfbuild
