#include "kernels/parsing/sequence_outputs.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/parsing/example_outputs.h"
#include "kernels/parsing/ragged_outputs.h"

namespace tfbuild {
namespace {

constexpr int64_t kSequenceOutputsGrain = 4;  // SequenceExamples that are worth a thread

// What there is of one list in one message.
struct ListSize {
  int64_t steps = 0;
  int64_t values = 0;
  int64_t most = 0;  // values of one step
  DType other = DType::kInvalid;  // the type of a step that has another one than asked for
  int64_t odd = -1;  // the first step whose number of values is not that of a dense one
};

class SequenceParsing {
 public:
  SequenceParsing(const SequenceRequest& request, OpKernelContext* context)
      : request_(request), context_(context), finder_(request.specs) {}

  Status Run() {
    const size_t count = request_.specs.size() * static_cast<size_t>(request_.batch);
    lists_.resize(count);
    sizes_.resize(count);
    RETURN_IF_ERROR(FindInAll(request_.serialized, request_.batch, kSequenceOutputsGrain,
                              [this](int64_t i) { return FindOne(i); }));
    for (size_t f = 0; f < request_.specs.size(); ++f) {
      RETURN_IF_ERROR(Check(f));
      const FeatureSpec& spec = request_.specs[f];
      RETURN_IF_ERROR(spec.is_sparse ? PutSparse(f) : spec.is_ragged ? PutRagged(f) : PutDense(f));
    }
    return OkStatus();
  }

 private:
  size_t At(int64_t example, size_t f) const {
    return static_cast<size_t>(example) * request_.specs.size() + f;
  }
  bool IsThere(int64_t example, size_t f) const { return lists_[At(example, f)].data() != nullptr; }
  // The lists of one and their sizes; false where it is no message.
  bool FindOne(int64_t example) {
    std::string_view* const lists = lists_.data() + At(example, 0);
    if (!finder_.FindLists(request_.serialized[example], lists)) return false;
    for (size_t f = 0; f < request_.specs.size(); ++f) {
      const FeatureSpec& spec = request_.specs[f];
      ListSize& size = sizes_[At(example, f)];
      const bool valid = ForEachStep(lists[f], [&](const FeatureSlice& slice) {
        const int64_t count = slice.dtype == DType::kInvalid ? 0 : CountValues(slice);
        if (slice.dtype != DType::kInvalid && slice.dtype != spec.dtype) size.other = slice.dtype;
        const bool any_count = spec.is_sparse || spec.is_ragged;
        if (!any_count && count != spec.stride && size.odd < 0) size.odd = size.steps;
        size.values += count;
        size.most = std::max(size.most, count);
        ++size.steps;
        return count >= 0;
      });
      if (!valid) return false;
    }
    return true;
  }

  Status Check(size_t f) const {
    const FeatureSpec& spec = request_.specs[f];
    for (int64_t i = 0; i < request_.batch; ++i) {
      const ListSize& size = sizes_[At(i, f)];
      const std::string where =
          StrCat("Name: ", request_.names == nullptr ? "<unknown>" : request_.names[i],
                 ", Feature list: ", spec.key, ", Index: ", i, ".  ");
      if (size.other != DType::kInvalid) {
        return InvalidArgument(where, "Data types don't match. Expected type: ",
                               DTypeName(spec.dtype), ", Actual type: ", DTypeName(size.other));
      }
      if (size.odd >= 0) {
        return InvalidArgument(where, "Number of ", DTypeName(spec.dtype), " values of step ",
                               size.odd, " is not that of the shape ", spec.shape);
      }
      const bool may_miss =
          spec.is_sparse || spec.is_ragged ||
          request_.may_miss[f - static_cast<size_t>(request_.num_sparse)];
      if (may_miss || IsThere(i, f)) continue;
      return InvalidArgument(where, "The feature list is required but could not be found. Did you "
                             "mean to include it in feature_list_dense_missing_assumed_empty or "
                             "feature_list_dense_defaults?");
    }
    return OkStatus();
  }

  int64_t Longest(size_t f) const {
    int64_t longest = 0;
    for (int64_t i = 0; i < request_.batch; ++i) {
      longest = std::max(longest, sizes_[At(i, f)].steps);
    }
    return longest;
  }

  Status PutSparse(size_t f) {
    int64_t total = 0, most = 0;
    std::vector<int64_t> begins;
    for (int64_t i = 0; i < request_.batch; ++i) {
      begins.push_back(total);
      total += sizes_[At(i, f)].values;
      most = std::max(most, sizes_[At(i, f)].most);
    }
    const int64_t rank = request_.is_single ? 2 : 3;
    const int first = request_.first_output + static_cast<int>(f), n = request_.num_sparse;
    ASSIGN_OR_RETURN(Tensor * indices, context_->AllocateOutput(first, Shape{total, rank}));
    ASSIGN_OR_RETURN(Tensor * values, context_->AllocateOutput(first + n, Shape{total}));
    ASSIGN_OR_RETURN(Tensor * shape, context_->AllocateOutput(first + 2 * n, Shape{rank}));
    int64_t* const sizes = shape->mutable_data<int64_t>();
    if (!request_.is_single) sizes[0] = request_.batch;
    sizes[rank - 2] = Longest(f);
    sizes[rank - 1] = most;
    ParallelFor(request_.batch, kSequenceOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t at = begins[static_cast<size_t>(i)], step = 0;
        ForEachStep(lists_[At(i, f)], [&](const FeatureSlice& slice) {
          const int64_t count = slice.dtype == DType::kInvalid ? 0 : CountValues(slice);
          if (count > 0) CopyValues(slice, values, at);
          for (int64_t k = 0; k < count; ++k, ++at) {
            int64_t* place = indices->mutable_data<int64_t>() + at * rank;
            if (!request_.is_single) *place++ = i;
            place[0] = step;
            place[1] = k;
          }
          ++step;
          return true;
        });
      }
    });
    return OkStatus();
  }

  // Steps come one after another here: where one ends is known only when those before it are counted.
  Status PutRagged(size_t f) {
    std::vector<int64_t> outer = {0}, inner = {0};
    int64_t total = 0;
    for (int64_t i = 0; i < request_.batch; ++i) total += sizes_[At(i, f)].values;
    const int count = request_.num_ragged;
    const int output = request_.first_output + 2 * request_.num_sparse + NumDense() +
                       static_cast<int>(f);
    ASSIGN_OR_RETURN(Tensor * values, context_->AllocateOutput(output, Shape{total}));
    for (int64_t i = 0; i < request_.batch; ++i) {
      ForEachStep(lists_[At(i, f)], [&](const FeatureSlice& slice) {
        const int64_t found = slice.dtype == DType::kInvalid ? 0 : CountValues(slice);
        if (found > 0) CopyValues(slice, values, inner.back());
        inner.push_back(inner.back() + found);
        return true;
      });
      outer.push_back(static_cast<int64_t>(inner.size()) - 1);
    }
    if (request_.is_single) outer.clear();
    RETURN_IF_ERROR(PutRowSplits(context_, output + count, outer));
    return PutRowSplits(context_, output + 2 * count, inner);
  }

  int NumDense() const {
    return static_cast<int>(request_.specs.size()) - request_.num_sparse - request_.num_ragged;
  }

  Status PutDense(size_t f) {
    const FeatureSpec& spec = request_.specs[f];
    const int64_t longest = Longest(f);
    std::vector<int64_t> dims = spec.shape.dims();
    dims.insert(dims.begin(), longest);
    if (!request_.is_single) dims.insert(dims.begin(), request_.batch);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    const int output = request_.first_output + 2 * request_.num_sparse + static_cast<int>(f);
    ASSIGN_OR_RETURN(Tensor * values, context_->AllocateOutput(output, shape));
    if (spec.dtype != DType::kString && values->num_bytes() > 0) {
      std::memset(values->raw(), 0, values->num_bytes());
    }
    ParallelFor(request_.batch, kSequenceOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t at = i * longest * spec.stride;
        ForEachStep(lists_[At(i, f)], [&](const FeatureSlice& slice) {
          if (slice.dtype != DType::kInvalid) CopyValues(slice, values, at);
          at += spec.stride;
          return true;
        });
      }
    });
    return request_.has_lengths ? PutLengths(f) : OkStatus();
  }

  Status PutLengths(size_t f) {
    const int dense = static_cast<int>(f) - request_.num_sparse;
    const int output = request_.first_output + 3 * request_.num_sparse + NumDense() + dense;
    const Shape shape = request_.is_single ? Shape{} : Shape{request_.batch};
    ASSIGN_OR_RETURN(Tensor * lengths, context_->AllocateOutput(output, shape));
    for (int64_t i = 0; i < request_.batch; ++i) {
      lengths->mutable_data<int64_t>()[i] = sizes_[At(i, f)].steps;
    }
    return OkStatus();
  }

  const SequenceRequest& request_;
  OpKernelContext* context_;
  FeatureFinder finder_;
  std::vector<std::string_view> lists_;
  std::vector<ListSize> sizes_;
};

}  // namespace

Status ParseSequences(const SequenceRequest& request, OpKernelContext* context) {
  return SequenceParsing(request, context).Run();
}

}  // namespace tfbuild
