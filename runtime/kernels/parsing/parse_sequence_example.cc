// ParseSequenceExample, ParseSequenceExampleV2 and ParseSingleSequenceExample: SequenceExamples into
// tensors. A SequenceExample has its context where an Example has its features.
#include <algorithm>
#include <utility>

#include "kernels/parsing/example_outputs.h"
#include "kernels/parsing/ragged_outputs.h"
#include "kernels/parsing/sequence_outputs.h"

namespace tfbuild {
namespace {

// Of the context as of Examples, and of the lists with a dimension more for the steps; `ragged` is how
// many ragged features there are in the context.
Status SequenceShapes(ShapeContext* context, const PartialShape& batch, bool has_lengths,
                      int ragged = 0) {
  ASSIGN_OR_RETURN(const int64_t context_sparse, context->Attr<int64_t>("Ncontext_sparse"));
  RETURN_IF_ERROR(SetExampleShapes(context, batch, context_sparse, "context_sparse_types",
                                   "context_dense_shapes"));
  ASSIGN_OR_RETURN(const auto context_dense, context->Attr<std::vector<DType>>("Tcontext_dense"));
  ASSIGN_OR_RETURN(const int64_t num_sparse, context->Attr<int64_t>("Nfeature_list_sparse"));
  ASSIGN_OR_RETURN(const auto shapes,
                   context->Attr<std::vector<PartialShape>>("feature_list_dense_shapes"));
  const int n = static_cast<int>(num_sparse);
  const int first =
      3 * static_cast<int>(context_sparse) + static_cast<int>(context_dense.size()) + 2 * ragged;
  const int num_dense = static_cast<int>(shapes.size());
  if (first + 3 * n + num_dense * (has_lengths ? 2 : 1) > context->num_outputs()) {
    return InvalidArgument("there are fewer types than shapes of dense feature lists");
  }
  const int64_t rank = batch.known_rank() ? batch.rank() + 2 : kUnknownDim;
  for (int i = first; i < first + n; ++i) {
    context->set_output(i, PartialShape({kUnknownDim, rank}));
    context->set_output(n + i, PartialShape({kUnknownDim}));
    context->set_output(2 * n + i, PartialShape({rank}));
  }
  for (int i = 0; i < num_dense; ++i) {
    const PartialShape& shape = shapes[static_cast<size_t>(i)];
    const int output = first + 3 * n + i;
    if (!batch.known_rank()) continue;
    if (has_lengths) context->set_output(output + num_dense, batch);
    if (!shape.known_rank()) continue;
    std::vector<int64_t> dims = batch.dims();
    dims.push_back(kUnknownDim);
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    context->set_output(output, PartialShape(std::move(dims)));
  }
  return OkStatus();
}

Status BatchShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape batch, context->WithRank(0, 1));
  return SequenceShapes(context, batch, true);
}
Status AnyBatchShape(ShapeContext* context) {
  const PartialShape& batch = context->input(0);
  const auto specs = [&](const std::string& part) -> Result<std::vector<FeatureSpec>> {
    ASSIGN_OR_RETURN(const auto values, context->Attr<std::vector<DType>>(part + "_value_types"));
    ASSIGN_OR_RETURN(const auto splits, context->Attr<std::vector<DType>>(part + "_split_types"));
    return RaggedSpecs(values, splits);
  };
  ASSIGN_OR_RETURN(const auto in_context, specs("context_ragged"));
  ASSIGN_OR_RETURN(const auto in_lists, specs("feature_list_ragged"));
  const int ragged = static_cast<int>(in_context.size());
  RETURN_IF_ERROR(SequenceShapes(context, batch, true, ragged));
  ASSIGN_OR_RETURN(const int64_t sparse, context->Attr<int64_t>("Ncontext_sparse"));
  ASSIGN_OR_RETURN(const auto dense, context->Attr<std::vector<DType>>("Tcontext_dense"));
  const int count = static_cast<int>(in_lists.size());
  SetRaggedShapes(context, batch, static_cast<int>(3 * sparse) + static_cast<int>(dense.size()), ragged);
  SetRaggedShapes(context, batch, context->num_outputs() - 3 * count, count);
  for (int i = 0; i < count; ++i) {
    context->set_output(context->num_outputs() - count + i, PartialShape({kUnknownDim}));
  }
  return OkStatus();
}
Status SingleShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape batch, context->WithRank(0, 0));
  return SequenceShapes(context, batch, false);
}

// What the forms have in common.
#define TFBUILD_CONTEXT_OUTPUTS                                 \
  Output("context_sparse_indices: Ncontext_sparse * int64")     \
      .Output("context_sparse_values: context_sparse_types")    \
      .Output("context_sparse_shapes: Ncontext_sparse * int64") \
      .Output("context_dense_values: Tcontext_dense")
#define TFBUILD_LIST_OUTPUTS                                              \
  Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")     \
      .Output("feature_list_sparse_values: feature_list_sparse_types")    \
      .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64") \
      .Output("feature_list_dense_values: feature_list_dense_types")
#define TFBUILD_SEQUENCE_ATTRS                                 \
  Attr("Ncontext_sparse: int >= 0 = 0")                        \
      .Attr("Ncontext_dense: int >= 0 = 0")                    \
      .Attr("Nfeature_list_sparse: int >= 0 = 0")              \
      .Attr("Nfeature_list_dense: int >= 0 = 0")               \
      .Attr("context_sparse_types: list(type) >= 0 = []")      \
      .Attr("Tcontext_dense: list(type) >= 0 = []")            \
      .Attr("feature_list_dense_types: list(type) >= 0 = []")  \
      .Attr("context_dense_shapes: list(shape) >= 0 = []")     \
      .Attr("feature_list_sparse_types: list(type) >= 0 = []") \
      .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")

REGISTER_OP("ParseSequenceExample")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_dense_defaults: Tcontext_dense")
    .TFBUILD_CONTEXT_OUTPUTS
    .TFBUILD_LIST_OUTPUTS
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .Attr("context_sparse_keys: list(string) >= 0")
    .Attr("context_dense_keys: list(string) >= 0")
    .Attr("feature_list_sparse_keys: list(string) >= 0")
    .Attr("feature_list_dense_keys: list(string) >= 0")
    .TFBUILD_SEQUENCE_ATTRS
    .ShapeFunction(BatchShape);
REGISTER_OP("ParseSequenceExampleV2")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_sparse_keys: string")
    .Input("context_dense_keys: string")
    .Input("context_ragged_keys: string")
    .Input("feature_list_sparse_keys: string")
    .Input("feature_list_dense_keys: string")
    .Input("feature_list_ragged_keys: string")
    .Input("feature_list_dense_missing_assumed_empty: bool")
    .Input("context_dense_defaults: Tcontext_dense")
    .TFBUILD_CONTEXT_OUTPUTS
    .Output("context_ragged_values: context_ragged_value_types")
    .Output("context_ragged_row_splits: context_ragged_split_types")
    .TFBUILD_LIST_OUTPUTS
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Output("feature_list_ragged_values: feature_list_ragged_value_types")
    .Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types")
    .Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Tcontext_dense: list(type) >= 0 = []")
    .Attr("context_sparse_types: list(type) >= 0 = []")
    .Attr("context_ragged_value_types: list(type) >= 0 = []")
    .Attr("context_ragged_split_types: list(type) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("feature_list_dense_types: list(type) >= 0 = []")
    .Attr("feature_list_sparse_types: list(type) >= 0 = []")
    .Attr("feature_list_ragged_value_types: list(type) >= 0 = []")
    .Attr("feature_list_ragged_split_types: list(type) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .ShapeFunction(AnyBatchShape);
REGISTER_OP("ParseSingleSequenceExample")
    .Input("serialized: string")
    .Input("feature_list_dense_missing_assumed_empty: string")
    .Input("context_sparse_keys: Ncontext_sparse * string")
    .Input("context_dense_keys: Ncontext_dense * string")
    .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
    .Input("feature_list_dense_keys: Nfeature_list_dense * string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Input("debug_name: string")
    .TFBUILD_CONTEXT_OUTPUTS
    .TFBUILD_LIST_OUTPUTS
    .TFBUILD_SEQUENCE_ATTRS
    .ShapeFunction(SingleShape);

using Keys = std::vector<std::string>;

// The keys of one call, and which dense lists may be missing.
struct SequenceKeys {
  Keys context_sparse, context_dense, list_sparse, list_dense;
  std::vector<bool> may_miss;
  const Tensor* context_ragged = nullptr;  // of ParseSequenceExampleV2 alone
  const Tensor* list_ragged = nullptr;
};

// What all three forms have.
class SequenceExampleOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const auto types = [&](const char* name) { return construction.Attr<std::vector<DType>>(name); };
    const auto shapes = [&](const char* name) {
      return construction.Attr<std::vector<PartialShape>>(name);
    };
    ASSIGN_OR_RETURN(const auto context_sparse, types("context_sparse_types"));
    ASSIGN_OR_RETURN(const auto context_dense, types("Tcontext_dense"));
    ASSIGN_OR_RETURN(const auto list_sparse, types("feature_list_sparse_types"));
    ASSIGN_OR_RETURN(const auto list_dense, types("feature_list_dense_types"));
    ASSIGN_OR_RETURN(const auto context_shapes, shapes("context_dense_shapes"));
    ASSIGN_OR_RETURN(const auto list_shapes, shapes("feature_list_dense_shapes"));
    ASSIGN_OR_RETURN(context_sparse_, SparseSpecs(context_sparse));
    ASSIGN_OR_RETURN(context_dense_, DenseSpecs(context_dense, context_shapes));
    ASSIGN_OR_RETURN(list_sparse_, SparseSpecs(list_sparse));
    ASSIGN_OR_RETURN(list_dense_, DenseSpecs(list_dense, list_shapes));
    for (const std::vector<FeatureSpec>* specs : {&context_dense_, &list_dense_}) {
      for (const FeatureSpec& spec : *specs) {
        if (spec.is_variable) return InvalidArgument("the shape ", spec.shape, " is not known");
      }
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  // `defaults` is the first input with one, `names` that of names for messages.
  Status Parse(OpKernelContext* context, SequenceKeys keys, int defaults, int names,
               bool has_lengths) const {
    const Tensor& serialized = context->input(0);
    if (serialized.rank() > 1) {
      return InvalidArgument("Expected serialized to be a scalar or vector, got shape: ",
                             serialized.shape());
    }
    ExampleRequest example;
    example.serialized = serialized.data<std::string>();
    example.batch = serialized.num_elements();
    example.is_single = serialized.rank() == 0;
    const Tensor& given = context->input(names);
    if (given.num_elements() == example.batch && example.batch > 0) {
      example.names = given.data<std::string>();
    } else if (given.num_elements() > 0) {
      return InvalidArgument("there are ", given.num_elements(), " names for ", example.batch,
                             " serialized messages");
    }
    RETURN_IF_ERROR(AskContext(*context, keys, defaults, &example));
    SequenceRequest lists;
    RETURN_IF_ERROR(AskLists(example, std::move(keys), has_lengths, &lists));
    const int outputs = lists.first_output + 2 * lists.num_sparse + 2 * lists.num_ragged +
                        static_cast<int>(lists.specs.size() + (has_lengths ? list_dense_.size() : 0));
    if (outputs != context->num_outputs()) {
      return InvalidArgument("there are ", context->num_outputs(), " outputs for what makes ",
                             outputs);
    }
    RETURN_IF_ERROR(ParseExamples(example, context));
    return ParseSequences(lists, context);
  }

  std::vector<FeatureSpec> context_ragged_, list_ragged_;  // of ParseSequenceExampleV2 alone

 private:
  Status AskContext(const OpKernelContext& context, const SequenceKeys& keys, int defaults,
                    ExampleRequest* example) const {
    std::vector<FeatureSpec> dense = context_dense_;
    RETURN_IF_ERROR(TakeDefaults(context, defaults, &dense));
    example->num_sparse = static_cast<int>(context_sparse_.size());
    example->num_ragged = static_cast<int>(context_ragged_.size());
    ASSIGN_OR_RETURN(example->specs, Named(context_sparse_, keys.context_sparse, dense,
                                           keys.context_dense));
    if (keys.context_ragged == nullptr) return OkStatus();
    return AppendRagged(context_ragged_, *keys.context_ragged, &example->specs);
  }

  Status AskLists(const ExampleRequest& example, SequenceKeys keys, bool has_lengths,
                  SequenceRequest* lists) const {
    ASSIGN_OR_RETURN(lists->specs, Named(list_sparse_, keys.list_sparse, list_dense_,
                                         keys.list_dense));
    if (keys.list_ragged != nullptr) {
      RETURN_IF_ERROR(AppendRagged(list_ragged_, *keys.list_ragged, &lists->specs));
    }
    if (keys.may_miss.size() != list_dense_.size()) {
      return InvalidArgument("it is said of ", keys.may_miss.size(), " dense feature lists and not ",
                             list_dense_.size(), " whether they may be missing");
    }
    lists->may_miss = std::move(keys.may_miss);
    lists->num_sparse = static_cast<int>(list_sparse_.size());
    lists->num_ragged = static_cast<int>(list_ragged_.size());
    lists->first_output =
        2 * example.num_sparse + static_cast<int>(example.specs.size()) + example.num_ragged;
    lists->has_lengths = has_lengths;
    lists->serialized = example.serialized;
    lists->names = example.names;
    lists->batch = example.batch;
    lists->is_single = example.is_single;
    return OkStatus();
  }

  static Result<std::vector<FeatureSpec>> Named(std::vector<FeatureSpec> specs, const Keys& sparse,
                                                const std::vector<FeatureSpec>& dense,
                                                const Keys& dense_keys) {
    if (sparse.size() != specs.size() || dense_keys.size() != dense.size()) {
      return InvalidArgument("there are ", sparse.size(), " and ", dense_keys.size(), " keys for ",
                             specs.size(), " sparse and ", dense.size(), " dense features");
    }
    specs.insert(specs.end(), dense.begin(), dense.end());
    for (size_t i = 0; i < specs.size(); ++i) {
      specs[i].key = i < sparse.size() ? sparse[i] : dense_keys[i - sparse.size()];
    }
    return specs;
  }

  std::vector<FeatureSpec> context_sparse_, context_dense_, list_sparse_, list_dense_;
};

std::vector<bool> Among(const Keys& keys, const Keys& some) {
  std::vector<bool> among;
  for (const std::string& key : keys) {
    among.push_back(std::find(some.begin(), some.end(), key) != some.end());
  }
  return among;
}

Keys KeysIn(const Tensor& keys) {
  return Keys(keys.data<std::string>(), keys.data<std::string>() + keys.num_elements());
}

class ParseSequenceExampleOp final : public SequenceExampleOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(SequenceExampleOp::Init(construction));
    const auto keys = [&](const char* name) { return construction.Attr<Keys>(name); };
    ASSIGN_OR_RETURN(keys_.context_sparse, keys("context_sparse_keys"));
    ASSIGN_OR_RETURN(keys_.context_dense, keys("context_dense_keys"));
    ASSIGN_OR_RETURN(keys_.list_sparse, keys("feature_list_sparse_keys"));
    ASSIGN_OR_RETURN(keys_.list_dense, keys("feature_list_dense_keys"));
    ASSIGN_OR_RETURN(const Keys may_miss, keys("feature_list_dense_missing_assumed_empty"));
    keys_.may_miss = Among(keys_.list_dense, may_miss);
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override { return Parse(context, keys_, 2, 1, true); }

 private:
  SequenceKeys keys_;
};

class ParseSequenceExampleV2Op final : public SequenceExampleOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(SequenceExampleOp::Init(construction));
    const auto types = [&](const char* name) { return construction.Attr<std::vector<DType>>(name); };
    ASSIGN_OR_RETURN(const auto in_context, types("context_ragged_value_types"));
    ASSIGN_OR_RETURN(const auto context_splits, types("context_ragged_split_types"));
    ASSIGN_OR_RETURN(const auto in_lists, types("feature_list_ragged_value_types"));
    ASSIGN_OR_RETURN(const auto list_splits, types("feature_list_ragged_split_types"));
    ASSIGN_OR_RETURN(context_ragged_, RaggedSpecs(in_context, context_splits));
    ASSIGN_OR_RETURN(list_ragged_, RaggedSpecs(in_lists, list_splits));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    constexpr int kFirstDefault = 9;
    SequenceKeys keys;
    keys.context_ragged = &context->input(4);
    keys.list_ragged = &context->input(7);
    keys.context_sparse = KeysIn(context->input(2));
    keys.context_dense = KeysIn(context->input(3));
    keys.list_sparse = KeysIn(context->input(5));
    keys.list_dense = KeysIn(context->input(6));
    const Tensor& may_miss = context->input(8);
    keys.may_miss.assign(may_miss.data<bool>(), may_miss.data<bool>() + may_miss.num_elements());
    return Parse(context, std::move(keys), kFirstDefault, 1, true);
  }
};

class ParseSingleSequenceExampleOp final : public SequenceExampleOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(SequenceExampleOp::Init(construction));
    int i = 0;
    for (const char* name : {"Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse",
                             "Nfeature_list_dense"}) {
      ASSIGN_OR_RETURN(counts_[i++], construction.Attr<int64_t>(name));
    }
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    if (context->input(0).rank() != 0) {
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             context->input(0).shape());
    }
    SequenceKeys keys;
    Keys* const parts[] = {&keys.context_sparse, &keys.context_dense, &keys.list_sparse,
                           &keys.list_dense};
    int input = 2;
    for (int part = 0; part < 4; ++part) {
      for (int64_t k = 0; k < counts_[part]; ++k) {
        const Tensor& key = context->input(input++);
        if (key.num_elements() != 1) return InvalidArgument("a key must be one string");
        parts[part]->push_back(*key.data<std::string>());
      }
    }
    keys.may_miss = Among(keys.list_dense, KeysIn(context->input(1)));
    return Parse(context, std::move(keys), input, context->num_inputs() - 1, false);
  }

 private:
  int64_t counts_[4] = {};
};

REGISTER_KERNEL(Kernel("ParseSequenceExample").OnCpu(), ParseSequenceExampleOp);
REGISTER_KERNEL(Kernel("ParseSequenceExampleV2").OnCpu(), ParseSequenceExampleV2Op);
REGISTER_KERNEL(Kernel("ParseSingleSequenceExample").OnCpu(), ParseSingleSequenceExampleOp);

}  // namespace
}  // namespace tfbuild
