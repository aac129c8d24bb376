// PaddedBatchDataset, PaddedBatchDatasetV2: elements of several sizes as one, padded to the largest or
// to a given size.
#include <algorithm>
#include <cstring>

#include "kernels/data/dataset.h"
#include "kernels/data/slices.h"

namespace tfbuild {
namespace {

REGISTER_OP("PaddedBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("PaddedBatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .TFBUILD_DATASET_METADATA;

void FillWith(const Tensor& value, Tensor* tensor) {
  const int64_t count = tensor->num_elements();
  if (tensor->dtype() == DType::kString) {
    std::fill_n(tensor->mutable_data<std::string>(), count, *value.data<std::string>());
    return;
  }
  const size_t bytes = static_cast<size_t>(DTypeSize(tensor->dtype()));
  char* to = tensor->mutable_data<char>();
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + static_cast<size_t>(i) * bytes, value.raw(), bytes);
}

// Puts `row` into the first corner of row `index` of the batch.
void PutCorner(const Tensor& row, int64_t index, Tensor* batch) {
  const int rank = row.rank();
  if (row.num_elements() == 0) return;
  const int64_t run = rank == 0 ? 1 : row.dim(rank - 1);
  std::vector<int64_t> at(static_cast<size_t>(std::max(rank - 1, 0)), 0);
  const size_t bytes = static_cast<size_t>(DTypeSize(row.dtype()));
  for (int64_t from = 0; from < row.num_elements(); from += run) {
    int64_t to = index;
    for (int d = 0; d < rank; ++d) {
      to = to * batch->dim(d + 1) + (d < rank - 1 ? at[static_cast<size_t>(d)] : 0);
    }
    if (row.dtype() == DType::kString) {
      std::copy_n(row.data<std::string>() + from, run, batch->mutable_data<std::string>() + to);
    } else {
      std::memcpy(batch->mutable_data<char>() + static_cast<size_t>(to) * bytes,
                  row.data<char>() + static_cast<size_t>(from) * bytes,
                  static_cast<size_t>(run) * bytes);
    }
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < row.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

struct Padding {
  std::vector<std::vector<int64_t>> shapes;  // of each component; -1: the largest of the batch
  Element values;
};

class PaddedBatchDataset final : public DatasetOf<PaddedBatchDataset> {
 public:
  PaddedBatchDataset(ElementSpec spec, DatasetPtr input, int64_t size, bool drop, Padding padding)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop),
        padding_(std::move(padding)) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override {
    const int64_t n = input_->Cardinality();
    return n < 0 ? n : n / size_ + (n % size_ == 0 || drop_remainder_ ? 0 : 1);
  }

  class Iterator final : public InputIterator<PaddedBatchDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      std::vector<Element> elements;
      while (static_cast<int64_t>(elements.size()) < dataset().size_) {
        Element one;
        ASSIGN_OR_RETURN(const bool found, Pull(step, &one));
        if (!found) break;
        elements.push_back(std::move(one));
      }
      const bool full = static_cast<int64_t>(elements.size()) == dataset().size_;
      if (elements.empty() || (!full && dataset().drop_remainder_)) return false;
      element->clear();
      for (size_t c = 0; c < elements[0].size(); ++c) {
        ASSIGN_OR_RETURN(Tensor batch, Stack(elements, c));
        element->push_back(std::move(batch));
      }
      return true;
    }

   private:
    Result<Tensor> Stack(const std::vector<Element>& elements, size_t c) const {
      const Padding& padding = dataset().padding_;
      std::vector<int64_t> dims = padding.shapes[c];
      const size_t rank = dims.size();
      std::vector<int64_t> largest(rank, 0);
      for (const Element& element : elements) {
        const Tensor& row = element[c];
        if (row.rank() != static_cast<int>(rank)) {
          return InvalidArgument("All elements in a batch must have the same rank as the padded "
                                 "shape for component", c, ": expected rank ", rank,
                                 " but got element with rank ", row.rank());
        }
        for (size_t d = 0; d < rank; ++d) {
          const int64_t size = row.dim(static_cast<int>(d));
          largest[d] = std::max(largest[d], size);
          if (dims[d] >= 0 && size > dims[d]) {
            return DataLoss("Attempted to pad to a smaller size than the input element.");
          }
        }
      }
      for (size_t d = 0; d < rank; ++d) {
        if (dims[d] < 0) dims[d] = largest[d];
      }
      dims.insert(dims.begin(), static_cast<int64_t>(elements.size()));
      ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
      ASSIGN_OR_RETURN(Tensor batch, NewTensor(elements[0][c].dtype(), shape));
      FillWith(padding.values[c], &batch);
      for (size_t i = 0; i < elements.size(); ++i) {
        PutCorner(elements[i][c], static_cast<int64_t>(i), &batch);
      }
      return batch;
    }
  };

 private:
  DatasetPtr input_;
  int64_t size_;
  bool drop_remainder_;
  Padding padding_;
};

template <bool kHasDrop>
class PaddedBatchDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(spec_, StatedSpec(construction, "Toutput_types"));
    ASSIGN_OR_RETURN(const int64_t n, construction.Attr<int64_t>("N"));
    if (n != static_cast<int64_t>(spec_.types.size())) {
      return InvalidArgument("there are ", n, " padded shapes for ", spec_.types.size(),
                             " components");
    }
    return OkStatus();
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const int64_t size, ScalarAt<int64_t>(*context, 1, "batch_size"));
    if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
    if (input->spec().types != spec().types) {
      return InvalidArgument("the padding is for other types than the dataset has");
    }
    const int n = static_cast<int>(spec().types.size());
    Padding padding;
    for (int i = 0; i < n; ++i) {
      const Tensor& shape = context->input(2 + i);
      if (shape.rank() != 1) return InvalidArgument("All padded shapes must be vectors");
      ASSIGN_OR_RETURN(std::vector<int64_t> dims, shape.IntValues());
      for (const int64_t dim : dims) {
        if (dim < -1) return InvalidArgument("Padded shape must be positive or -1, got ", dim);
      }
      padding.shapes.push_back(std::move(dims));
      const Tensor& value = context->input(2 + n + i);
      if (value.rank() != 0 || DTypeSize(value.dtype()) + (value.dtype() == DType::kString) == 0) {
        return InvalidArgument("All padding values must be scalars");
      }
    }
    ASSIGN_OR_RETURN(padding.values, context->KeptInputs(2 + n, n));
    bool drop = false;
    if (kHasDrop) {
      ASSIGN_OR_RETURN(drop, ScalarAt<bool>(*context, 2 + 2 * n, "drop_remainder"));
    }
    return std::shared_ptr<Dataset>(std::make_shared<PaddedBatchDataset>(
        spec(), std::move(input), size, drop, std::move(padding)));
  }
};

REGISTER_KERNEL(Kernel("PaddedBatchDataset").OnCpu(), PaddedBatchDatasetOp<false>);
REGISTER_KERNEL(Kernel("PaddedBatchDatasetV2").OnCpu(), PaddedBatchDatasetOp<true>);

}  // namespace
}  // namespace tfbuild
