#include <limits>

#include "kernels/framework/step_context.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// A barrier of a string and a number, used through its ops in one step.
class BarrierUser {
 public:
  BarrierUser() {
    const std::vector<DType> types{DType::kString, DType::kInt64};
    node_ = *graph_.AddNode({"b", "Barrier", {}, {}, {{"component_types", types}}, ""});
    EXPECT_OK(Run(node_, {}));
    handle_ = outputs_[0];
  }
  Status Insert(int64_t component, std::vector<std::string> keys, const Tensor& values) {
    const int64_t count = static_cast<int64_t>(keys.size());
    return Call("BarrierInsertMany", {Tensor::Strings({count}, std::move(keys)), values},
                {{"component_index", component}});
  }
  // The keys and numbers, as "a1 b2".
  Result<std::string> Take(int32_t count, bool allow_fewer = false) {
    const std::vector<DType> types{DType::kString, DType::kInt64};
    RETURN_IF_ERROR(Call("BarrierTakeMany", {Tensor::Scalar(count)},
                         {{"component_types", types}, {"allow_small_batch", allow_fewer}}));
    std::vector<std::string> told;
    for (int64_t i = 0; i < outputs_[1].value.num_elements(); ++i) {
      told.push_back(StrCat(outputs_[1].value.data<std::string>()[i],
                            outputs_[3].value.data<int64_t>()[i]));
    }
    return StrJoin(told, " ");
  }
  Status Close(bool cancel) {
    return Call("BarrierClose", {}, {{"cancel_pending_enqueues", cancel}});
  }
  int32_t Size(const std::string& op) {
    EXPECT_OK(Call(op, {}, {}));
    return *outputs_[0].value.data<int32_t>();
  }
  int64_t first_index() const { return *outputs_[0].value.data<int64_t>(); }

 private:
  Status Call(const std::string& op, const std::vector<Tensor>& values, AttrMap attrs) {
    NodeSpec spec{StrCat("op", calls_++), op, {{node_, 0}}, {}, std::move(attrs), ""};
    std::vector<Entry> inputs{handle_};
    for (const Tensor& value : values) {
      const AttrMap type{{"dtype", value.dtype()}};
      ASSIGN_OR_RETURN(Node * source,
                       graph_.AddNode({StrCat("in", calls_++), "Placeholder", {}, {}, type, ""}));
      spec.inputs.push_back({source, 0});
      inputs.push_back({value, nullptr});
    }
    ASSIGN_OR_RETURN(Node * node, graph_.AddNode(std::move(spec)));
    return Run(node, std::move(inputs));
  }
  Status Run(Node* node, std::vector<Entry> inputs) {
    ASSIGN_OR_RETURN(const KernelRegistration* registration,
                     KernelRegistry::Global().Find(*node, DeviceType::kCpu));
    kernels_.push_back(registration->make());  // the reference is the kernel's
    RETURN_IF_ERROR(kernels_.back()->Init({*node, CpuDevice(), &resources_}));
    const std::vector<Entry*> pointers = EntryPointers(&inputs);
    outputs_.assign(static_cast<size_t>(node->num_outputs()), Entry());
    const bool on_host[8] = {true, true, true, true, true, true, true, true};
    OpKernelContext context({node, CpuDevice(), pointers.data(), outputs_.data(), on_host, on_host,
                             nullptr, &step_});
    return kernels_.back()->Compute(&context);
  }

  Graph graph_;
  ResourceManager resources_;
  StepContext step_{1, &resources_};
  std::vector<std::unique_ptr<OpKernel>> kernels_;
  Node* node_ = nullptr;
  Entry handle_;
  std::vector<Entry> outputs_;
  int calls_ = 0;
};

TEST(Barrier, GivesWholeElementsInTheOrderOfTheirFirstParts) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a", "b"}, Tensor::Strings({2}, {"x", "y"})));
  EXPECT_OK(barrier.Insert(1, {"c", "b"}, Tensor::Vector<int64_t>({3, 2})));
  EXPECT_EQ(barrier.Size("BarrierIncompleteSize"), 2);
  EXPECT_OK(barrier.Insert(0, {"c"}, Tensor::Strings({1}, {"z"})));
  EXPECT_OK(barrier.Insert(1, {"a"}, Tensor::Vector<int64_t>({1})));
  EXPECT_EQ(barrier.Size("BarrierReadySize"), 3);
  EXPECT_EQ(*barrier.Take(2), "b2 a1");
  EXPECT_EQ(barrier.first_index(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*barrier.Take(1), "c3");
  EXPECT_EQ(barrier.first_index(), std::numeric_limits<int64_t>::min() + 1);
}

TEST(Barrier, OnceClosedTakesNoNewKeys) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a", "b"}, Tensor::Strings({2}, {"x", "y"})));
  EXPECT_OK(barrier.Insert(1, {"a"}, Tensor::Vector<int64_t>({1})));
  EXPECT_OK(barrier.Close(false));
  EXPECT_ERROR(barrier.Close(false), Code::kCancelled, "already closed");
  EXPECT_ERROR(barrier.Insert(0, {"c"}, Tensor::Strings({1}, {"z"})), Code::kCancelled,
               "brand new key: c");
  EXPECT_ERROR(barrier.Take(3), Code::kOutOfRange, "requested 3, total size 2");
  EXPECT_EQ(*barrier.Take(3, true), "a1");
  EXPECT_ERROR(barrier.Take(1, true), Code::kOutOfRange, "insufficient elements");
  EXPECT_OK(barrier.Insert(1, {"b"}, Tensor::Vector<int64_t>({2})));
  EXPECT_EQ(*barrier.Take(1), "b2");
}

TEST(Barrier, RefusesWhatDoesNotFit) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a"}, Tensor::Strings({1}, {"x"})));
  EXPECT_ERROR(barrier.Insert(0, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "already has a value for component 0");
  EXPECT_ERROR(barrier.Insert(2, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "component ID is out of range 2");
  EXPECT_ERROR(barrier.Insert(1, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "is of int64, not string");
  EXPECT_ERROR(barrier.Insert(1, {"a", "b"}, Tensor::Vector<int64_t>({1})), Code::kInvalidArgument,
               "as many rows");
  EXPECT_ERROR(barrier.Take(-1), Code::kInvalidArgument, "negative");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
