#include "kernels/math/eltwise.h"

#include <atomic>

#include "kernels/framework/onednn.h"

namespace tfbuild {
namespace {

// Below this the plain loop is done before oneDNN has begun.
constexpr int64_t kWorthOnednn = 1024;

dnnl::algorithm AlgorithmOf(Eltwise function) {
  switch (function) {
    case Eltwise::kExp: return dnnl::algorithm::eltwise_exp;
    case Eltwise::kLog: return dnnl::algorithm::eltwise_log;
    case Eltwise::kTanh: return dnnl::algorithm::eltwise_tanh;
    case Eltwise::kSigmoid: return dnnl::algorithm::eltwise_logistic;
  }
  return dnnl::algorithm::undef;
}

// oneDNN takes the smaller of its argument and the largest one that does not overflow, which for
// NaN is the latter: exp(NaN) would be infinite.
bool LosesNaN(Eltwise function) { return function == Eltwise::kExp; }

bool HasNaN(const float* x, int64_t count) {
  std::atomic<bool> found{false};
  ParallelFor(count, kCheapGrain, [x, &found](int64_t begin, int64_t end) {
    int nans = 0;
    for (int64_t i = begin; i < end; ++i) nans |= x[i] != x[i];
    if (nans != 0) found = true;
  });
  return found;
}

struct Program {
  OnednnPrimitive eltwise;
  dnnl::memory::desc elements;
};

Result<Program> MakeProgram(Eltwise function, int64_t count) {
  Program program;
  program.elements = OnednnDense({count}, DType::kFloat);
  const dnnl::eltwise_forward::primitive_desc descriptor(
      OnednnEngine(), dnnl::prop_kind::forward_inference, AlgorithmOf(function), program.elements,
      program.elements, 0.0f, 0.0f, OnednnAttr());
  program.eltwise = OnednnPrimitive(dnnl::eltwise_forward(descriptor), descriptor);
  return program;
}

}  // namespace

struct EltwiseOp::Cache {
  OnednnCache<Program> programs;
};

EltwiseOp::EltwiseOp(Eltwise function, UnaryLoop loop)
    : function_(function), loop_(loop), cache_(std::make_unique<Cache>()) {}

EltwiseOp::~EltwiseOp() = default;

Status EltwiseOp::Compute(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const int64_t count = x.num_elements();
  const float* from = x.data<float>();
  if (count < kWorthOnednn || (LosesNaN(function_) && HasNaN(from, count))) {
    return ComputeUnary(context, loop_, kMathGrain);
  }
  ASSIGN_OR_RETURN(Tensor * y, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
  IntraOpTeam team;
  const auto make = [this, count] { return MakeProgram(function_, count); };
  ASSIGN_OR_RETURN(const auto program, cache_->programs.FindOrMake(team, {count}, make));
  return RunOnednn(context, program->eltwise, {{DNNL_ARG_SRC, program->elements, from},
                                               {DNNL_ARG_DST, program->elements, y->raw()}});
}

}  // namespace tfbuild
