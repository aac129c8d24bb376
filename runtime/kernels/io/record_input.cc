// RecordInput: batches of records of many TFRecord files, shuffled, for ever.
#include <algorithm>
#include <mutex>
#include <random>
#include <vector>

#include "graph/shape_context.h"
#include "io/file.h"
#include "io/matching_files.h"
#include "io/record.h"
#include "kernels/framework/handle_reference.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_manager.h"

namespace tfbuild {
namespace {

REGISTER_OP("RecordInput")
    .Output("records: string")
    .Attr("file_pattern: string")
    .Attr("file_random_seed: int = 301")
    .Attr("file_shuffle_shift_ratio: float = 0")
    .Attr("file_buffer_size: int = 10000")
    .Attr("file_parallelism: int = 16")
    .Attr("batch_size: int = 32")
    .Attr("compression_type: string = ''")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) {
      context->set_output(0, {kUnknownDim});
      return OkStatus();
    });

struct RecordInputOptions {
  std::string pattern;
  Compression compression = Compression::kNone;
  double shift = 0;  // of the files, by which each round begins further on
  size_t buffer = 1;
  uint64_t seed = 0;
};

// Which records come next. Each round has every record once; they are drawn from a buffer that is
// filled up before each draw. Thread-safe.
class RecordInputState final : public Resource {
 public:
  static constexpr char kKind[] = "record input";

  Status Draw(const RecordInputOptions& options, size_t count, std::vector<std::string>* records) {
    std::lock_guard<std::mutex> lock(mutex_);
    while (records->size() < count) {
      RETURN_IF_ERROR(Fill(options));
      if (buffer_.empty()) {
        RETURN_IF_ERROR(BeginRound(options));
        continue;
      }
      std::string& drawn = buffer_[std::uniform_int_distribution<size_t>(0, buffer_.size() - 1)(random_)];
      drawn.swap(buffer_.back());
      records->push_back(std::move(buffer_.back()));
      buffer_.pop_back();
    }
    return OkStatus();
  }

 private:
  Status BeginRound(const RecordInputOptions& options) {
    if (round_ > 0 && !found_any_) {
      return Status(Code::kOutOfRange, StrCat("Found no record in the files of ", options.pattern));
    }
    const std::set<std::string> found = MatchingFiles(options.pattern);
    if (found.empty()) return NotFound("Found no files at ", options.pattern);
    files_.assign(found.begin(), found.end());
    if (round_ == 0) random_.seed(options.seed);
    std::shuffle(files_.begin(), files_.end(), random_);
    const double turn = options.shift * static_cast<double>(files_.size()) * static_cast<double>(round_);
    const size_t first = static_cast<size_t>(turn) % files_.size();
    std::rotate(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(first), files_.end());
    next_file_ = 0;
    ++round_;
    return OkStatus();
  }

  Status Fill(const RecordInputOptions& options) {
    while (buffer_.size() < options.buffer) {
      if (reader_ == nullptr) {
        if (next_file_ == files_.size()) return OkStatus();
        ASSIGN_OR_RETURN(std::unique_ptr<InputStream> file, FileInput::Open(files_[next_file_]));
        ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in,
                         Decompressed(std::move(file), options.compression));
        reader_ = std::make_unique<RecordReader>(std::move(in));
      }
      std::string record;
      const Result<bool> read = reader_->Read(&record);
      if (!read.ok()) return read.status().Annotate(files_[next_file_]);
      if (*read) {
        buffer_.push_back(std::move(record));
        found_any_ = true;
      } else {
        reader_.reset();
        ++next_file_;
      }
    }
    return OkStatus();
  }

  std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<std::string> files_, buffer_;
  size_t next_file_ = 0;
  std::unique_ptr<RecordReader> reader_;
  int64_t round_ = 0;
  bool found_any_ = false;
};

// Reads on the thread of the step: file_parallelism has no threads of its own here.
class RecordInputOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(options_.pattern, construction.Attr<std::string>("file_pattern"));
    ASSIGN_OR_RETURN(const std::string packed, construction.Attr<std::string>("compression_type"));
    ASSIGN_OR_RETURN(options_.compression, CompressionOf(packed));
    ASSIGN_OR_RETURN(const float shift, construction.Attr<float>("file_shuffle_shift_ratio"));
    ASSIGN_OR_RETURN(const int64_t buffer, construction.Attr<int64_t>("file_buffer_size"));
    ASSIGN_OR_RETURN(const int64_t seed, construction.Attr<int64_t>("file_random_seed"));
    ASSIGN_OR_RETURN(batch_, construction.Attr<int64_t>("batch_size"));
    if (!(shift >= 0 && shift <= 1)) return InvalidArgument("file_shuffle_shift_ratio must be in [0, 1]");
    if (buffer < 1 || batch_ < 1) return InvalidArgument("file_buffer_size and batch_size must be positive");
    options_.shift = static_cast<double>(shift);
    options_.buffer = static_cast<size_t>(buffer);
    options_.seed = static_cast<uint64_t>(seed);
    if (construction.resources == nullptr) return FailedPrecondition("only a session has records");
    // By its node's name, so that the order goes on whatever else a step fetches.
    const int64_t handle = construction.resources->Handle<RecordInputState>(
        ResourceManager::kDefaultContainer, construction.node.name());
    ASSIGN_OR_RETURN(state_, construction.resources->FindOrCreate<RecordInputState>(handle));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    std::vector<std::string> records;
    RETURN_IF_ERROR(state_->Draw(options_, static_cast<size_t>(batch_), &records));
    context->SetOutput(0, Tensor::Strings(Shape{batch_}, std::move(records)));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  RecordInputOptions options_;
  int64_t batch_ = 0;
  std::shared_ptr<RecordInputState> state_;
};

REGISTER_KERNEL(Kernel("RecordInput").OnCpu(), RecordInputOp);

}  // namespace
}  // namespace tfbuild
