// _RowChain: elementwise ops and reductions of rows, one row after the other. The pass `fuse` makes
// them: normalisations, and what ends in a sum or follows one.
#include <algorithm>

#include "graph/shape_context.h"
#include "kernels/framework/row_run.h"

namespace tfbuild {
namespace {

// 'rows': as all inputs broadcast together. What a reduction ends has one element for each of these
// rows: 'kept' as a dimension of 1, else 'reduced'.
REGISTER_OP("_RowChain")
    .Input("args: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("ops: list(string)")
    .Attr("operands: list(int)")
    .Attr("result: {'rows', 'kept', 'reduced'}")
    .ShapeFunction([](ShapeContext* context) {
      RETURN_IF_ERROR(ElementEpilogue::InferShape(context, context->input(0), 1));
      ASSIGN_OR_RETURN(const auto result, context->Attr<std::string>("result"));
      const PartialShape& rows = context->outputs()[0];
      if (result == "rows" || !rows.known_rank()) return OkStatus();
      if (rows.rank() == 0) return InvalidArgument("scalars have no rows");
      std::vector<int64_t> dims = rows.dims();
      dims.pop_back();
      if (result == "kept") dims.push_back(1);
      context->set_output(0, PartialShape(std::move(dims)));
      return OkStatus();
    });

class RowChainOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const int inputs = static_cast<int>(construction.node.inputs().size());
    ASSIGN_OR_RETURN(program_, ElementProgram::Read(construction, inputs,
                                                    ElementProgram::Reductions::kOfRows));
    ASSIGN_OR_RETURN(result_, construction.Attr<std::string>("result"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ElementInputs inputs;
    for (int i = 0; i < program_.inputs(); ++i) inputs.Add(context->input(i));
    ASSIGN_OR_RETURN(const Shape shape, BroadcastAll(inputs));
    ASSIGN_OR_RETURN(const RowRun run, RowRun::Make(context, program_, inputs, shape));
    if (run.reduces() != (result_ != "rows")) {
      return InvalidArgument("the last op gives ", run.reduces() ? "one element for each row"
                                                                 : "whole rows",
                             ", but the result is '", result_, "'");
    }
    ASSIGN_OR_RETURN(Tensor * output, OutputFor(context, shape));
    run.RunAll(output->raw());
    return OkStatus();
  }

 private:
  Result<Tensor*> OutputFor(OpKernelContext* context, const Shape& rows) const {
    if (result_ == "rows") {
      // The memory of one that has the shape; of others it is not taken.
      const auto candidate = [&](int i) { return std::min(i, program_.inputs() - 1); };
      return context->ForwardOrAllocateOutput({0, candidate(1), candidate(2), candidate(3)}, 0,
                                              rows);
    }
    std::vector<int64_t> dims = rows.dims();
    dims.pop_back();
    if (result_ == "kept") dims.push_back(1);
    ASSIGN_OR_RETURN(const Shape reduced, Shape::Make(dims));
    return context->AllocateOutput(0, reduced);
  }

  ElementProgram program_;
  std::string result_;
};

REGISTER_KERNEL(Kernel("_RowChain").OnCpu(), RowChainOp);

}  // namespace
}  // namespace tfbuild
