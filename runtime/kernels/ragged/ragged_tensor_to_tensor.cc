// RaggedTensorToTensor: rows of any length cut and filled up to one.
#include <algorithm>
#include <string>
#include <utility>

#include "base/stop_look.h"
#include "kernels/framework/broadcast.h"
#include "kernels/framework/element_moves.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/ragged/row_splits.h"

namespace tfbuild {
namespace {

// What each partition is, by the names of the attribute. The first one says how many rows there are.
enum class Kind { kSplits, kRowIds };

Result<std::vector<Kind>> KindsFrom(const std::vector<std::string>& names, int64_t tensors) {
  if (names.empty()) return InvalidArgument("No row_partition_types given.");
  const bool has_size = names[0] == "FIRST_DIM_SIZE";
  if (static_cast<int64_t>(names.size()) != tensors) {
    return InvalidArgument("there are ", names.size(), " row_partition_types for ", tensors,
                           " row partitions");
  }
  std::vector<Kind> kinds;
  for (size_t i = has_size ? 1 : 0; i < names.size(); ++i) {
    if (names[i] != "ROW_SPLITS" && names[i] != "VALUE_ROWIDS") {
      return InvalidArgument("Unknown string for partition info type: ", names[i]);
    }
    kinds.push_back(names[i] == "ROW_SPLITS" ? Kind::kSplits : Kind::kRowIds);
  }
  if (kinds.empty() || (kinds[0] == Kind::kRowIds) != has_size) {
    return InvalidArgument("row_partition_types begin with ROW_SPLITS, or with FIRST_DIM_SIZE and "
                           "VALUE_ROWIDS, not with ", names[0]);
  }
  return kinds;
}

// Dimensions that are asked for take the place of ragged ones; the others, the last `inner` ones, are what
// the values have.
Status Resize(const std::vector<int64_t>& asked, size_t inner, std::vector<int64_t>* dims) {
  if (asked.size() != dims->size()) {
    return InvalidArgument("shape has ", asked.size(), " dimensions, and the ragged tensor ", dims->size());
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] < -1) return InvalidArgument("Dimension ", asked[i], " must be >= -1");
    if (asked[i] < 0) continue;
    int64_t& size = (*dims)[i];
    if (i + inner >= asked.size() && size != kUnknownDim && asked[i] != size) {
      return InvalidArgument("dimension ", i, " of shape is ", asked[i], ", and the values have ", size);
    }
    size = asked[i];
  }
  return OkStatus();
}

// The first `levels` + 1 dimensions are ragged, those behind are the values' own. Where it can be anything,
// what is asked for may be the scalar -1.
Status ToTensorShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t tensors, context->Attr<int64_t>("num_row_partition_tensors"));
  ASSIGN_OR_RETURN(const auto names, context->Attr<std::vector<std::string>>("row_partition_types"));
  ASSIGN_OR_RETURN(const std::vector<Kind> kinds, KindsFrom(names, tensors));
  ASSIGN_OR_RETURN(const auto asked, KnownInts(*context, 0));
  const PartialShape &values = context->input(1), &wanted = context->input(0);
  const int64_t levels = static_cast<int64_t>(kinds.size());
  if (values.known_rank()) {
    std::vector<int64_t> dims(static_cast<size_t>(levels), kUnknownDim);
    const std::vector<int64_t>& own = values.dims();
    if (own.empty()) return InvalidArgument("values must have one dimension at least");
    dims.push_back(kUnknownDim);
    dims.insert(dims.end(), own.begin() + 1, own.end());
    if (asked && wanted.known_rank() && wanted.rank() == 1) {
      RETURN_IF_ERROR(Resize(*asked, own.size() - 1, &dims));
    }
    context->set_output(0, PartialShape(std::move(dims)));
  }
  return OkStatus();
}

REGISTER_OP("RaggedTensorToTensor")
    .Input("shape: Tshape")
    .Input("values: T")
    .Input("default_value: T")
    .Input("row_partition_tensors: num_row_partition_tensors * Tindex")
    .Output("result: T")
    .Attr("T: type")
    .Attr("Tindex: {int64, int32}")
    .Attr("Tshape: {int64, int32}")
    .Attr("num_row_partition_tensors: int >= 1")
    .Attr("row_partition_types: list(string)")
    .ShapeFunction(ToTensorShape);

// One ragged dimension, read from the first value to the last.
class Partition {
 public:
  Partition(Kind kind, RowSplits numbers) : kind_(kind), numbers_(std::move(numbers)) {}

  // How many rows there are, where the partition says so itself, and how many values.
  int64_t rows() const { return static_cast<int64_t>(numbers_.size()) - 1; }
  int64_t count() const {
    return kind_ == Kind::kSplits ? numbers_.back() : static_cast<int64_t>(numbers_.size());
  }

  // Whether each value is in one of so many rows, and none comes before the last one's.
  Status CheckRows(int64_t rows) const {
    if (kind_ == Kind::kSplits) {
      if (this->rows() == rows) return OkStatus();
      return InvalidArgument("Invalid row splits: they are of ", this->rows(), " rows and not of ", rows);
    }
    for (size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i] >= (i == 0 ? 0 : numbers_[i - 1]) && numbers_[i] < rows) continue;
      return InvalidArgument("value_rowids[", i, "] = ", numbers_[i], " is not in [",
                             i == 0 ? 0 : numbers_[i - 1], ", ", rows, ")");
    }
    return OkStatus();
  }

  int64_t Longest() const {
    if (kind_ == Kind::kSplits) return LongestRow(numbers_);
    int64_t longest = 0;
    StopLook look;
    for (size_t i = 0, begin = 0; i < numbers_.size(); ++i) {
      look.Turn();
      if (numbers_[i] != numbers_[begin]) begin = i;
      longest = std::max(longest, static_cast<int64_t>(i - begin) + 1);
    }
    return longest;
  }

  // Goes on to a value that does not come before the last one; then row() and begin() are its row's.
  void GoTo(int64_t value) {
    if (kind_ == Kind::kSplits) {
      while (numbers_[static_cast<size_t>(row_) + 1] <= value) ++row_;
      begin_ = numbers_[static_cast<size_t>(row_)];
      return;
    }
    const int64_t row = numbers_[static_cast<size_t>(value)];
    if (row == row_ && value > begin_) return;
    row_ = row;
    begin_ = std::lower_bound(numbers_.begin() + begin_, numbers_.end(), row) - numbers_.begin();
  }
  int64_t row() const { return row_; }
  int64_t begin() const { return begin_; }

 private:
  Kind kind_;
  RowSplits numbers_;  // or the row of each value
  int64_t row_ = 0, begin_ = 0;
};

class RaggedTensorToTensorOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const auto names,
                     construction.Attr<std::vector<std::string>>("row_partition_types"));
    ASSIGN_OR_RETURN(const int64_t tensors, construction.Attr<int64_t>("num_row_partition_tensors"));
    ASSIGN_OR_RETURN(kinds_, KindsFrom(names, tensors));
    has_size_ = static_cast<int64_t>(kinds_.size()) < tensors;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(1);
    if (values.rank() == 0) return InvalidArgument("values must have one dimension at least");
    int64_t rows = 0;
    std::vector<Partition> partitions;
    RETURN_IF_ERROR(ReadPartitions(*context, values.dim(0), &partitions, &rows));
    std::vector<int64_t> dims = {rows};
    for (const Partition& partition : partitions) dims.push_back(partition.Longest());
    dims.insert(dims.end(), values.shape().dims().begin() + 1, values.shape().dims().end());
    ASSIGN_OR_RETURN(const std::vector<int64_t> asked, IntsFrom(context->input(0)));
    if (context->input(0).rank() > 0) {
      RETURN_IF_ERROR(Resize(asked, static_cast<size_t>(values.rank()) - 1, &dims));
    } else if (asked[0] != -1) {
      return InvalidArgument("The only valid scalar shape is -1, which leaves it unknown, not ", asked[0]);
    }
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, shape));
    const Shape inner = *Shape::Make({values.shape().dims().begin() + 1, values.shape().dims().end()});
    RETURN_IF_ERROR(Fill(context->input(2), inner, result));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t width = inner.num_elements();
    StopLook look;
    for (int64_t value = 0; value < values.dim(0); ++value) {
      look.Turns(1 + width);
      const int64_t row = PlaceOf(value, shape, &partitions);
      if (row >= 0) CopyRange(values, value * width, width, result, row * width);
    }
    return OkStatus();
  }

 private:
  Status ReadPartitions(const OpKernelContext& context, int64_t values,
                        std::vector<Partition>* partitions, int64_t* rows) const {
    constexpr int kFirst = 3;
    for (size_t i = 0; i < kinds_.size(); ++i) {
      const Tensor& given = context.input(kFirst + static_cast<int>(i) + (has_size_ ? 1 : 0));
      Result<RowSplits> numbers =
          kinds_[i] == Kind::kSplits ? RowSplitsFrom(given, -1) : VectorFrom(given, "value_rowids");
      RETURN_IF_ERROR(numbers.status());
      partitions->emplace_back(kinds_[i], *std::move(numbers));
    }
    *rows = partitions->front().rows();
    if (has_size_) {
      ASSIGN_OR_RETURN(*rows, ScalarFrom(context.input(kFirst), "the size of the first dimension"));
      if (*rows < 0) return InvalidArgument("Dimension ", *rows, " must be >= 0");
    }
    int64_t before = *rows;
    for (const Partition& partition : *partitions) {
      RETURN_IF_ERROR(partition.CheckRows(before));
      before = partition.count();
    }
    if (before == values) return OkStatus();
    return InvalidArgument("the last row partition has ", before, " values and not ", values);
  }

  // Every row of values becomes the default, which is stretched to one.
  static Status Fill(const Tensor& fallback, const Shape& inner, Tensor* result) {
    ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&fallback.shape(), &inner}));
    if (plan.output != inner) {
      return InvalidArgument("default_value of shape ", fallback.shape(),
                             " cannot be stretched to values of shape ", inner);
    }
    if (result->num_elements() == 0) return OkStatus();
    if (fallback.num_elements() == 1) {
      FillElements(fallback, result);
      return OkStatus();
    }
    const int64_t width = inner.num_elements();
    std::vector<int64_t> index;
    ForEachRow(plan, 0, width, [&](int64_t, const int64_t* offsets, int64_t count) {
      for (int64_t i = 0; i < count; ++i) index.push_back(offsets[0] + i * plan.strides[0].back());
    });
    ASSIGN_OR_RETURN(Tensor row, Tensor::Allocate(CpuAllocator(), fallback.dtype(), inner));
    GatherElements(fallback, index, &row);
    for (int64_t at = 0; at < result->num_elements(); at += width) CopyRange(row, 0, width, result, at);
    return OkStatus();
  }

  // In which row of the result a value comes, asked from the first to the last one; negative where it is
  // cut off.
  static int64_t PlaceOf(int64_t value, const Shape& shape, std::vector<Partition>* partitions) {
    int64_t at = value, place = 0, stride = 1;
    bool fits = true;
    for (size_t level = partitions->size(); level-- > 0;) {
      Partition& partition = (*partitions)[level];
      partition.GoTo(at);
      const int64_t column = at - partition.begin(), width = shape.dim(static_cast<int>(level) + 1);
      fits = fits && column < width;
      place += column * stride;
      stride *= width;
      at = partition.row();
    }
    return fits && at < shape.dim(0) ? place + at * stride : -1;
  }

  std::vector<Kind> kinds_;
  bool has_size_ = false;
};

REGISTER_KERNEL(Kernel("RaggedTensorToTensor").OnCpu(), RaggedTensorToTensorOp);

}  // namespace
}  // namespace tfbuild
