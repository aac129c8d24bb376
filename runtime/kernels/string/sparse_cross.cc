// SparseCross: for each row of a batch all combinations of one feature of each column, as words joined
// by "_X_" or as hashes.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/stop_look.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/string/string_hash.h"

namespace tfbuild {
namespace {

Status CheckTypes(ShapeContext* context, const char* name) {
  ASSIGN_OR_RETURN(const auto types, context->Attr<std::vector<DType>>(name));
  for (const DType type : types) {
    if (type == DType::kInt64 || type == DType::kString) continue;
    return InvalidArgument("Value for attr '", name, "' is not in the list of allowed values: int64, "
                           "string");
  }
  return OkStatus();
}

Status SparseCrossShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckTypes(context, "sparse_types"));
  RETURN_IF_ERROR(CheckTypes(context, "dense_types"));
  context->set_output(0, PartialShape({kUnknownDim, 2}));
  context->set_output(1, PartialShape({kUnknownDim}));
  context->set_output(2, PartialShape({2}));
  return OkStatus();
}

REGISTER_OP("SparseCross")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Output("output_indices: int64")
    .Output("output_values: out_type")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("hashed_output: bool")
    .Attr("num_buckets: int >= 0")
    .Attr("hash_key: int")
    .Attr("sparse_types: list(type) >= 0")  // of int64 and string, as below
    .Attr("dense_types: list(type) >= 0")
    .Attr("out_type: {int64, string}")
    .Attr("internal_type: {int64, string}")
    .ShapeFunction(SparseCrossShape);

// The features of one column, by row. Only rows that have some take memory, as a shape may promise more
// than anybody has.
class Column {
 public:
  struct Features {
    int64_t begin = 0;
    int64_t count = 0;
  };

  static Result<Column> OfSparse(const Tensor& indices, const Tensor& values, const Tensor& shape) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> dims, VectorFrom(shape, "shape"));
    if (dims.size() != 2) {
      return InvalidArgument("shape should imply a 2D tensor, but got ", dims.size(), " dimensions");
    }
    if (indices.rank() != 2 || indices.dim(1) != 2) {
      return InvalidArgument("Input indices should be a matrix of 2 columns but received shape ",
                             indices.shape());
    }
    if (values.rank() != 1 || values.dim(0) != indices.dim(0)) {
      return InvalidArgument("Expected ", indices.dim(0), " values, got ", values.shape());
    }
    ASSIGN_OR_RETURN(const Tensor flat, indices.Reshaped(Shape{indices.num_elements()}));
    ASSIGN_OR_RETURN(const std::vector<int64_t> places, flat.IntValues());
    Column column(values, dims[0]);
    StopLook look;
    for (int64_t i = 0; i < indices.dim(0); ++i) {
      look.Turn();
      const int64_t row = places[static_cast<size_t>(2 * i)];
      if (row < 0 || row >= dims[0] || (i > 0 && row < column.filled_.back())) {
        return InvalidArgument("indices[", i, "] is out of order or of bounds: row ", row, " of ",
                               dims[0]);
      }
      column.Add(row);
    }
    return column;
  }
  static Result<Column> OfDense(const Tensor& values) {
    if (values.rank() != 2) {
      return InvalidArgument("Dense inputs should be matrices, got ", values.shape());
    }
    Column column(values, values.dim(0));
    StopLook look;
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      look.Turn();
      column.Add(i / values.dim(1));
    }
    return column;
  }

  int64_t rows() const { return rows_; }
  // The rows that have features, in order.
  const std::vector<int64_t>& filled() const { return filled_; }
  Features At(int64_t row) const {
    const auto found = std::lower_bound(filled_.begin(), filled_.end(), row);
    if (found == filled_.end() || *found != row) return {};
    const size_t at = static_cast<size_t>(found - filled_.begin());
    return {begins_[at], begins_[at + 1] - begins_[at]};
  }
  uint64_t Hash(int64_t at) const {
    if (values_.dtype() == DType::kString) return Fingerprint64(values_.data<std::string>()[at]);
    return static_cast<uint64_t>(values_.data<int64_t>()[at]);
  }
  std::string Word(int64_t at) const {
    if (values_.dtype() == DType::kString) return values_.data<std::string>()[at];
    return StrCat(values_.data<int64_t>()[at]);
  }

 private:
  Column(const Tensor& values, int64_t rows) : values_(values), rows_(rows) {}
  // One more feature, of the last row or of a later one.
  void Add(int64_t row) {
    if (filled_.empty() || filled_.back() != row) {
      filled_.push_back(row);
      begins_.push_back(begins_.back());
    }
    ++begins_.back();
  }

  Tensor values_;
  int64_t rows_;
  std::vector<int64_t> filled_;
  std::vector<int64_t> begins_ = {0};  // of each filled row, and where the last one ends
};

using Columns = std::vector<Column>;

// The features of each column in a row, and which of them are chosen.
class Crosses {
 public:
  Crosses(const Columns& columns, int64_t row) {
    for (const Column& column : columns) {
      features_.push_back(column.At(row));
      chosen_.push_back(features_.back().begin);
    }
  }
  // How many combinations there are; more than kMaxElements where there are too many.
  int64_t count() const {
    int64_t count = 1;
    for (const Column::Features& features : features_) {
      if (features.count == 0) return 0;
      count = count > kMaxElements / features.count ? kMaxElements + 1 : count * features.count;
    }
    return count;
  }
  const std::vector<int64_t>& chosen() const { return chosen_; }
  // The next combination, the last column's features first.
  void Next() {
    for (size_t i = features_.size(); i-- > 0;) {
      if (++chosen_[i] < features_[i].begin + features_[i].count) return;
      chosen_[i] = features_[i].begin;
    }
  }

 private:
  std::vector<Column::Features> features_;
  std::vector<int64_t> chosen_;
};

// TensorFlow's hash of two hashes.
uint64_t Joined(uint64_t first, uint64_t second) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  const auto mixed = [](uint64_t value) { return value ^ value >> 47; };
  uint64_t result = (first ^ kFactor ^ mixed(second * kFactor) * kFactor) * kFactor;
  result = mixed(result) * kFactor;
  return mixed(result);
}

class SparseCrossOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sparse_, construction.Attr<int64_t>("N"));
    ASSIGN_OR_RETURN(const auto types, construction.Attr<std::vector<DType>>("sparse_types"));
    if (static_cast<int64_t>(types.size()) != sparse_) {
      return InvalidArgument("there are ", sparse_, " sparse columns and values for ", types.size());
    }
    ASSIGN_OR_RETURN(const int64_t buckets, construction.Attr<int64_t>("num_buckets"));
    ASSIGN_OR_RETURN(const int64_t key, construction.Attr<int64_t>("hash_key"));
    ASSIGN_OR_RETURN(const bool hashed, construction.Attr<bool>("hashed_output"));
    ASSIGN_OR_RETURN(const DType out, construction.Attr<DType>("out_type"));
    if (hashed != (out == DType::kInt64)) {
      return InvalidArgument("hashes are int64, and words are strings");
    }
    hashed_ = hashed;
    key_ = static_cast<uint64_t>(key);
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    buckets_ = buckets > 0 ? static_cast<uint64_t>(buckets) : kMost;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Columns columns, Read(*context));
    const std::vector<int64_t> none;
    const std::vector<int64_t>& rows = columns.empty() ? none : columns.front().filled();
    int64_t total = 0, widest = 0;
    StopLook look;
    for (const int64_t row : rows) {
      look.Turn();
      const int64_t count = Crosses(columns, row).count();
      widest = std::max(widest, count);
      if (count > kMaxElements - total) return InvalidArgument("there are too many crosses");
      total += count;
    }
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, Shape{total, 2}));
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(1, Shape{total}));
    ASSIGN_OR_RETURN(Tensor * shape, context->AllocateOutput(2, Shape{2}));
    shape->mutable_data<int64_t>()[0] = columns.empty() ? 0 : columns.front().rows();
    shape->mutable_data<int64_t>()[1] = widest;
    int64_t at = 0;
    for (const int64_t row : rows) {
      look.Turn();
      Crosses crosses(columns, row);
      const int64_t count = crosses.count();
      for (int64_t number = 0; number < count; ++number, ++at) {
        indices->mutable_data<int64_t>()[2 * at] = row;
        indices->mutable_data<int64_t>()[2 * at + 1] = number;
        Put(columns, crosses.chosen(), at, values);
        crosses.Next();
      }
    }
    return OkStatus();
  }

 private:
  // The columns, sparse ones first; InvalidArgument unless all have as many rows.
  Result<Columns> Read(const OpKernelContext& context) const {
    const int count = static_cast<int>(sparse_);
    Columns columns;
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(Column column, Column::OfSparse(context.input(i), context.input(count + i),
                                                       context.input(2 * count + i)));
      columns.push_back(std::move(column));
    }
    for (int i = 3 * count; i < context.num_inputs(); ++i) {
      ASSIGN_OR_RETURN(Column column, Column::OfDense(context.input(i)));
      columns.push_back(std::move(column));
    }
    for (const Column& column : columns) {
      if (column.rows() == columns.front().rows()) continue;
      return InvalidArgument("Expected batch size ", columns.front().rows(), ", got ",
                             column.rows());
    }
    return columns;
  }

  void Put(const Columns& columns, const std::vector<int64_t>& chosen, int64_t at,
           Tensor* values) const {
    if (hashed_) {
      uint64_t hash = key_;
      for (size_t i = 0; i < columns.size(); ++i) hash = Joined(hash, columns[i].Hash(chosen[i]));
      values->mutable_data<int64_t>()[at] = static_cast<int64_t>(hash % buckets_);
      return;
    }
    std::string& word = values->mutable_data<std::string>()[at];
    for (size_t i = 0; i < columns.size(); ++i) {
      word += (i == 0 ? "" : "_X_") + columns[i].Word(chosen[i]);
    }
  }

  int64_t sparse_ = 0;
  uint64_t key_ = 0;
  uint64_t buckets_ = 1;
  bool hashed_ = false;
};

REGISTER_KERNEL(Kernel("SparseCross").OnCpu(), SparseCrossOp);

}  // namespace
}  // namespace tfbuild
