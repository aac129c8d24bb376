// ReaderRead, ReaderReadUpTo and what else is asked of a reader.
#include <utility>

#include "graph/shape_context.h"
#include "kernels/io/reader.h"

namespace tfbuild {
namespace {

Status TwoScalars(ShapeContext* context) {
  context->set_output(0, PartialShape(Shape{}));
  context->set_output(1, PartialShape(Shape{}));
  return OkStatus();
}

Status TwoVectors(ShapeContext* context) {
  context->set_output(0, PartialShape({kUnknownDim}));
  context->set_output(1, PartialShape({kUnknownDim}));
  return OkStatus();
}

#define DEFINE(suffix, reader, queue)                                                        \
  REGISTER_OP("ReaderRead" suffix)                                                           \
      .Input("reader_handle: " reader)                                                       \
      .Input("queue_handle: " queue)                                                         \
      .Output("key: string")                                                                 \
      .Output("value: string")                                                               \
      .Stateful()                                                                            \
      .ShapeFunction(TwoScalars);                                                            \
  REGISTER_OP("ReaderReadUpTo" suffix)                                                       \
      .Input("reader_handle: " reader)                                                       \
      .Input("queue_handle: " queue)                                                         \
      .Input("num_records: int64")                                                           \
      .Output("keys: string")                                                                \
      .Output("values: string")                                                              \
      .Stateful()                                                                            \
      .ShapeFunction(TwoVectors);                                                            \
  REGISTER_OP("ReaderNumRecordsProduced" suffix)                                             \
      .Input("reader_handle: " reader)                                                       \
      .Output("records_produced: int64")                                                     \
      .Stateful()                                                                            \
      .ShapeFunction(ScalarShape);                                                           \
  REGISTER_OP("ReaderNumWorkUnitsCompleted" suffix)                                          \
      .Input("reader_handle: " reader)                                                       \
      .Output("units_completed: int64")                                                      \
      .Stateful()                                                                            \
      .ShapeFunction(ScalarShape);                                                           \
  REGISTER_OP("ReaderSerializeState" suffix)                                                 \
      .Input("reader_handle: " reader)                                                       \
      .Output("state: string")                                                               \
      .Stateful()                                                                            \
      .ShapeFunction(ScalarShape);                                                           \
  REGISTER_OP("ReaderRestoreState" suffix)                                                   \
      .Input("reader_handle: " reader)                                                       \
      .Input("state: string")                                                                \
      .Stateful()                                                                            \
      .ShapeFunction(NoOutputs);                                                             \
  REGISTER_OP("ReaderReset" suffix)                                                          \
      .Input("reader_handle: " reader)                                                       \
      .Stateful()                                                                            \
      .ShapeFunction(NoOutputs);
DEFINE("V2", "resource", "resource")
DEFINE("", "Ref(string)", "Ref(string)")
#undef DEFINE

template <bool kMany>
class ReaderReadOp final : public AsyncOpKernel {
 public:
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Result<std::shared_ptr<Reader>> reader = SharedAt<Reader>(*context, 0);
    if (!reader.ok()) return done(reader.status());
    Result<std::shared_ptr<Queue>> queue = SharedAt<Queue>(*context, 1);
    if (!queue.ok()) return done(queue.status());
    const Status fits = (*queue)->CheckTypes({DType::kString});
    if (!fits.ok()) return done(fits);
    int64_t at_most = 1;
    if (kMany) {
      if (context->input(2).rank() != 0) return done(InvalidArgument("num_records must be a scalar"));
      at_most = *context->input(2).data<int64_t>();
    }
    (*reader)->Read(*std::move(queue), context->step(), at_most,
                    [context, done = std::move(done)](const Status& status,
                                                      const std::vector<Record>& records) {
                      if (status.ok()) Set(context, records);
                      done(status);
                    });
  }

 private:
  static void Set(OpKernelContext* context, const std::vector<Record>& records) {
    std::vector<std::string> keys, values;
    for (const Record& record : records) {
      keys.push_back(record.key);
      values.push_back(record.value);
    }
    const Shape shape = kMany ? Shape{static_cast<int64_t>(records.size())} : Shape{};
    context->SetOutput(0, Tensor::Strings(shape, std::move(keys)));
    context->SetOutput(1, Tensor::Strings(shape, std::move(values)));
  }
};

class NumRecordsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, SharedAt<Reader>(*context, 0));
    context->SetOutput(0, Tensor::Scalar(reader->num_records_produced()));
    return OkStatus();
  }
};

class NumWorkUnitsOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, SharedAt<Reader>(*context, 0));
    context->SetOutput(0, Tensor::Scalar(reader->num_work_units_completed()));
    return OkStatus();
  }
};

class SerializeStateOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, SharedAt<Reader>(*context, 0));
    ASSIGN_OR_RETURN(std::string state, reader->SerializeState());
    context->SetOutput(0, Tensor::Strings(Shape{}, {std::move(state)}));
    return OkStatus();
  }
};

class RestoreStateOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, SharedAt<Reader>(*context, 0));
    if (context->input(1).rank() != 0) return InvalidArgument("Reader state must be scalar");
    return reader->RestoreState(*context->input(1).data<std::string>());
  }
};

class ResetOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, SharedAt<Reader>(*context, 0));
    reader->Reset();
    return OkStatus();
  }
};

#define REGISTER(name, ...)                              \
  REGISTER_KERNEL(Kernel(name).OnCpu(), __VA_ARGS__);    \
  REGISTER_KERNEL(Kernel(name "V2").OnCpu(), __VA_ARGS__)
REGISTER("ReaderRead", ReaderReadOp<false>);
REGISTER("ReaderReadUpTo", ReaderReadOp<true>);
REGISTER("ReaderNumRecordsProduced", NumRecordsOp);
REGISTER("ReaderNumWorkUnitsCompleted", NumWorkUnitsOp);
REGISTER("ReaderSerializeState", SerializeStateOp);
REGISTER("ReaderRestoreState", RestoreStateOp);
REGISTER("ReaderReset", ResetOp);
#undef REGISTER

}  // namespace
}  // namespace tfbuild
