// RandomShuffle: the rows of a tensor in random order.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/random/philox_words.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

constexpr int64_t kRandomShuffleGrain = 65536;  // bytes that are worth a thread

REGISTER_OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: type")
    .Stateful()
    .ShapeFunction(UnchangedShape);

void CopyRow(const Tensor& from, int64_t from_row, Tensor* to, int64_t to_row, int64_t length) {
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + from_row * length, length,
                to->mutable_data<std::string>() + to_row * length);
    return;
  }
  const int64_t bytes = length * DTypeSize(from.dtype());
  std::memcpy(static_cast<char*>(to->raw()) + to_row * bytes,
              static_cast<const char*>(from.raw()) + from_row * bytes,
              static_cast<size_t>(bytes));
}

class RandomShuffleOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return stream_.Init(construction);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(0);
    if (value.num_elements() <= 1 || value.dim(0) <= 1) {
      context->SetOutput(0, value);
      return OkStatus();
    }
    const int64_t rows = value.dim(0);
    if (rows > std::numeric_limits<uint32_t>::max()) {
      return Unimplemented("RandomShuffle of 2^32 rows and more");
    }
    ASSIGN_OR_RETURN(const Tensor order, Permutation(context, rows));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, value.shape()));
    const int64_t length = value.num_elements() / rows;
    const int64_t row_bytes = std::max(1, DTypeSize(value.dtype())) * length;
    ParallelFor(rows, kRandomShuffleGrain / row_bytes + 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        CopyRow(value, order.data<int64_t>()[row], output, row, length);
      }
    });
    return OkStatus();
  }

 private:
  // Fisher and Yates from the front: place i takes one of those that remain.
  Result<Tensor> Permutation(OpKernelContext* context, int64_t count) {
    ASSIGN_OR_RETURN(Tensor order, context->AllocateTemp(DType::kInt64, Shape{count}));
    int64_t* place = order.mutable_data<int64_t>();
    StopLook look;
    for (int64_t i = 0; i < count; ++i) {
      look.Turn();
      place[i] = i;
    }
    // As many calls as `count` - 1 words take.
    PhiloxWordStream words(stream_.ReserveCalls(static_cast<uint64_t>(count + 2) / 4));
    for (int64_t i = 0; i + 1 < count; ++i) {
      look.Turn();
      std::swap(place[i], place[i + words.Next() % static_cast<uint32_t>(count - i)]);
    }
    return order;
  }

  RandomStream stream_;
};

REGISTER_KERNEL(Kernel("RandomShuffle").OnCpu(), RandomShuffleOp);

}  // namespace
}  // namespace tfbuild
