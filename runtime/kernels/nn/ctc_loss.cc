// CTCLoss: connectionist temporal classification, by Graves et al. (ICML 2006), with its gradient.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/parallel.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/log_sum.h"

namespace tfbuild {
namespace {

Status CtcLossShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape inputs, context->WithRank(0, 3));
  RETURN_IF_ERROR(context->WithRank(1, 2).status());
  RETURN_IF_ERROR(context->WithRank(2, 1).status());
  ASSIGN_OR_RETURN(const PartialShape lengths, context->WithRank(3, 1));
  ASSIGN_OR_RETURN(const PartialShape batch,
                   PartialShape{inputs.dim(1)}.MergeWith(PartialShape{lengths.dim(0)}));
  context->set_output(0, batch);
  context->set_output(1, PartialShape({inputs.dim(0), batch.dim(0), inputs.dim(2)}));
  return OkStatus();
}

REGISTER_OP("CTCLoss")
    .Input("inputs: T")
    .Input("labels_indices: int64")
    .Input("labels_values: int32")
    .Input("sequence_length: int32")
    .Output("loss: T")
    .Output("gradient: T")
    .Attr("preprocess_collapse_repeated: bool = false")
    .Attr("ctc_merge_repeated: bool = true")
    .Attr("ignore_longer_outputs_than_inputs: bool = false")
    .Attr("T: {float, double} = DT_FLOAT")
    .ShapeFunction(CtcLossShape);

// A table of logarithms by step and place in the path.
class LogTable {
 public:
  LogTable(int64_t steps, int64_t places)
      : places_(places), values_(static_cast<size_t>(steps * places), kLogZero) {}
  double& operator()(int64_t t, int64_t u) { return values_[static_cast<size_t>(t * places_ + u)]; }

 private:
  int64_t places_;
  std::vector<double> values_;
};

// One sequence: its labels with blanks before, between and behind them, and log probabilities.
struct Sequence {
  std::vector<int64_t> path;
  LogTable logs;  // of each class at each step
  int64_t steps;
  int64_t blank;
  bool merge_repeated;

  int64_t size() const { return static_cast<int64_t>(path.size()); }
  int64_t label(int64_t u) const { return path[static_cast<size_t>(u)]; }
  // Whether the class at u may go on for another step, and whether u may follow u - 2 at once.
  bool Stays(int64_t u) const { return merge_repeated || label(u) == blank; }
  bool Skips(int64_t u) const {
    return u >= 2 && label(u) != blank && !(merge_repeated && label(u) == label(u - 2));
  }
};

// The log probability of all ways to the place u at step t, with what step t emits.
LogTable Forward(Sequence* s) {
  LogTable alpha(s->steps, s->size());
  for (int64_t u = 0; u < std::min<int64_t>(2, s->size()); ++u) {
    alpha(0, u) = s->logs(0, s->label(u));
  }
  StopLook look;
  for (int64_t t = 1; t < s->steps; ++t) {
    for (int64_t u = 0; u < s->size(); ++u) {
      look.Turn();
      double sum = s->Stays(u) ? alpha(t - 1, u) : kLogZero;
      if (u >= 1) sum = LogSum(sum, alpha(t - 1, u - 1));
      if (s->Skips(u)) sum = LogSum(sum, alpha(t - 1, u - 2));
      alpha(t, u) = sum + s->logs(t, s->label(u));
    }
  }
  return alpha;
}

// The log probability of all ways from the place u at step t to the end, without what step t emits.
LogTable Backward(Sequence* s) {
  LogTable beta(s->steps, s->size());
  for (int64_t u = std::max<int64_t>(0, s->size() - 2); u < s->size(); ++u) {
    beta(s->steps - 1, u) = 0;
  }
  StopLook look;
  for (int64_t t = s->steps - 2; t >= 0; --t) {
    const auto by = [&](int64_t u) { return beta(t + 1, u) + s->logs(t + 1, s->label(u)); };
    for (int64_t u = 0; u < s->size(); ++u) {
      look.Turn();
      double sum = s->Stays(u) ? by(u) : kLogZero;
      if (u + 1 < s->size()) sum = LogSum(sum, by(u + 1));
      if (u + 2 < s->size() && s->Skips(u + 2) && s->label(u) != s->blank) {
        sum = LogSum(sum, by(u + 2));
      }
      beta(t, u) = sum;
    }
  }
  return beta;
}

struct CtcOptions {
  bool collapse_repeated = false;
  bool merge_repeated = true;
  bool ignore_longer = false;
};

// The path of one sequence from its labels.
Result<std::vector<int64_t>> PathOf(const std::vector<int32_t>& labels, int64_t batch,
                                    int64_t classes, int64_t steps, const CtcOptions& options) {
  if (labels.empty()) return InvalidArgument("Labels length is zero in batch ", batch);
  const int64_t blank = classes - 1;
  std::vector<int64_t> path{blank};
  bool finished = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && options.collapse_repeated && labels[i] == labels[i - 1]) continue;
    if (labels[i] < 0) {
      return InvalidArgument("All labels must be nonnegative integers, batch: ", batch,
                             " label: ", labels[i]);
    }
    if (labels[i] >= blank) {
      finished = true;
      continue;
    }
    if (finished) {
      return InvalidArgument("Saw a non-null label (index >= num_classes - 1) following a null "
                             "label, batch: ", batch, " num_classes: ", classes, " label: ",
                             labels[i]);
    }
    path.insert(path.end(), {labels[i], blank});
  }
  const int64_t required = static_cast<int64_t>(labels.size());
  if (!options.ignore_longer && required > steps) {
    return InvalidArgument("Not enough time for target transition sequence (required: ", required,
                           ", available: ", steps, ") in batch ", batch, ". You can turn this "
                           "error into a warning by using the flag "
                           "ignore_longer_outputs_than_inputs");
  }
  return path;
}

// What the inputs say, checked.
struct CtcSizes {
  int64_t time, batch, classes;
  std::vector<int64_t> steps;                // of each sequence
  std::vector<std::vector<int32_t>> labels;  // of each sequence
};

Status CheckCtcShapes(const OpKernelContext& context) {
  const Tensor &inputs = context.input(0), &indices = context.input(1);
  const Tensor &values = context.input(2), &lengths = context.input(3);
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (indices.rank() != 2) return InvalidArgument("labels_indices is not a matrix");
  if (indices.dim(1) != 2) {
    return InvalidArgument("labels_indices second dimension must be 2. Received ", indices.dim(1));
  }
  if (values.rank() != 1) return InvalidArgument("labels_values is not a vector");
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument("labels_indices and labels_values must contain the same number of "
                           "rows, but saw shapes: ", indices.shape(), " vs. ", values.shape());
  }
  if (inputs.dim(0) == 0) {
    return InvalidArgument("Max time or first dimension of input cannot be 0.");
  }
  if (inputs.dim(1) == 0) return InvalidArgument("batch_size must not be 0");
  if (inputs.dim(2) == 0) return InvalidArgument("num_classes must not be 0");
  if (lengths.dim(0) != inputs.dim(1)) {
    return InvalidArgument("len(sequence_length) != batch_size.  len(sequence_length):  ",
                           lengths.dim(0), " batch_size: ", inputs.dim(1));
  }
  return OkStatus();
}

Result<CtcSizes> CheckCtc(const OpKernelContext& context) {
  RETURN_IF_ERROR(CheckCtcShapes(context));
  const Tensor &inputs = context.input(0), &indices = context.input(1);
  CtcSizes sizes{inputs.dim(0), inputs.dim(1), inputs.dim(2), {}, {}};
  const int32_t* lengths = context.input(3).data<int32_t>();
  for (int64_t b = 0; b < sizes.batch; ++b) {
    sizes.steps.push_back(lengths[b]);
    if (sizes.steps.back() < 0) return InvalidArgument("sequence_length(", b, ") < 0");
    if (sizes.steps.back() > sizes.time) {
      return InvalidArgument("sequence_length(", b, ") <= ", sizes.time);
    }
  }
  sizes.labels.resize(static_cast<size_t>(sizes.batch));
  int64_t last = -1, column = -1;
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    const int64_t b = indices.data<int64_t>()[2 * i], at = indices.data<int64_t>()[2 * i + 1];
    if (b < 0 || b >= sizes.batch) {
      return InvalidArgument("labels batch index must be between 0 and ", sizes.batch,
                             " but saw: ", b);
    }
    if (b < last || (b == last && at <= column)) {
      return InvalidArgument("label SparseTensor is not valid: indices[", i,
                             "] is out of order or repeated");
    }
    last = b;
    column = at;
    sizes.labels[static_cast<size_t>(b)].push_back(context.input(2).data<int32_t>()[i]);
  }
  return sizes;
}

template <typename T>
class CtcLossOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(options_.collapse_repeated,
                     construction.Attr<bool>("preprocess_collapse_repeated"));
    ASSIGN_OR_RETURN(options_.merge_repeated, construction.Attr<bool>("ctc_merge_repeated"));
    ASSIGN_OR_RETURN(options_.ignore_longer,
                     construction.Attr<bool>("ignore_longer_outputs_than_inputs"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const CtcSizes sizes, CheckCtc(*context));
    std::vector<std::vector<int64_t>> paths;
    for (int64_t b = 0; b < sizes.batch; ++b) {
      const size_t at = static_cast<size_t>(b);
      ASSIGN_OR_RETURN(std::vector<int64_t> path, PathOf(sizes.labels[at], b, sizes.classes,
                                                         sizes.steps[at], options_));
      paths.push_back(std::move(path));
    }
    ASSIGN_OR_RETURN(Tensor * loss, context->AllocateOutput(0, Shape{sizes.batch}));
    const Tensor& inputs = context->input(0);
    ASSIGN_OR_RETURN(Tensor * gradient, context->AllocateOutput(1, inputs.shape()));
    std::fill_n(gradient->mutable_data<T>(), gradient->num_elements(), T(0));
    T* losses = loss->mutable_data<T>();
    T* gradients = gradient->mutable_data<T>();
    ParallelFor(sizes.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        losses[b] = T(One(sizes, b, paths[static_cast<size_t>(b)], inputs.data<T>(), gradients));
      }
    });
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  // The loss of sequence b; writes its gradient.
  double One(const CtcSizes& sizes, int64_t b, const std::vector<int64_t>& path, const T* inputs,
             T* gradients) const {
    const int64_t steps = sizes.steps[static_cast<size_t>(b)], classes = sizes.classes;
    const int64_t labels = static_cast<int64_t>(sizes.labels[static_cast<size_t>(b)].size());
    if (steps == 0 || (options_.ignore_longer && labels > steps)) return 0;
    Sequence s{path, LogTable(steps, classes), steps, classes - 1, options_.merge_repeated};
    StopLook look;
    const auto place = [&](int64_t t) { return (t * sizes.batch + b) * classes; };
    for (int64_t t = 0; t < steps; ++t) {
      const T* row = inputs + place(t);
      double largest = kLogZero, sum = 0;
      for (int64_t k = 0; k < classes; ++k) largest = std::max(largest, double(row[k]));
      for (int64_t k = 0; k < classes; ++k) {
        look.Turn();
        sum += std::exp(double(row[k]) - largest);
      }
      for (int64_t k = 0; k < classes; ++k) s.logs(t, k) = row[k] - largest - std::log(sum);
    }
    LogTable alpha = Forward(&s), beta = Backward(&s);
    double total = kLogZero;
    for (int64_t u = 0; u < s.size(); ++u) total = LogSum(total, alpha(0, u) + beta(0, u));
    std::vector<double> of_class(static_cast<size_t>(classes));
    for (int64_t t = 0; t < steps; ++t) {
      std::fill(of_class.begin(), of_class.end(), kLogZero);
      for (int64_t u = 0; u < s.size(); ++u) {
        look.Turn();
        double& sum = of_class[static_cast<size_t>(s.label(u))];
        sum = LogSum(sum, alpha(t, u) + beta(t, u));
      }
      for (int64_t k = 0; k < classes; ++k) {
        look.Turn();
        const double share =
            total == kLogZero ? 0 : std::exp(of_class[static_cast<size_t>(k)] - total);
        gradients[place(t) + k] = T(std::exp(s.logs(t, k)) - share);
      }
    }
    return -total;
  }

  CtcOptions options_;
};

REGISTER_KERNEL(Kernel("CTCLoss").OnCpu().Type<float>("T"), CtcLossOp<float>);
REGISTER_KERNEL(Kernel("CTCLoss").OnCpu().Type<double>("T"), CtcLossOp<double>);

}  // namespace
}  // namespace tfbuild
