// StringSplit, StringSplitV2, StringJoin and ReduceJoin: strings cut and put together.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/stop_look.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/reduction.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status SplitShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 1).status());
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  context->set_output(0, PartialShape({kUnknownDim, 2}));
  context->set_output(1, PartialShape::UnknownOfRank(1));
  context->set_output(2, PartialShape({2}));
  return OkStatus();
}

Status JoinShape(ShapeContext* context) {
  PartialShape shape({});
  for (int i = 0; i < context->num_inputs(); ++i) {
    const PartialShape& input = context->input(i);
    if (!input.known_rank()) return OkStatus();
    if (input.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = input;
    } else {
      ASSIGN_OR_RETURN(shape, shape.MergeWith(input));
    }
  }
  context->set_output(0, shape);
  return OkStatus();
}

REGISTER_OP("StringSplit")
    .Input("input: string").Input("delimiter: string")
    .Output("indices: int64").Output("values: string").Output("shape: int64")
    .Attr("skip_empty: bool = true").ShapeFunction(SplitShape);
REGISTER_OP("StringSplitV2")
    .Input("input: string").Input("sep: string")
    .Output("indices: int64").Output("values: string").Output("shape: int64")
    .Attr("maxsplit: int = -1").ShapeFunction(SplitShape);
REGISTER_OP("StringJoin")
    .Input("inputs: N * string").Output("output: string")
    .Attr("N: int >= 0").Attr("separator: string = ''").ShapeFunction(JoinShape);
REGISTER_OP("ReduceJoin")
    .Input("inputs: string").Input("reduction_indices: int32").Output("output: string")
    .Attr("keep_dims: bool = false").Attr("separator: string = ''").ShapeFunction(ReductionShape);

using Words = std::vector<std::string>;

// Cuts at each of the delimiter's characters; without any, into single bytes.
Words CutAtAny(const std::string& text, const std::string& delimiters, bool skip_empty) {
  Words words;
  StopLook look;
  if (delimiters.empty()) {
    for (const char c : text) {
      look.Turn();
      words.emplace_back(1, c);
    }
    return words;
  }
  for (size_t begin = 0; begin <= text.size() && !text.empty();) {
    look.Turn();
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// As Python's str.split, by white space where there is no separator; but then what is left after
// the last cut counts even if it is nothing.
Words CutAt(const std::string& text, const std::string& separator, int64_t most) {
  static const char kSpaces[] = " \t\n\v\f\r";
  Words words;
  const auto full = [&] { return most >= 0 && static_cast<int64_t>(words.size()) == most; };
  if (most == 0) return {text};
  StopLook look;
  if (separator.empty()) {
    size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
    while (begin < text.size() && !full()) {
      look.Turn();
      const size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = std::min(text.find_first_not_of(kSpaces, end), text.size());
    }
    if (full()) words.push_back(text.substr(begin));
    return words;
  }
  size_t begin = 0;
  while (!full()) {
    look.Turn();
    const size_t end = text.find(separator, begin);
    if (end == std::string::npos) break;
    words.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  words.push_back(text.substr(begin));
  return words;
}

template <bool kSecond>
class StringSplitOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (kSecond) {
      ASSIGN_OR_RETURN(most_, construction.Attr<int64_t>("maxsplit"));
    } else {
      ASSIGN_OR_RETURN(skip_empty_, construction.Attr<bool>("skip_empty"));
    }
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &separator = context->input(1);
    if (input.rank() != 1) {
      return InvalidArgument("input must be a vector, got shape: ", input.shape());
    }
    if (separator.rank() != 0) {
      return InvalidArgument("the delimiter must be a scalar, got shape: ", separator.shape());
    }
    const std::string by = separator.data<std::string>()[0];
    std::vector<int64_t> rows, places;
    Words words;
    int64_t longest = 0;
    StopLook look;
    for (int64_t row = 0; row < input.dim(0); ++row) {
      look.Turn();
      const std::string& text = input.data<std::string>()[row];
      Words found = kSecond ? CutAt(text, by, most_) : CutAtAny(text, by, skip_empty_);
      const int64_t count = static_cast<int64_t>(found.size());
      for (int64_t i = 0; i < count; ++i) {
        look.Turn();
        rows.push_back(row);
        places.push_back(i);
      }
      longest = std::max(longest, count);
      std::move(found.begin(), found.end(), std::back_inserter(words));
    }
    const int64_t count = static_cast<int64_t>(words.size());
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, Shape{count, 2}));
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(1, Shape{count}));
    ASSIGN_OR_RETURN(Tensor * shape, context->AllocateOutput(2, Shape{2}));
    for (int64_t i = 0; i < count; ++i) {
      look.Turn();
      indices->mutable_data<int64_t>()[2 * i] = rows[static_cast<size_t>(i)];
      indices->mutable_data<int64_t>()[2 * i + 1] = places[static_cast<size_t>(i)];
    }
    std::move(words.begin(), words.end(), values->mutable_data<std::string>());
    shape->mutable_data<int64_t>()[0] = input.dim(0);
    shape->mutable_data<int64_t>()[1] = longest;
    return OkStatus();
  }

 private:
  int64_t most_ = -1;
  bool skip_empty_ = true;
};

class StringJoinOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(separator_, construction.Attr<std::string>("separator"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    Shape shape;
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Shape& other = context->input(i).shape();
      if (other.rank() == 0) continue;
      if (shape.rank() != 0 && shape != other) {
        return InvalidArgument("Input shapes do not match: ", shape, " vs. ", other);
      }
      shape = other;
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    StopLook look;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      std::string joined;
      for (int k = 0; k < context->num_inputs(); ++k) {
        look.Turn();
        if (k > 0) joined += separator_;
        const Tensor& input = context->input(k);
        joined += input.data<std::string>()[input.rank() == 0 ? 0 : i];
      }
      output->mutable_data<std::string>()[i] = std::move(joined);
    }
    return OkStatus();
  }

 private:
  std::string separator_;
};

class ReduceJoinOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(keep_, construction.Attr<bool>("keep_dims"));
    ASSIGN_OR_RETURN(separator_, construction.Attr<std::string>("separator"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> given, IntsFrom(context->input(1)));
    std::vector<int> axes;  // in the order in which elements are joined
    std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
    for (const int64_t number : given) {
      ASSIGN_OR_RETURN(const int axis, CanonicalAxis(number, input.rank()));
      if (reduced[static_cast<size_t>(axis)]) {
        return InvalidArgument("Duplicate reduction dimension ", number);
      }
      reduced[static_cast<size_t>(axis)] = true;
      axes.push_back(axis);
    }
    std::vector<int64_t> kept, dims, strides(static_cast<size_t>(input.rank()), 1);
    for (int axis = input.rank() - 1; axis > 0; --axis) {
      const size_t at = static_cast<size_t>(axis);
      strides[at - 1] = strides[at] * input.dim(axis);
    }
    for (int axis = 0; axis < input.rank(); ++axis) {
      const bool gone = reduced[static_cast<size_t>(axis)];
      if (!gone) kept.push_back(axis);
      if (!gone || keep_) dims.push_back(gone ? 1 : input.dim(axis));
    }
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    // As TensorFlow: along the first axis before the others.
    const std::vector<int64_t> joined = Places(input, {axes.rbegin(), axes.rend()}, strides);
    const std::vector<int64_t> starts = Places(input, kept, strides);
    StopLook look;
    for (size_t i = 0; i < starts.size(); ++i) {
      std::string text;
      for (size_t k = 0; k < joined.size(); ++k) {
        look.Turn();
        if (k > 0) text += separator_;
        text += input.data<std::string>()[starts[i] + joined[k]];
      }
      output->mutable_data<std::string>()[i] = std::move(text);
    }
    return OkStatus();
  }

 private:
  // Where the elements along these axes stand, the last of them running fastest.
  static std::vector<int64_t> Places(const Tensor& input, const std::vector<int64_t>& axes,
                                     const std::vector<int64_t>& strides) {
    std::vector<int64_t> places{0};
    StopLook look;
    for (const int64_t axis : axes) {
      std::vector<int64_t> wider;
      for (const int64_t place : places) {
        for (int64_t i = 0; i < input.dim(static_cast<int>(axis)); ++i) {
          look.Turn();
          wider.push_back(place + i * strides[static_cast<size_t>(axis)]);
        }
      }
      places = std::move(wider);
    }
    return places;
  }

  bool keep_ = false;
  std::string separator_;
};

REGISTER_KERNEL(Kernel("StringSplit").OnCpu(), StringSplitOp<false>);
REGISTER_KERNEL(Kernel("StringSplitV2").OnCpu(), StringSplitOp<true>);
REGISTER_KERNEL(Kernel("StringJoin").OnCpu(), StringJoinOp);
REGISTER_KERNEL(Kernel("ReduceJoin").OnCpu(), ReduceJoinOp);

}  // namespace
}  // namespace tfbuild
