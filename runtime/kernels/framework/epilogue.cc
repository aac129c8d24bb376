#include "kernels/framework/epilogue.h"

namespace tfbuild {

std::vector<std::string> Epilogue::fused_ops() const {
  std::vector<std::string> ops;
  if (bias) ops.push_back("BiasAdd");
  if (residual) ops.push_back("Add");
  if (activation == Activation::kRelu) ops.push_back("Relu");
  if (activation == Activation::kGelu) ops.push_back("GeluApproximate");
  return ops;
}

Result<Epilogue> ParseEpilogue(const std::vector<std::string>& fused_ops) {
  Epilogue epilogue;
  for (const std::string& op : fused_ops) {
    if (op == "BiasAdd") epilogue.bias = true;
    else if (op == "Add") epilogue.residual = true;
    else if (op == "Relu") epilogue.activation = Epilogue::Activation::kRelu;
    else if (op == "GeluApproximate") epilogue.activation = Epilogue::Activation::kGelu;
  }
  if (epilogue.fused_ops() == fused_ops) return epilogue;
  return InvalidArgument("fused_ops are some of BiasAdd, Add, and Relu or GeluApproximate, in this "
                         "order, not ", StrJoin(fused_ops, ", "));
}

Status InferEpilogue(ShapeContext* context, PartialShape result, int channels_axis) {
  ASSIGN_OR_RETURN(const Epilogue epilogue, ReadEpilogue(*context));
  if (epilogue.bias) {
    ASSIGN_OR_RETURN(const PartialShape bias, context->WithRank(2, 1));
    const int64_t channels = result.dim(channels_axis);
    if (bias.dim(0) != channels && bias.dim(0) != kUnknownDim && channels != kUnknownDim) {
      return InvalidArgument("a bias of ", bias.dim(0), " numbers for ", channels, " channels");
    }
  }
  context->set_output(0, std::move(result));
  return OkStatus();
}

}  // namespace tfbuild
