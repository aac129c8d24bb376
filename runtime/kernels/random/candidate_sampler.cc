// Candidate samplers: a few of many classes that stand for all of them in a loss, with how often
// each of them and of the true classes is expected among such draws.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/c_locale.h"
#include "graph/shape_context.h"
#include "io/whole_file.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/random/random_seed.h"
#include "kernels/random/range_sampler.h"

namespace tfbuild {
namespace {

Status SamplerShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const int64_t sampled, context->Attr<int64_t>("num_sampled"));
  ASSIGN_OR_RETURN(const int64_t true_count, context->Attr<int64_t>("num_true"));
  ASSIGN_OR_RETURN(const PartialShape classes, context->WithRank(0, 2));
  context->set_output(0, PartialShape({sampled}));
  context->set_output(1, PartialShape({classes.dim(0), true_count}));
  context->set_output(2, PartialShape({sampled}));
  return OkStatus();
}

#define TFBUILD_SAMPLER_OP(NAME)                 \
  REGISTER_OP(NAME)                           \
      .Input("true_classes: int64")           \
      .Output("sampled_candidates: int64")    \
      .Output("true_expected_count: float")   \
      .Output("sampled_expected_count: float") \
      .Attr("num_true: int >= 1")             \
      .Attr("num_sampled: int >= 1")          \
      .Attr("unique: bool")

TFBUILD_SAMPLER_OP("UniformCandidateSampler")
    .Attr("range_max: int >= 1").Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
TFBUILD_SAMPLER_OP("LogUniformCandidateSampler")
    .Attr("range_max: int >= 1").Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
TFBUILD_SAMPLER_OP("LearnedUnigramCandidateSampler")
    .Attr("range_max: int >= 1").Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
TFBUILD_SAMPLER_OP("ThreadUnsafeUnigramCandidateSampler")
    .Attr("range_max: int >= 1").Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
TFBUILD_SAMPLER_OP("FixedUnigramCandidateSampler")
    .Attr("range_max: int >= 1").Attr("vocab_file: string = ''").Attr("distortion: float = 1.0")
    .Attr("num_reserved_ids: int = 0").Attr("num_shards: int >= 1 = 1").Attr("shard: int >= 0 = 0")
    .Attr("unigrams: list(float) = []").Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
TFBUILD_SAMPLER_OP("AllCandidateSampler")
    .Attr("seed: int = 0").Attr("seed2: int = 0")
    .ShapeFunction(SamplerShape).Stateful();
#undef TFBUILD_SAMPLER_OP

Status AccidentalHitsShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 2).status());
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) context->set_output(i, PartialShape::UnknownOfRank(1));
  return OkStatus();
}

REGISTER_OP("ComputeAccidentalHits")
    .Input("true_classes: int64")
    .Input("sampled_candidates: int64")
    .Output("indices: int32")
    .Output("ids: int64")
    .Output("weights: float")
    .Attr("num_true: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .ShapeFunction(AccidentalHitsShape);

// The weights at the ends of the lines of a vocabulary: "word,12".
Result<std::vector<float>> WeightsOfFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  std::vector<float> weights;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string word = line.substr(line.rfind(',') + 1);  // npos + 1 is 0
    const char* rest = nullptr;
    weights.push_back(ReadFloat(word.c_str(), &rest));
    if (word.empty() || (*rest != '\0' && *rest != '\r')) {
      return InvalidArgument(path, ":", weights.size(), ": a line must end with a weight, not ",
                             word.substr(0, 40));
    }
  }
  return weights;
}

Result<std::unique_ptr<RangeSampler>> MakeFixedUnigram(const OpKernelConstruction& construction,
                                                       int64_t range) {
  ASSIGN_OR_RETURN(const std::string path, construction.Attr<std::string>("vocab_file"));
  ASSIGN_OR_RETURN(std::vector<float> given,
                   construction.Attr<std::vector<float>>("unigrams"));
  ASSIGN_OR_RETURN(const float distortion, construction.Attr<float>("distortion"));
  ASSIGN_OR_RETURN(const int64_t reserved, construction.Attr<int64_t>("num_reserved_ids"));
  ASSIGN_OR_RETURN(const int64_t shards, construction.Attr<int64_t>("num_shards"));
  ASSIGN_OR_RETURN(const int64_t shard, construction.Attr<int64_t>("shard"));
  if (path.empty() == given.empty()) {
    return InvalidArgument("Must provide either vocab_file or unigrams.");
  }
  if (shard >= shards) return InvalidArgument("shard ", shard, " is not below ", shards);
  if (!path.empty()) {
    ASSIGN_OR_RETURN(given, WeightsOfFile(path));
  }
  if (reserved < 0 || range != reserved + static_cast<int64_t>(given.size())) {
    return InvalidArgument("range_max is ", range, ", but there are ", reserved,
                           " reserved ids and ", given.size(), " weights");
  }
  std::vector<float> weights;
  for (int64_t id = shard; id < range; id += shards) {
    const float weight = id < reserved ? 0 : given[static_cast<size_t>(id - reserved)];
    weights.push_back(weight == 0 ? 0 : std::pow(weight, distortion));
    if (!(weights.back() >= 0) || std::isinf(weights.back())) {
      return InvalidArgument("the weight of id ", id, " is ", weight);
    }
  }
  float total = 0;
  for (const float weight : weights) total += weight;
  if (!(total > 0) || std::isinf(total)) return InvalidArgument("the weights sum to ", total);
  return std::unique_ptr<RangeSampler>(
      std::make_unique<FixedUnigramSampler>(range, std::move(weights), shards, shard));
}

Result<std::unique_ptr<RangeSampler>> MakeSampler(const OpKernelConstruction& construction) {
  const std::string& op = construction.node.op().name;
  using Made = std::unique_ptr<RangeSampler>;
  if (op == "AllCandidateSampler") {
    ASSIGN_OR_RETURN(const int64_t count, construction.Attr<int64_t>("num_sampled"));
    return Made(std::make_unique<AllSampler>(count));
  }
  ASSIGN_OR_RETURN(const int64_t range, construction.Attr<int64_t>("range_max"));
  if (op == "UniformCandidateSampler") return Made(std::make_unique<UniformSampler>(range));
  if (op == "LogUniformCandidateSampler") return Made(std::make_unique<LogUniformSampler>(range));
  if (range >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("range_max is ", range, ", but at most 2^31 - 2 weights can be kept");
  }
  if (op == "FixedUnigramCandidateSampler") return MakeFixedUnigram(construction, range);
  return Made(std::make_unique<UnigramSampler>(range));
}

class CandidateSamplerOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(true_count_, construction.Attr<int64_t>("num_true"));
    ASSIGN_OR_RETURN(sampled_, construction.Attr<int64_t>("num_sampled"));
    ASSIGN_OR_RETURN(unique_, construction.Attr<bool>("unique"));
    RETURN_IF_ERROR(Shape::Make({sampled_}).status());
    all_ = construction.node.op().name == "AllCandidateSampler";
    ASSIGN_OR_RETURN(sampler_, MakeSampler(construction));
    return stream_.Init(construction);
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& classes = context->input(0);
    if (classes.rank() != 2) {
      return InvalidArgument("true_classes must be a matrix, got shape ", classes.shape());
    }
    if (classes.dim(1) != true_count_) {
      return InvalidArgument("true_classes must have num_true columns, expected: ", true_count_,
                             " was: ", classes.dim(1));
    }
    if (unique_ && sampled_ > sampler_->range()) {
      return InvalidArgument("Sampler's range is too small: ", sampler_->range(), " for ", sampled_,
                             " different candidates");
    }
    const int64_t* begin = classes.data<int64_t>();
    const std::vector<int64_t> asked(begin, begin + classes.num_elements());
    for (const int64_t value : asked) {
      if (all_ || (value >= 0 && value < sampler_->range())) continue;
      return InvalidArgument("`true_candidate` out of range [0, ", sampler_->range(),
                             "), received ", value);
    }
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(0, Shape{sampled_}));
    ASSIGN_OR_RETURN(Tensor * expected, context->AllocateOutput(1, classes.shape()));
    ASSIGN_OR_RETURN(Tensor * sampled, context->AllocateOutput(2, Shape{sampled_}));
    ASSIGN_OR_RETURN(const DrawnCandidates drawn, Draw());
    std::copy(drawn.values.begin(), drawn.values.end(), values->mutable_data<int64_t>());
    Expect(asked, drawn.tries, expected->mutable_data<float>());
    Expect(drawn.values, drawn.tries, sampled->mutable_data<float>());
    sampler_->Learn(asked);
    return OkStatus();
  }

 private:
  Result<DrawnCandidates> Draw() {
    // As many words are set aside as TensorFlow does, whatever is drawn.
    PhiloxWordStream words(stream_.ReserveCalls(static_cast<uint64_t>(sampled_) * 2048 / 4));
    if (!all_) return DrawCandidates(sampler_.get(), sampled_, unique_, &words);
    DrawnCandidates drawn;
    for (int64_t i = 0; i < sampled_; ++i) drawn.values.push_back(i);
    drawn.tries = sampled_;
    return drawn;
  }
  void Expect(const std::vector<int64_t>& values, int64_t tries, float* to) {
    for (const int64_t value : values) {
      *to++ = all_ ? 1.0f : ExpectedCount(sampler_->Probability(value), sampled_, tries);
    }
  }

  int64_t true_count_ = 0;
  int64_t sampled_ = 0;
  bool unique_ = false;
  bool all_ = false;
  std::unique_ptr<RangeSampler> sampler_;
  RandomStream stream_;
};

// Where a true class is among the candidates: its row, the candidate, and the least float, which
// takes the candidate out of a softmax.
class AccidentalHitsOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(true_count_, construction.Attr<int64_t>("num_true"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& classes = context->input(0);
    const Tensor& candidates = context->input(1);
    if (classes.rank() != 2 || classes.dim(1) != true_count_) {
      return InvalidArgument("true_classes must have shape [batch, ", true_count_, "], but has ",
                             classes.shape());
    }
    if (candidates.rank() != 1) {
      return InvalidArgument("sampled_candidates must be a vector, got shape ", candidates.shape());
    }
    std::unordered_map<int64_t, int64_t> place;
    for (int64_t i = 0; i < candidates.dim(0); ++i) place[candidates.data<int64_t>()[i]] = i;
    std::vector<std::pair<int64_t, int64_t>> hits;
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const auto found = place.find(classes.data<int64_t>()[i]);
      if (found != place.end()) hits.emplace_back(i / true_count_, found->second);
    }
    const Shape shape{static_cast<int64_t>(hits.size())};
    ASSIGN_OR_RETURN(Tensor * rows, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor * ids, context->AllocateOutput(1, shape));
    ASSIGN_OR_RETURN(Tensor * weights, context->AllocateOutput(2, shape));
    for (size_t i = 0; i < hits.size(); ++i) {
      rows->mutable_data<int32_t>()[i] = static_cast<int32_t>(hits[i].first);
      ids->mutable_data<int64_t>()[i] = hits[i].second;
      weights->mutable_data<float>()[i] = -std::numeric_limits<float>::max();
    }
    return OkStatus();
  }

 private:
  int64_t true_count_ = 0;
};

REGISTER_KERNEL(Kernel("UniformCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("LogUniformCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("LearnedUnigramCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("ThreadUnsafeUnigramCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("FixedUnigramCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("AllCandidateSampler").OnCpu(), CandidateSamplerOp);
REGISTER_KERNEL(Kernel("ComputeAccidentalHits").OnCpu(), AccidentalHitsOp);

}  // namespace
}  // namespace tfbuild
