#include "kernels/parsing/example_outputs.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "kernels/parsing/ragged_outputs.h"

namespace tfbuild {
namespace {

constexpr int64_t kExampleOutputsGrain = 8;  // Examples that are worth a thread

template <typename T>
void Repeat(const Tensor& from, int64_t from_at, int64_t count, Tensor* to, int64_t at) {
  std::copy_n(from.data<T>() + from_at, count, to->mutable_data<T>() + at);
}

// `count` elements of a default, or of its first one again and again, or zeros where it has none.
void PutDefault(const FeatureSpec& spec, int64_t count, bool first_alone, Tensor* to, int64_t at) {
  const bool empty = spec.fallback.num_elements() == 0;
  for (int64_t done = 0; done < count;) {
    const int64_t step = first_alone ? 1 : count;
    switch (spec.dtype) {
      case DType::kString:
        if (!empty) Repeat<std::string>(spec.fallback, 0, step, to, at + done);
        break;
      case DType::kFloat:
        if (empty) *(to->mutable_data<float>() + at + done) = 0;
        else Repeat<float>(spec.fallback, 0, step, to, at + done);
        break;
      default:
        if (empty) *(to->mutable_data<int64_t>() + at + done) = 0;
        else Repeat<int64_t>(spec.fallback, 0, step, to, at + done);
    }
    done += step;
  }
}

class Parsing {
 public:
  Parsing(const ExampleRequest& request, OpKernelContext* context)
      : request_(request), context_(context), finder_(request.specs) {}

  Status Run() {
    const size_t features = request_.specs.size();
    const size_t batch = static_cast<size_t>(request_.batch);
    slices_.resize(features * batch);
    counts_.assign(features * batch, 0);
    RETURN_IF_ERROR(FindInAll(request_.serialized, request_.batch, kExampleOutputsGrain,
                              [this](int64_t i) { return FindOne(i); }));
    for (size_t f = 0; f < features; ++f) {
      const FeatureSpec& spec = request_.specs[f];
      RETURN_IF_ERROR(spec.is_sparse   ? PutSparse(f)
                      : spec.is_ragged   ? PutRagged(f)
                      : spec.is_variable ? PutVariable(f)
                                         : PutFixed(f));
    }
    return OkStatus();
  }

 private:
  size_t At(int64_t example, size_t feature) const {
    return static_cast<size_t>(example) * request_.specs.size() + feature;
  }
  // "Name: <unknown>, Key: k, Index: 0.  ", as TensorFlow begins its messages.
  std::string Where(int64_t example, const char* what, const std::string& key) const {
    if (request_.is_single) return StrCat(what, ": ", key);
    return StrCat("Name: ", Name(example), ", ", what, ": ", key, ", Index: ", example);
  }
  std::string Name(int64_t example) const {
    return request_.names == nullptr ? "<unknown>" : request_.names[example];
  }

  // The slices and counts of one; false where it is no Example.
  bool FindOne(int64_t example) {
    FeatureSlice* const slices = slices_.data() + At(example, 0);
    if (!finder_.FindInExample(request_.serialized[example], slices)) return false;
    for (size_t f = 0; f < request_.specs.size(); ++f) {
      if (slices[f].dtype == DType::kInvalid) continue;
      counts_[At(example, f)] = CountValues(slices[f]);
      if (counts_[At(example, f)] < 0) return false;
    }
    return true;
  }

  Status CheckTypes(size_t f) const {
    const FeatureSpec& spec = request_.specs[f];
    for (int64_t i = 0; i < request_.batch; ++i) {
      const DType there = slices_[At(i, f)].dtype;
      if (there == spec.dtype || there == DType::kInvalid) continue;
      const std::string where = Where(i, "Key", spec.key);
      if (spec.is_sparse || spec.is_ragged) {
        return InvalidArgument(where, ".  Data types don't match. Expected type: ",
                               DTypeName(spec.dtype), ", Actual type: ", DTypeName(there));
      }
      return InvalidArgument(where, ".  Data types don't match. Data type: ", DTypeName(there),
                             " but expected type: ", DTypeName(spec.dtype));
    }
    return OkStatus();
  }

  Result<Tensor*> Output(int index, std::vector<int64_t> dims) {
    if (!request_.is_single) dims.insert(dims.begin(), request_.batch);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    return context_->AllocateOutput(index, shape);
  }
  // Of the values of a dense or ragged feature.
  int ValuesOutput(size_t f) const { return 2 * request_.num_sparse + static_cast<int>(f); }
  // Where the values of each Example begin among those of all; their number is the last.
  std::vector<int64_t> Begins(size_t f) const {
    std::vector<int64_t> begins = {0};
    for (int64_t i = 0; i < request_.batch; ++i) begins.push_back(begins.back() + counts_[At(i, f)]);
    return begins;
  }

  Status PutSparse(size_t f) {
    RETURN_IF_ERROR(CheckTypes(f));
    const std::vector<int64_t> begins = Begins(f);
    const int64_t total = begins.back();
    int64_t most = 0;
    for (int64_t i = 0; i < request_.batch; ++i) most = std::max(most, counts_[At(i, f)]);
    const int64_t rank = request_.is_single ? 1 : 2;
    const int n = request_.num_sparse;
    const int output = static_cast<int>(f);
    ASSIGN_OR_RETURN(Tensor * indices, context_->AllocateOutput(output, Shape{total, rank}));
    ASSIGN_OR_RETURN(Tensor * values, context_->AllocateOutput(n + output, Shape{total}));
    ASSIGN_OR_RETURN(Tensor * shape, context_->AllocateOutput(2 * n + output, Shape{rank}));
    int64_t* const sizes = shape->mutable_data<int64_t>();
    if (rank == 2) sizes[0] = request_.batch;
    sizes[rank - 1] = most;
    int64_t* const places = indices->mutable_data<int64_t>();
    ParallelFor(request_.batch, kExampleOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = begins[static_cast<size_t>(i)];
        for (int64_t k = 0; k < counts_[At(i, f)]; ++k) {
          if (rank == 2) places[2 * (at + k)] = i;
          places[rank * (at + k) + rank - 1] = k;
        }
        CopyValues(slices_[At(i, f)], values, at);
      }
    });
    return OkStatus();
  }

  Status PutRagged(size_t f) {
    RETURN_IF_ERROR(CheckTypes(f));
    const std::vector<int64_t> begins = Begins(f);
    const int output = ValuesOutput(f);
    ASSIGN_OR_RETURN(Tensor * values, context_->AllocateOutput(output, Shape{begins.back()}));
    ParallelFor(request_.batch, kExampleOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        CopyValues(slices_[At(i, f)], values, begins[static_cast<size_t>(i)]);
      }
    });
    return PutRowSplits(context_, output + request_.num_ragged,
                        request_.is_single ? std::vector<int64_t>() : begins);
  }

  Status PutFixed(size_t f) {
    RETURN_IF_ERROR(CheckTypes(f));
    const FeatureSpec& spec = request_.specs[f];
    for (int64_t i = 0; i < request_.batch; ++i) {
      const bool missing = slices_[At(i, f)].dtype == DType::kInvalid;
      if (missing && spec.fallback.num_elements() == 0 && spec.stride != 0) {
        const std::string name = request_.is_single ? "" : StrCat("Name: ", Name(i), ", ");
        return InvalidArgument(name, "Feature: ", spec.key, " (data type: ", DTypeName(spec.dtype),
                               ") is required but could not be found.");
      }
      if (!missing && counts_[At(i, f)] != spec.stride) {
        return InvalidArgument(Where(i, "Key", spec.key), ".  Number of ", DTypeName(spec.dtype),
                               " values != expected.  Values size: ", counts_[At(i, f)],
                               " but output shape: ", spec.shape);
      }
    }
    ASSIGN_OR_RETURN(Tensor * output, Output(ValuesOutput(f), spec.shape.dims()));
    ParallelFor(request_.batch, kExampleOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const FeatureSlice& slice = slices_[At(i, f)];
        if (slice.dtype == DType::kInvalid) {
          PutDefault(spec, spec.stride, false, output, i * spec.stride);
        } else {
          CopyValues(slice, output, i * spec.stride);
        }
      }
    });
    return OkStatus();
  }

  Status PutVariable(size_t f) {
    RETURN_IF_ERROR(CheckTypes(f));
    const FeatureSpec& spec = request_.specs[f];
    int64_t most = 0;
    for (int64_t i = 0; i < request_.batch; ++i) {
      const int64_t count = counts_[At(i, f)];
      if (count > 0 && (spec.stride == 0 || count % spec.stride != 0)) {
        return InvalidArgument(Where(i, "Key", spec.key), ".  Number of ", DTypeName(spec.dtype),
                               " values is not a multiple of stride length. Saw ", count,
                               " values but output shape is: ", spec.shape);
      }
      most = std::max(most, spec.stride == 0 ? 0 : count / spec.stride);
    }
    std::vector<int64_t> dims = spec.shape.dims();
    dims[0] = most;
    ASSIGN_OR_RETURN(Tensor * output, Output(ValuesOutput(f), std::move(dims)));
    const int64_t row = most * spec.stride;
    ParallelFor(request_.batch, kExampleOutputsGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        CopyValues(slices_[At(i, f)], output, i * row);
        const int64_t count = counts_[At(i, f)];
        PutDefault(spec, row - count, true, output, i * row + count);
      }
    });
    return OkStatus();
  }

  const ExampleRequest& request_;
  OpKernelContext* context_;
  FeatureFinder finder_;
  std::vector<FeatureSlice> slices_;
  std::vector<int64_t> counts_;
};

Status CheckTypes(const std::vector<DType>& dtypes) {
  for (const DType dtype : dtypes) {
    if (dtype == DType::kFloat || dtype == DType::kInt64 || dtype == DType::kString) continue;
    return InvalidArgument("features are float, int64 or string, not ", DTypeName(dtype));
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<FeatureSpec>> SparseSpecs(const std::vector<DType>& dtypes) {
  RETURN_IF_ERROR(CheckTypes(dtypes));
  std::vector<FeatureSpec> specs(dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    specs[i].dtype = dtypes[i];
    specs[i].is_sparse = true;
  }
  return specs;
}

Result<std::vector<FeatureSpec>> DenseSpecs(const std::vector<DType>& dtypes,
                                            const std::vector<PartialShape>& shapes) {
  RETURN_IF_ERROR(CheckTypes(dtypes));
  if (dtypes.size() != shapes.size()) {
    return InvalidArgument("len(dense_keys) != len(dense_shapes): ", dtypes.size(), " vs ",
                           shapes.size());
  }
  std::vector<FeatureSpec> specs(dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    FeatureSpec& spec = specs[i];
    spec.dtype = dtypes[i];
    spec.shape = shapes[i];
    std::vector<int64_t> rest = shapes[i].dims();
    spec.is_variable = shapes[i].rank() > 0 && rest[0] == kUnknownDim;
    if (spec.is_variable) rest.erase(rest.begin());
    if (!shapes[i].known_rank() || std::count(rest.begin(), rest.end(), kUnknownDim) > 0) {
      return InvalidArgument("dense_shapes[", i, "] has unknown rank or unknown inner dimensions: ",
                             shapes[i]);
    }
    ASSIGN_OR_RETURN(const Shape row, Shape::Make(rest));
    spec.stride = row.num_elements();
  }
  return specs;
}

Status TakeDefaults(const OpKernelContext& context, int first, std::vector<FeatureSpec>* dense) {
  for (size_t i = 0; i < dense->size(); ++i) {
    FeatureSpec& spec = (*dense)[i];
    spec.fallback = context.input(first + static_cast<int>(i));
    const int64_t count = spec.fallback.num_elements();
    if (spec.is_variable ? count > 1 : count != 0 && count != spec.stride) {
      return InvalidArgument("def_value[", i, "].shape() == ", spec.fallback.shape(),
                             " != dense_shapes_[", i, "] == ", spec.shape);
    }
  }
  return OkStatus();
}

Status ParseExamples(const ExampleRequest& request, OpKernelContext* context) {
  return Parsing(request, context).Run();
}

Status SetExampleShapes(ShapeContext* context, const PartialShape& batch, int64_t num_sparse,
                        const std::string& sparse_types, const std::string& dense_shapes) {
  ASSIGN_OR_RETURN(const auto shapes, context->Attr<std::vector<PartialShape>>(dense_shapes));
  ASSIGN_OR_RETURN(const auto types, context->Attr<std::vector<DType>>(sparse_types));
  if (static_cast<int64_t>(types.size()) != num_sparse) {
    return InvalidArgument("there are ", types.size(), " ", sparse_types, " for ", num_sparse,
                           " sparse features");
  }
  const int64_t rank = batch.known_rank() ? batch.rank() + 1 : kUnknownDim;
  const int n = static_cast<int>(num_sparse);
  for (int i = 0; i < n; ++i) {
    context->set_output(i, PartialShape({kUnknownDim, rank}));
    context->set_output(n + i, PartialShape({kUnknownDim}));
    context->set_output(2 * n + i, PartialShape({rank}));
  }
  for (size_t dense = 0; dense < shapes.size(); ++dense) {
    const int output = 3 * n + static_cast<int>(dense);
    if (output >= context->num_outputs()) break;
    if (!batch.known_rank() || !shapes[dense].known_rank()) continue;
    std::vector<int64_t> dims = batch.dims();
    dims.insert(dims.end(), shapes[dense].dims().begin(), shapes[dense].dims().end());
    context->set_output(output, PartialShape(std::move(dims)));
  }
  return OkStatus();
}

Status FindInAll(const std::string* serialized, int64_t batch, int64_t grain,
                 const std::function<bool(int64_t)>& find) {
  std::atomic<int64_t> first_wrong{batch};
  ParallelFor(batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (find(i)) continue;
      int64_t known = first_wrong;
      while (i < known && !first_wrong.compare_exchange_weak(known, i)) {}
      return;
    }
  });
  if (first_wrong == batch) return OkStatus();
  return InvalidArgument("Could not parse example input, value: '",
                         serialized[first_wrong].substr(0, 256), "'");
}

}  // namespace tfbuild
