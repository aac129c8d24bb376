// ParseExample, ParseExampleV2 and ParseSingleExample: Examples into tensors.
#include <utility>

#include "kernels/parsing/example_outputs.h"
#include "kernels/parsing/ragged_outputs.h"

namespace tfbuild {
namespace {

Status OutputShapes(ShapeContext* context, const PartialShape& batch, int64_t num_sparse) {
  return SetExampleShapes(context, batch, num_sparse, "sparse_types", "dense_shapes");
}

Status ExampleShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape batch, context->WithRank(0, 1));
  ASSIGN_OR_RETURN(const int64_t sparse, context->Attr<int64_t>("Nsparse"));
  ASSIGN_OR_RETURN(const int64_t dense, context->Attr<int64_t>("Ndense"));
  ASSIGN_OR_RETURN(const auto types, context->Attr<std::vector<DType>>("Tdense"));
  if (static_cast<int64_t>(types.size()) != dense) {
    return InvalidArgument("there are ", types.size(), " Tdense for ", dense, " dense features");
  }
  return OutputShapes(context, batch, sparse);
}
Status ExampleV2Shape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t sparse, context->Attr<int64_t>("num_sparse"));
  RETURN_IF_ERROR(OutputShapes(context, context->input(0), sparse));
  ASSIGN_OR_RETURN(const auto dense, context->Attr<std::vector<DType>>("Tdense"));
  ASSIGN_OR_RETURN(const auto values, context->Attr<std::vector<DType>>("ragged_value_types"));
  ASSIGN_OR_RETURN(const auto splits, context->Attr<std::vector<DType>>("ragged_split_types"));
  RETURN_IF_ERROR(RaggedSpecs(values, splits).status());
  SetRaggedShapes(context, context->input(0), static_cast<int>(3 * sparse) +
                  static_cast<int>(dense.size()), static_cast<int>(values.size()));
  return OkStatus();
}
Status SingleExampleShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape batch, context->WithRank(0, 0));
  ASSIGN_OR_RETURN(const int64_t sparse, context->Attr<int64_t>("num_sparse"));
  return OutputShapes(context, batch, sparse);
}

REGISTER_OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list(type) >= 0")
    .Attr("Tdense: list(type) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .ShapeFunction(ExampleShape);
REGISTER_OP("ParseExampleV2")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: string")
    .Input("dense_keys: string")
    .Input("ragged_keys: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Output("ragged_values: ragged_value_types")
    .Output("ragged_row_splits: ragged_split_types")
    .Attr("Tdense: list(type) >= 0")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_types: list(type) >= 0")
    .Attr("ragged_value_types: list(type) >= 0")
    .Attr("ragged_split_types: list(type) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .ShapeFunction(ExampleV2Shape);
REGISTER_OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list(type) >= 0")
    .Attr("Tdense: list(type) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .ShapeFunction(SingleExampleShape);

// What all three forms have.
class ExampleOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const auto sparse, construction.Attr<std::vector<DType>>("sparse_types"));
    ASSIGN_OR_RETURN(const auto dense, construction.Attr<std::vector<DType>>("Tdense"));
    ASSIGN_OR_RETURN(const auto shapes,
                     construction.Attr<std::vector<PartialShape>>("dense_shapes"));
    ASSIGN_OR_RETURN(sparse_, SparseSpecs(sparse));
    ASSIGN_OR_RETURN(dense_, DenseSpecs(dense, shapes));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  // `names` and `ragged_keys` may be null, `defaults` is the first input with one.
  Status Parse(OpKernelContext* context, std::vector<std::string> keys, const Tensor* names,
               int defaults, const Tensor* ragged_keys = nullptr) const {
    if (keys.size() != sparse_.size() + dense_.size()) {
      return InvalidArgument("there are ", keys.size(), " keys for ", sparse_.size(),
                             " sparse and ", dense_.size(), " dense features");
    }
    ExampleRequest request;
    std::vector<FeatureSpec> dense = dense_;
    RETURN_IF_ERROR(TakeDefaults(*context, defaults, &dense));
    request.specs = sparse_;
    request.specs.insert(request.specs.end(), dense.begin(), dense.end());
    for (size_t i = 0; i < keys.size(); ++i) request.specs[i].key = std::move(keys[i]);
    request.num_sparse = static_cast<int>(sparse_.size());
    request.num_ragged = static_cast<int>(ragged_.size());
    if (ragged_keys != nullptr) {
      RETURN_IF_ERROR(AppendRagged(ragged_, *ragged_keys, &request.specs));
    }
    const Tensor& serialized = context->input(0);
    if (serialized.rank() > 1) {
      return InvalidArgument("Expected serialized to be a scalar or vector, got shape: ",
                             serialized.shape());
    }
    request.serialized = serialized.data<std::string>();
    request.batch = serialized.num_elements();
    request.is_single = serialized.rank() == 0;
    if (names != nullptr && names->num_elements() > 0) {
      if (names->shape() != serialized.shape()) {
        return InvalidArgument("names and serialized must have the same shape, not ",
                               names->shape(), " and ", serialized.shape());
      }
      request.names = names->data<std::string>();
    }
    return ParseExamples(request, context);
  }
  int num_keys() const { return static_cast<int>(sparse_.size() + dense_.size()); }

  std::vector<FeatureSpec> ragged_;  // of ParseExampleV2 alone

 private:
  std::vector<FeatureSpec> sparse_;
  std::vector<FeatureSpec> dense_;
};

class ParseExampleOp final : public ExampleOp {
 public:
  Status Compute(OpKernelContext* context) override {
    constexpr int kFirstKey = 2;
    std::vector<std::string> keys;
    for (int i = 0; i < num_keys(); ++i) {
      const Tensor& key = context->input(kFirstKey + i);
      if (key.num_elements() != 1) return InvalidArgument("a key must be one string");
      keys.push_back(*key.data<std::string>());
    }
    return Parse(context, std::move(keys), &context->input(1), kFirstKey + num_keys());
  }
};

class ParseExampleV2Op final : public ExampleOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(ExampleOp::Init(construction));
    ASSIGN_OR_RETURN(const auto values, construction.Attr<std::vector<DType>>("ragged_value_types"));
    ASSIGN_OR_RETURN(const auto splits, construction.Attr<std::vector<DType>>("ragged_split_types"));
    ASSIGN_OR_RETURN(ragged_, RaggedSpecs(values, splits));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    std::vector<std::string> keys;
    for (const int input : {2, 3}) {
      const Tensor& some = context->input(input);
      keys.insert(keys.end(), some.data<std::string>(),
                  some.data<std::string>() + some.num_elements());
    }
    return Parse(context, std::move(keys), &context->input(1), 5, &context->input(4));
  }
};

class ParseSingleExampleOp final : public ExampleOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(ExampleOp::Init(construction));
    ASSIGN_OR_RETURN(keys_, construction.Attr<std::vector<std::string>>("sparse_keys"));
    ASSIGN_OR_RETURN(const auto dense, construction.Attr<std::vector<std::string>>("dense_keys"));
    keys_.insert(keys_.end(), dense.begin(), dense.end());
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override { return Parse(context, keys_, nullptr, 1); }

 private:
  std::vector<std::string> keys_;
};

REGISTER_KERNEL(Kernel("ParseExample").OnCpu(), ParseExampleOp);
REGISTER_KERNEL(Kernel("ParseExampleV2").OnCpu(), ParseExampleV2Op);
REGISTER_KERNEL(Kernel("ParseSingleExample").OnCpu(), ParseSingleExampleOp);

}  // namespace
}  // namespace tfbuild
