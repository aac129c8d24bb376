// Unique: the different elements of a vector in the order in which they come first, and for each
// element the number of the one that it is.
#include <limits>
#include <unordered_map>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status UniqueShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape x, context->WithRank(0, 1));
  context->set_output(0, PartialShape({kUnknownDim}));
  context->set_output(1, x);
  return OkStatus();
}

REGISTER_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .ShapeFunction(UniqueShape);

template <typename T, typename Index>
class UniqueOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    if (x.rank() != 1) return InvalidArgument("unique expects a 1D vector, not shape ", x.shape());
    const int64_t count = x.num_elements();
    if (count > std::numeric_limits<Index>::max()) {
      return InvalidArgument("unique does not support input tensors larger than ",
                             std::numeric_limits<Index>::max(), " elements");
    }
    ASSIGN_OR_RETURN(Tensor * numbers, context->AllocateOutput(1, x.shape()));
    const T* from = x.data<T>();
    Index* number = numbers->mutable_data<Index>();
    std::unordered_map<Key, Index> known;
    std::vector<int64_t> firsts;
    for (int64_t i = 0; i < count; ++i) {
      const Index next = static_cast<Index>(firsts.size());
      const Key key(from[i]);
      if (key != key) {  // one more NaN
        number[i] = next;
        firsts.push_back(i);
        continue;
      }
      const auto [found, is_new] = known.emplace(key, next);
      number[i] = found->second;
      if (is_new) firsts.push_back(i);
    }
    ASSIGN_OR_RETURN(Tensor * y,
                     context->AllocateOutput(0, Shape{static_cast<int64_t>(firsts.size())}));
    T* to = y->mutable_data<T>();
    for (size_t k = 0; k < firsts.size(); ++k) to[k] = from[firsts[k]];
    return OkStatus();
  }

 private:
  // Half and bfloat16 are compared as what they stand for. All NaNs are different, both zeros equal.
  using Key = ComputeTypeOf<T>;
};

#define REGISTER(T)                                                                          \
  REGISTER_KERNEL(Kernel("Unique").OnCpu().Type<T>("T").Type<int32_t>("out_idx"),            \
                  UniqueOp<T, int32_t>);                                                     \
  REGISTER_KERNEL(Kernel("Unique").OnCpu().Type<T>("T").Type<int64_t>("out_idx"),            \
                  UniqueOp<T, int64_t>);
TFBUILD_NUMBER_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
