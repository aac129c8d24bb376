// EditDistance: Levenshtein's distance between the sequences of two sparse tensors.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/parallel_fill.h"
#include "base/stop_look.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status EditDistanceShape(ShapeContext* context) {
  RETURN_IF_ERROR(CheckSparseShapes(context, 0));
  RETURN_IF_ERROR(CheckSparseShapes(context, 3));
  ASSIGN_OR_RETURN(const PartialShape a, context->input_as_shape(2));
  ASSIGN_OR_RETURN(const PartialShape b, context->input_as_shape(5));
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank() || a.rank() < 1) {
    return OkStatus();
  }
  std::vector<int64_t> dims;
  for (int k = 0; k + 1 < a.rank(); ++k) {
    const bool known = a.dim(k) != kUnknownDim && b.dim(k) != kUnknownDim;
    dims.push_back(known ? std::max(a.dim(k), b.dim(k)) : kUnknownDim);
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("EditDistance")
    .Input("hypothesis_indices: int64")
    .Input("hypothesis_values: T")
    .Input("hypothesis_shape: int64")
    .Input("truth_indices: int64")
    .Input("truth_values: T")
    .Input("truth_shape: int64")
    .Output("output: float")
    .Attr("normalize: bool = true")
    .Attr("T: type")
    .ShapeFunction(EditDistanceShape);

// How many elements must be put in, taken out or replaced to make one sequence of the other.
template <typename T>
int64_t Distance(const T* a, int64_t a_count, const T* b, int64_t b_count, StopLook* look) {
  constexpr int64_t kLook = 4096;  // elements of b between two looks whether to go on
  std::vector<int64_t> costs(static_cast<size_t>(b_count) + 1);  // of a's beginning and b's
  std::iota(costs.begin(), costs.end(), int64_t{0});
  for (int64_t i = 0; i < a_count; ++i) {
    look->Turn();
    int64_t diagonal = costs[0]++;
    for (int64_t j = 0; j < b_count; ++j) {
      if (j % kLook == kLook - 1) ThrowIfStopped();
      const size_t at = static_cast<size_t>(j) + 1;
      const int64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = costs[at];
      costs[at] = std::min(replaced, std::min(costs[at], costs[at - 1]) + 1);
    }
  }
  return costs.back();
}

// The sequences of a sparse tensor: along its last dimension, one after the other.
struct SequenceWalk {
  const SparsePlaces& places;
  int64_t begin = 0, end = 0;

  explicit SequenceWalk(const SparsePlaces& all) : places(all) { Next(); }
  bool done() const { return begin == places.count; }
  int64_t length() const { return end - begin; }
  size_t groups() const { return places.rank() - 1; }
  const int64_t* group() const { return places.row(begin); }
  void Next() {
    begin = end;
    while (end < places.count && std::equal(group(), group() + groups(), places.row(end))) ++end;
  }
  // Below 0 where this sequence stands before the other.
  int Compare(const SequenceWalk& other) const {
    for (size_t k = 0; k < groups(); ++k) {
      if (group()[k] != other.group()[k]) return group()[k] < other.group()[k] ? -1 : 1;
    }
    return 0;
  }
};

template <typename T>
class EditDistanceOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(normalize_, construction.Attr<bool>("normalize"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const SparsePlaces ours, SparsePlaces::Read(context->input(0),
                                                                 context->input(1),
                                                                 context->input(2)));
    ASSIGN_OR_RETURN(const SparsePlaces truth, SparsePlaces::Read(context->input(3),
                                                                  context->input(4),
                                                                  context->input(5)));
    ASSIGN_OR_RETURN(const Shape shape, OutputShape(ours, truth));
    RETURN_IF_ERROR(CheckSequences(ours, shape));
    RETURN_IF_ERROR(CheckSequences(truth, shape));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    float* out = output->mutable_data<float>();
    ParallelFill(out, shape.num_elements(), 0.0f);
    const T *our_values = context->input(1).data<T>(), *true_values = context->input(4).data<T>();
    SequenceWalk a(ours), b(truth);
    StopLook look;
    while (!a.done() || !b.done()) {
      const int compared = a.done() ? 1 : b.done() ? -1 : a.Compare(b);
      const SequenceWalk& at = compared <= 0 ? a : b;
      int64_t place = 0;
      for (size_t k = 0; k < at.groups(); ++k) {
        place = place * shape.dim(static_cast<int>(k)) + at.group()[k];
      }
      const int64_t of_a = compared <= 0 ? a.length() : 0, of_b = compared >= 0 ? b.length() : 0;
      const int64_t distance =
          Distance(our_values + a.begin, of_a, true_values + b.begin, of_b, &look);
      out[place] = Measured(distance, of_b);
      if (compared <= 0) a.Next();
      if (compared >= 0) b.Next();
    }
    return OkStatus();
  }

 private:
  static Result<Shape> OutputShape(const SparsePlaces& ours, const SparsePlaces& truth) {
    if (truth.rank() < 2) {
      return InvalidArgument("Input SparseTensors must have rank at least 2, but truth_shape rank "
                             "is: ", truth.rank());
    }
    if (ours.rank() != truth.rank()) {
      return InvalidArgument("Expected truth and hypothesis to have matching ranks, but their "
                             "ranks are: ", truth.rank(), " and ", ours.rank());
    }
    std::vector<int64_t> dims;
    for (size_t k = 0; k + 1 < truth.rank(); ++k) {
      dims.push_back(std::max(ours.dims[k], truth.dims[k]));
    }
    return Shape::Make(dims);
  }
  // Sequences stand in the order of the output and within it. Where in one an element says that it
  // is counts for nothing, as in TensorFlow: programs write any number there.
  static Status CheckSequences(const SparsePlaces& places, const Shape& shape) {
    const size_t groups = places.rank() - 1;
    for (int64_t i = 0; i < places.count; ++i) {
      const int64_t* const row = places.row(i);
      for (size_t k = 0; k < groups; ++k) {
        const int64_t size = shape.dim(static_cast<int>(k));
        if (row[k] >= 0 && row[k] < size) continue;
        return InvalidArgument("Indices are not valid (out of bounds): indices[", i, ",", k, "] = ",
                               row[k], " is not in [0, ", size, ")");
      }
      const int64_t* const before = places.row(std::max(i - 1, int64_t{0}));
      if (std::lexicographical_compare(row, row + groups, before, before + groups)) {
        return InvalidArgument("indices[", i, "] is out of order: its sequence stands before that "
                               "of indices[", i - 1, "]. Use `tf.sparse.reorder` to create a "
                               "correctly ordered copy.");
      }
    }
    return OkStatus();
  }

  // Normalised by the length of the truth; where that is 0, infinite.
  float Measured(int64_t distance, int64_t length) const {
    if (!normalize_) return static_cast<float>(distance);
    if (length > 0) return static_cast<float>(distance) / static_cast<float>(length);
    return distance > 0 ? std::numeric_limits<float>::infinity() : 0.0f;
  }

  bool normalize_ = true;
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("EditDistance").OnCpu().Type<T>("T"), EditDistanceOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER(bool)
REGISTER(std::string)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
