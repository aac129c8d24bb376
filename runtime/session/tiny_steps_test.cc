// Steps for a caller who holds a lock of its own: they end at once, or do nothing.
#include <atomic>
#include <thread>

#include "graph/shape_context.h"
#include "kernels/framework/locked_variables.h"
#include "session/graph_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::atomic<bool> holds{false};
std::atomic<bool> held{false};

// Has the variable as long as it is asked to.
class HoldingOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const LockedVariables locked, LockedVariables::Lock(context, 1));
    held = true;
    while (holds) std::this_thread::yield();
    return OkStatus();
  }
};
REGISTER_OP("TestHolding").Input("ref: Ref(float)").Stateful().ShapeFunction(NoOutputs);
REGISTER_KERNEL(Kernel("TestHolding").OnCpu(), HoldingOp);

class Doubled {
 public:
  explicit Doubled(int64_t size) {
    variable = graph.Variable("v", DType::kFloat, {size});
    Node* two = graph.Const("two", MakeTensor<float>({}, {2}));
    const std::vector<double> ones(static_cast<size_t>(size), 1);
    Node* value = graph.Const("ones", MakeTensor<float>({size}, ones));
    init = graph.Op("init", "Assign", {{variable, 0}, {value, 0}});
    doubled = graph.Op("doubled", "Mul", {{variable, 0}, {two, 0}});
  }
  // What doubles the variable, which has its first value.
  Result<std::shared_ptr<Callable>> Prepare(DirectSession* session) const {
    RETURN_IF_ERROR(RunOnce(session, {}, {init}).status());
    return session->MakeCallable({}, {{doubled, 0}}, {});
  }
  TestGraph graph;
  Node* variable;
  Node* init;
  Node* doubled;
};

TEST(TinySteps, EndAtOnce) {
  Doubled program(3);
  DirectSession session(&program.graph.graph, {});
  const auto callable = program.Prepare(&session);
  ASSERT_OK(callable);
  std::vector<Tensor> results;
  EXPECT_TRUE(!session.RunTiny(**callable, {}, &results));  // a first step starts what others find
  ASSERT_OK(session.Run(**callable, {}, &results));
  for (int i = 0; i < 3; ++i) {
    const auto ended = session.RunTiny(**callable, {}, &results);
    EXPECT_TRUE(ended.has_value());
    if (!ended) return;
    ASSERT_OK(*ended);
    EXPECT_EQ(Values(results[0])[2], 2.0);
  }
  ASSERT_OK(session.Close());
  const auto closed = session.RunTiny(**callable, {}, &results);
  EXPECT_TRUE(closed.has_value());
  if (!closed) return;
  EXPECT_ERROR(*closed, Code::kFailedPrecondition, "closed");
}

TEST(TinySteps, AreNotThoseOfManyElements) {
  Doubled program(1000);
  DirectSession session(&program.graph.graph, {});
  const auto callable = program.Prepare(&session);
  ASSERT_OK(callable);
  std::vector<Tensor> results;
  ASSERT_OK(session.Run(**callable, {}, &results));
  EXPECT_TRUE(!session.RunTiny(**callable, {}, &results));
}

TEST(TinySteps, AreNotThoseOfALargeConstant) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat, PartialShape(std::vector<int64_t>{}));
  Node* many = graph.Const("many", MakeTensor<float>({1000}, std::vector<double>(1000, 1)));
  Node* axis = graph.Const("axis", MakeTensor<int32_t>({}, {0}));
  Node* product = graph.Op("product", "Mul", {{x, 0}, {many, 0}});
  Node* sum = graph.Op("sum", "Sum", {{product, 0}, {axis, 0}});
  DirectSession session(&graph.graph, {});
  const auto callable = session.MakeCallable({{x, 0}}, {{sum, 0}}, {});
  ASSERT_OK(callable);
  const std::vector<Tensor> fed = {Tensor::Scalar<float>(2)};
  std::vector<Tensor> results;
  ASSERT_OK(session.Run(**callable, fed, &results));
  EXPECT_EQ(Values(results[0])[0], 2000.0);
  EXPECT_TRUE(!session.RunTiny(**callable, fed, &results));
}

TEST(TinySteps, DoNotWaitForAVariable) {
  Doubled program(3);
  Node* holding = program.graph.Op("holding", "TestHolding", {{program.variable, 0}});
  DirectSession session(&program.graph.graph, {});
  const auto callable = program.Prepare(&session);
  ASSERT_OK(callable);
  std::vector<Tensor> results;
  ASSERT_OK(session.Run(**callable, {}, &results));
  holds = true;
  std::thread holder([&] { EXPECT_OK(RunOnce(&session, {}, {holding})); });
  while (!held) std::this_thread::yield();
  const auto meanwhile = session.RunTiny(**callable, {}, &results);
  holds = false;
  holder.join();
  EXPECT_TRUE(!meanwhile.has_value());
  const auto behind = session.RunTiny(**callable, {}, &results);
  EXPECT_TRUE(behind.has_value());
  if (!behind) return;
  ASSERT_OK(*behind);
  EXPECT_EQ(Values(results[0])[0], 2.0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
