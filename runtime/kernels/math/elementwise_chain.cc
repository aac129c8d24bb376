// _ElementwiseChain: several elementwise ops in one loop. The pass `fuse` makes them.
#include "graph/shape_context.h"
#include "kernels/framework/element_program.h"

namespace tfbuild {
namespace {

REGISTER_OP("_ElementwiseChain")
    .Input("args: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("ops: list(string)")
    .Attr("operands: list(int)")
    .ShapeFunction([](ShapeContext* context) {
      return ElementEpilogue::InferShape(context, context->input(0), 1);
    });

class ElementwiseChainOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const int inputs = static_cast<int>(construction.node.inputs().size());
    ASSIGN_OR_RETURN(program_, ElementProgram::Read(construction, inputs));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ElementInputs inputs;
    for (int i = 0; i < program_.inputs(); ++i) inputs.Add(context->input(i));
    ASSIGN_OR_RETURN(const Shape shape, BroadcastAll(inputs));
    ASSIGN_OR_RETURN(Tensor * output, ForwardOneOf(context, inputs, shape));
    ASSIGN_OR_RETURN(const ElementRun run, ElementRun::Make(context, program_, inputs, shape,
                                                            output->raw()));
    run.RunAll();
    return OkStatus();
  }

 private:
  ElementProgram program_;
};

REGISTER_KERNEL(Kernel("_ElementwiseChain").OnCpu(), ElementwiseChainOp);

}  // namespace
}  // namespace tfbuild
