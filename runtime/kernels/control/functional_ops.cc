// Calls of functions, with a choice or in a loop. A plan writes them out before anything runs
// (passes/inline_functions.cc), so there is no kernel here.
#include "graph/shape_context.h"

namespace tfbuild {
namespace {

// What the node says of its outputs, where it says it of each.
Status StatedShapes(ShapeContext* context) {
  const auto stated = context->Attr<std::vector<PartialShape>>("output_shapes");
  if (!stated.ok() || static_cast<int>(stated->size()) != context->num_outputs()) return OkStatus();
  for (int i = 0; i < context->num_outputs(); ++i) {
    context->set_output(i, (*stated)[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

#define CALL(name)                               \
  REGISTER_OP(name)                              \
      .Input("args: Tin")                        \
      .Output("output: Tout")                    \
      .Attr("Tin: list(type) >= 0")              \
      .Attr("Tout: list(type) >= 0")             \
      .Attr("f: func")                           \
      .Attr("config: string = ''")               \
      .Attr("config_proto: string = ''")         \
      .Attr("executor_type: string = ''")        \
      .ShapeFunction(UnknownShape)
CALL("PartitionedCall");
CALL("StatefulPartitionedCall").Stateful();
#undef CALL

#define IF(name)                                 \
  REGISTER_OP(name)                              \
      .Input("cond: Tcond")                      \
      .Input("input: Tin")                       \
      .Output("output: Tout")                    \
      .Attr("Tcond: type")                       \
      .Attr("Tin: list(type) >= 0")              \
      .Attr("Tout: list(type) >= 0")             \
      .Attr("then_branch: func")                 \
      .Attr("else_branch: func")                 \
      .Attr("output_shapes: list(shape) = []")   \
      .ShapeFunction(StatedShapes)
IF("StatelessIf");
IF("If").Stateful();
#undef IF

#define CASE(name)                               \
  REGISTER_OP(name)                              \
      .Input("branch_index: int32")              \
      .Input("input: Tin")                       \
      .Output("output: Tout")                    \
      .Attr("Tin: list(type) >= 0")              \
      .Attr("Tout: list(type) >= 0")             \
      .Attr("branches: list(func) >= 1")         \
      .Attr("output_shapes: list(shape) = []")   \
      .ShapeFunction(StatedShapes)
CASE("StatelessCase");
CASE("Case").Stateful();
#undef CASE

#define WHILE(name)                              \
  REGISTER_OP(name)                              \
      .Input("input: T")                         \
      .Output("output: T")                       \
      .Attr("T: list(type) >= 0")                \
      .Attr("cond: func")                        \
      .Attr("body: func")                        \
      .Attr("output_shapes: list(shape) = []")   \
      .Attr("parallel_iterations: int = 10")     \
      .ShapeFunction(StatedShapes)
WHILE("StatelessWhile");
WHILE("While").Stateful();
#undef WHILE

}  // namespace
}  // namespace tfbuild
