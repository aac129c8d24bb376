// CTCGreedyDecoder and CTCBeamSearchDecoder: the likeliest labels of sequences of logits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/log_sum.h"

namespace tfbuild {
namespace {

Result<int64_t> DecodedBatch(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape inputs, context->WithRank(0, 3));
  ASSIGN_OR_RETURN(const PartialShape lengths, context->WithRank(1, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, PartialShape{inputs.dim(1)}.MergeWith(lengths));
  return batch.dim(0);
}

Status DecodedShape(ShapeContext* context, int64_t paths) {
  ASSIGN_OR_RETURN(const int64_t batch, DecodedBatch(context));
  for (int i = 0; i < paths; ++i) {
    context->set_output(i, PartialShape({kUnknownDim, 2}));
    context->set_output(static_cast<int>(paths) + i, PartialShape({kUnknownDim}));
    context->set_output(static_cast<int>(2 * paths) + i, PartialShape({2}));
  }
  context->set_output(static_cast<int>(3 * paths), PartialShape({batch, paths}));
  return OkStatus();
}

Status GreedyShape(ShapeContext* context) { return DecodedShape(context, 1); }

Status BeamSearchShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t paths, context->Attr<int64_t>("top_paths"));
  return DecodedShape(context, paths);
}

REGISTER_OP("CTCGreedyDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: int64")
    .Output("decoded_values: int64")
    .Output("decoded_shape: int64")
    .Output("log_probability: T")
    .Attr("merge_repeated: bool = false")
    .Attr("blank_index: int = -1")
    .Attr("T: {float, double} = DT_FLOAT")
    .ShapeFunction(GreedyShape);
REGISTER_OP("CTCBeamSearchDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: top_paths * int64")
    .Output("decoded_values: top_paths * int64")
    .Output("decoded_shape: top_paths * int64")
    .Output("log_probability: T")
    .Attr("beam_width: int >= 1")
    .Attr("top_paths: int >= 1")
    .Attr("merge_repeated: bool = true")
    .Attr("T: {float, double} = DT_FLOAT")
    .ShapeFunction(BeamSearchShape);

using Labels = std::vector<int64_t>;

// The lengths of the sequences, copied and checked.
Result<std::vector<int64_t>> DecodedLengths(const Tensor& inputs, const Tensor& given) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.dim(0) == 0) return InvalidArgument("max_time is 0");
  if (inputs.dim(2) == 0) return InvalidArgument("num_classes is 0");
  if (given.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (given.dim(0) != inputs.dim(1)) {
    return FailedPrecondition("len(sequence_length) != batch_size.  len(sequence_length):  ",
                              given.dim(0), " batch_size: ", inputs.dim(1));
  }
  const int32_t* data = given.data<int32_t>();
  std::vector<int64_t> lengths(data, data + given.dim(0));
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] > inputs.dim(0)) {
      return FailedPrecondition("sequence_length(", b, ") <= ", inputs.dim(0));
    }
  }
  return lengths;
}

// Puts out path p of each sequence of the batch as a sparse matrix.
Status PutPath(OpKernelContext* context, const std::vector<Labels>& decoded, int p, int paths) {
  int64_t count = 0, longest = 0;
  for (const Labels& labels : decoded) {
    count += static_cast<int64_t>(labels.size());
    longest = std::max(longest, static_cast<int64_t>(labels.size()));
  }
  ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(p, Shape{count, 2}));
  ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(paths + p, Shape{count}));
  ASSIGN_OR_RETURN(Tensor * shape, context->AllocateOutput(2 * paths + p, Shape{2}));
  int64_t* place = indices->mutable_data<int64_t>();
  int64_t* value = values->mutable_data<int64_t>();
  for (size_t b = 0; b < decoded.size(); ++b) {
    for (size_t t = 0; t < decoded[b].size(); ++t) {
      *place++ = static_cast<int64_t>(b);
      *place++ = static_cast<int64_t>(t);
      *value++ = decoded[b][t];
    }
  }
  shape->mutable_data<int64_t>()[0] = static_cast<int64_t>(decoded.size());
  shape->mutable_data<int64_t>()[1] = longest;
  return OkStatus();
}

template <typename T>
class GreedyDecoderOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(merge_repeated_, construction.Attr<bool>("merge_repeated"));
    ASSIGN_OR_RETURN(blank_, construction.Attr<int64_t>("blank_index"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& inputs = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                     DecodedLengths(inputs, context->input(1)));
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    const int64_t blank = blank_ < 0 ? classes + blank_ : blank_;
    if (blank < 0 || blank >= classes) {
      return InvalidArgument("blank_index is ", blank_, " but there are ", classes, " classes");
    }
    std::vector<Labels> decoded(lengths.size());
    ASSIGN_OR_RETURN(Tensor * scores, context->AllocateOutput(3, Shape{batch, 1}));
    StopLook look;
    for (int64_t b = 0; b < batch; ++b) {
      T score(0);
      int64_t before = -1;
      for (int64_t t = 0; t < lengths[static_cast<size_t>(b)]; ++t) {
        look.Turn();
        const T* row = inputs.data<T>() + (t * batch + b) * classes;
        const int64_t best = std::max_element(row, row + classes) - row;
        score -= row[best];
        if (best != blank && !(merge_repeated_ && best == before)) {
          decoded[static_cast<size_t>(b)].push_back(best);
        }
        before = best;
      }
      scores->mutable_data<T>()[b] = score;
    }
    return PutPath(context, decoded, 0, 1);
  }

 private:
  bool merge_repeated_ = false;
  int64_t blank_ = -1;
};

// Log probabilities of the labels up to an entry: ending with a blank, with its label, with either.
struct BeamProbability {
  double total = kLogZero;
  double blank = kLogZero;
  double label = kLogZero;
};

// Labels as a tree: each entry adds one to its parent's.
struct BeamEntry {
  BeamEntry* parent = nullptr;
  int64_t label = -1;
  BeamProbability before, now;
  std::map<int64_t, std::unique_ptr<BeamEntry>> children;

  bool Active() const { return now.total != kLogZero; }
  BeamEntry* Child(int64_t next) {
    std::unique_ptr<BeamEntry>& child = children[next];
    if (!child) {
      child = std::make_unique<BeamEntry>();
      child->parent = this;
      child->label = next;
    }
    return child.get();
  }
  Labels Path(bool merge_repeated) const {
    Labels labels;
    int64_t behind = -1;
    for (const BeamEntry* entry = this; entry->parent != nullptr; entry = entry->parent) {
      if (!merge_repeated || entry->label != behind) labels.push_back(entry->label);
      behind = entry->label;
    }
    std::reverse(labels.begin(), labels.end());
    return labels;
  }
};

// The search over one sequence: the `width` likeliest entries, one step after the other.
class BeamSearch {
 public:
  explicit BeamSearch(size_t width) : width_(width) {
    root_.now.total = root_.now.blank = 0;
    leaves_.push_back(&root_);
  }
  ~BeamSearch() {
    // One level after the other, since a tree as deep as a sequence is long may not end by
    // recursion.
    std::vector<std::unique_ptr<BeamEntry>> open;
    const auto take = [&open](BeamEntry* entry) {
      for (auto& [label, child] : entry->children) open.push_back(std::move(child));
      entry->children.clear();
    };
    take(&root_);
    while (!open.empty()) {
      const std::unique_ptr<BeamEntry> entry = std::move(open.back());
      open.pop_back();
      take(entry.get());
    }
  }

  // logits of one step; the last class is the blank.
  template <typename T>
  void Step(const T* logits, int64_t classes) {
    double largest = kLogZero, sum = 0;
    for (int64_t k = 0; k < classes; ++k) largest = std::max(largest, double(logits[k]));
    for (int64_t k = 0; k < classes; ++k) sum += std::exp(double(logits[k]) - largest);
    const double offset = largest + std::log(sum);
    const auto log_of = [&](int64_t k) { return double(logits[k]) - offset; };
    const std::vector<BeamEntry*> entries = std::move(leaves_);
    leaves_.clear();
    for (BeamEntry* entry : entries) entry->before = entry->now;
    for (BeamEntry* entry : entries) {
      look_.Turn();
      Renew(entry, entry->parent == nullptr ? 0 : log_of(entry->label), log_of(classes - 1));
      Insert(entry);
    }
    for (BeamEntry* entry : entries) {
      if (!IsCandidate(entry->before)) continue;
      for (int64_t label = 0; label < classes - 1; ++label) Grow(entry, label, log_of(label));
    }
  }

  // The `count` likeliest entries, best first; fewer where there are not so many.
  std::vector<const BeamEntry*> Best(size_t count) const {
    return {leaves_.begin(),
            leaves_.begin() + static_cast<int64_t>(std::min(count, leaves_.size()))};
  }

 private:
  // An entry that stays in the beam: its label goes on, or a blank follows.
  static void Renew(BeamEntry* entry, double log_label, double log_blank) {
    if (entry->parent != nullptr) {
      if (entry->parent->Active()) {
        const BeamProbability& from = entry->parent->before;
        const bool twice = entry->label == entry->parent->label;
        entry->now.label = LogSum(entry->now.label, twice ? from.blank : from.total);
      }
      entry->now.label += log_label;
    }
    entry->now.blank = entry->before.total + log_blank;
    entry->now.total = LogSum(entry->now.blank, entry->now.label);
  }

  void Grow(BeamEntry* entry, int64_t label, double log_label) {
    look_.Turn();
    BeamEntry* child = entry->Child(label);
    if (child->Active()) return;
    const bool twice = label == entry->label;
    child->now = BeamProbability();
    child->now.label = log_label + (twice ? entry->before.blank : entry->before.total);
    child->now.total = child->now.label;
    if (!IsCandidate(child->now)) {
      child->before = child->now = BeamProbability();
      return;
    }
    if (leaves_.size() == width_) leaves_.back()->now = BeamProbability();
    Insert(child);
  }

  bool IsCandidate(const BeamProbability& probability) const {
    return probability.total > kLogZero &&
           (leaves_.size() < width_ || probability.total > leaves_.back()->now.total);
  }

  // Keeps the leaves in descending order, and at most `width_` of them.
  void Insert(BeamEntry* entry) {
    if (leaves_.size() == width_) {
      if (!(entry->now.total > leaves_.back()->now.total)) return;
      leaves_.pop_back();
    }
    const auto less = [](const BeamEntry* a, const BeamEntry* b) {
      return a->now.total > b->now.total;
    };
    leaves_.insert(std::upper_bound(leaves_.begin(), leaves_.end(), entry, less), entry);
  }

  size_t width_;
  BeamEntry root_;
  std::vector<BeamEntry*> leaves_;
  StopLook look_;
};

template <typename T>
class BeamSearchDecoderOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(merge_repeated_, construction.Attr<bool>("merge_repeated"));
    ASSIGN_OR_RETURN(width_, construction.Attr<int64_t>("beam_width"));
    ASSIGN_OR_RETURN(paths_, construction.Attr<int64_t>("top_paths"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& inputs = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                     DecodedLengths(inputs, context->input(1)));
    if (paths_ > width_) return InvalidArgument("requested more paths than the beam width.");
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    std::vector<std::vector<Labels>> decoded(static_cast<size_t>(paths_));
    ASSIGN_OR_RETURN(const Shape scores_shape, Shape::Make({batch, paths_}));
    ASSIGN_OR_RETURN(Tensor * scores,
                     context->AllocateOutput(static_cast<int>(3 * paths_), scores_shape));
    T* score = scores->mutable_data<T>();
    for (int64_t b = 0; b < batch; ++b) {
      BeamSearch search(static_cast<size_t>(width_));
      for (int64_t t = 0; t < lengths[static_cast<size_t>(b)]; ++t) {
        search.Step(inputs.data<T>() + (t * batch + b) * classes, classes);
      }
      const std::vector<const BeamEntry*> best = search.Best(static_cast<size_t>(paths_));
      if (best.size() < static_cast<size_t>(paths_)) {
        return InvalidArgument("Less leaves in the beam search than requested.");
      }
      for (size_t p = 0; p < best.size(); ++p) {
        decoded[p].push_back(best[p]->Path(merge_repeated_));
        *score++ = T(best[p]->now.total);
      }
    }
    for (int p = 0; p < paths_; ++p) {
      RETURN_IF_ERROR(PutPath(context, decoded[static_cast<size_t>(p)], p,
                              static_cast<int>(paths_)));
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  bool merge_repeated_ = true;
  int64_t width_ = 1;
  int64_t paths_ = 1;
};

#define REGISTER(T)                                                                        \
  REGISTER_KERNEL(Kernel("CTCGreedyDecoder").OnCpu().Type<T>("T"), GreedyDecoderOp<T>);    \
  REGISTER_KERNEL(Kernel("CTCBeamSearchDecoder").OnCpu().Type<T>("T"), BeamSearchDecoderOp<T>);
REGISTER(float)
REGISTER(double)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
