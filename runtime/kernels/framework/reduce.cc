#include "kernels/framework/reduce.h"

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {
namespace {

constexpr int64_t kReduceGrain = 131072;  // input elements that are worth a thread
constexpr int64_t kMaxPieces = 64;  // into which the work of one output is cut
constexpr int64_t kGroup = 4 * kReduceColumns;  // outputs handled together, at most
constexpr int64_t kGroupInputs = 16384;     // input elements of rows that are handled together

struct Dim {
  int64_t size;
  int64_t stride;
};

// Offset of element number `index` of the space that the dimensions span.
int64_t OffsetOf(const std::vector<Dim>& dims, int64_t index) {
  int64_t offset = 0;
  for (size_t k = dims.size(); k-- > 1;) {
    offset += index % dims[k].size * dims[k].stride;
    index /= dims[k].size;
  }
  return dims.empty() ? 0 : offset + index * dims[0].stride;
}

// One reduction, cut into units (groups of outputs) times pieces (of what is reduced). The number
// of pieces depends on the shape alone, so that results do not depend on the number of threads.
class Reducer {
 public:
  Reducer(const ReductionPlan& plan, const ReduceLoops& loops, const Tensor& input, Tensor* output)
      : loops_(loops),
        outputs_(plan.outputs),
        reduced_(plan.reduced),
        x_(input.data<char>()),
        out_(output->mutable_data<char>()),
        size_(DTypeSize(input.dtype())) {
    const size_t last = plan.dims.size() - 1;
    rows_ = plan.is_reduced(last);
    width_ = plan.dims[last];
    int64_t stride = width_;
    for (size_t k = last; k-- > 0; stride *= plan.dims[k]) {
      auto& dims = plan.is_reduced(k) ? reduced_dims_ : kept_dims_;
      dims.insert(dims.begin(), {plan.dims[k], stride});
    }
    // Rows come in groups, but for long ones.
    group_ = rows_ ? std::clamp<int64_t>(kGroupInputs / reduced_, 1, kGroup)
                   : std::min(width_, kGroup);
    across_ = rows_ ? 1 : (width_ + group_ - 1) / group_;
    units_ = rows_ ? (outputs_ + group_ - 1) / group_ : outputs_ / width_ * across_;
    const int64_t work = outputs_ * reduced_;
    // Rows in pieces round otherwise than whole ones, as they are in loops that do more (row_run.h).
    const bool whole = rows_ && reduced_ == width_ && width_ <= kWholeRow;
    const int64_t wanted =
        whole ? 1 : std::min(kMaxPieces / std::max<int64_t>(units_, 1), work / kReduceGrain);
    pieces_ = std::max<int64_t>(1, std::min(wanted, reduced_));
  }

  Status Run(OpKernelContext* context) {
    const int64_t jobs = units_ * pieces_;
    const int64_t grain = std::max<int64_t>(1, kReduceGrain / (outputs_ * reduced_ / jobs + 1));
    if (pieces_ == 1) {
      ParallelFor(jobs, grain, [this](int64_t begin, int64_t end) {
        int64_t totals[kGroup];
        for (int64_t unit = begin; unit < end; ++unit) {
          RunJob(unit, 0, totals);
          Finish(unit, totals);
        }
      });
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor temp, context->AllocateTemp(DType::kInt64, Shape{jobs * group_}));
    int64_t* totals = temp.mutable_data<int64_t>();
    ParallelFor(jobs, grain, [this, totals](int64_t begin, int64_t end) {
      for (int64_t job = begin; job < end; ++job) {
        RunJob(job / pieces_, job % pieces_, totals + job * group_);
      }
    });
    for (int64_t unit = 0; unit < units_; ++unit) {
      int64_t* first = totals + unit * pieces_ * group_;
      for (int64_t piece = 1; piece < pieces_; ++piece) {
        loops_.merge(first + piece * group_, CountOf(unit), first);
      }
      Finish(unit, first);
    }
    return OkStatus();
  }

 private:
  // The first output of a unit, and how many there are.
  int64_t FirstOf(int64_t unit) const {
    return rows_ ? unit * group_ : unit / across_ * width_ + unit % across_ * group_;
  }
  int64_t CountOf(int64_t unit) const {
    return rows_ ? std::min(group_, outputs_ - unit * group_)
                 : std::min(group_, width_ - unit % across_ * group_);
  }

  void RunJob(int64_t unit, int64_t piece, int64_t* totals) const {
    const int64_t begin = reduced_ * piece / pieces_;
    const int64_t end = reduced_ * (piece + 1) / pieces_;
    loops_.init(totals, CountOf(unit));
    if (rows_) {
      RunRows(unit, begin, end, totals);
    } else {
      RunColumns(unit, begin, end, totals);
    }
  }

  void RunRows(int64_t unit, int64_t begin, int64_t end, int64_t* totals) const {
    const int64_t first = FirstOf(unit);
    if (reduced_dims_.empty() && kept_dims_.size() == 1) {  // a matrix
      const int64_t stride = kept_dims_[0].stride;
      loops_.rows(x_ + (first * stride + begin) * size_, stride, CountOf(unit), end - begin, totals);
      return;
    }
    for (int64_t i = 0; i < CountOf(unit); ++i) {
      const int64_t base = OffsetOf(kept_dims_, first + i);
      char* total = reinterpret_cast<char*>(totals) + i * loops_.total_size;
      for (int64_t at = begin; at < end;) {
        const int64_t column = at % width_;
        const int64_t count = std::min(width_ - column, end - at);
        const int64_t offset = base + OffsetOf(reduced_dims_, at / width_) + column;
        loops_.rows(x_ + offset * size_, width_, 1, count, total);
        at += count;
      }
    }
  }

  void RunColumns(int64_t unit, int64_t begin, int64_t end, int64_t* totals) const {
    const int64_t base = OffsetOf(kept_dims_, unit / across_) + unit % across_ * group_;
    int64_t offsets[kReduceRows];
    while (begin < end) {
      const int64_t rows = std::min(end - begin, kReduceRows);
      for (int64_t r = 0; r < rows; ++r) offsets[r] = OffsetOf(reduced_dims_, begin + r);
      // Some columns at a time, but all of these rows before the next: in the order of memory.
      for (int64_t first = 0; first < CountOf(unit); first += kReduceColumns) {
        loops_.columns(x_ + (base + first) * size_, offsets, rows,
                       std::min(CountOf(unit) - first, kReduceColumns),
                       reinterpret_cast<char*>(totals) + first * loops_.total_size);
      }
      begin += rows;
    }
  }

  void Finish(int64_t unit, const int64_t* totals) const {
    loops_.finish(totals, CountOf(unit), reduced_, out_ + FirstOf(unit) * size_);
  }

  const ReduceLoops& loops_;
  int64_t outputs_;
  int64_t reduced_;
  const char* x_;
  char* out_;
  int64_t size_;  // bytes of an element
  bool rows_;     // whether neighbours in memory are reduced together
  int64_t width_;
  std::vector<Dim> kept_dims_;
  std::vector<Dim> reduced_dims_;
  int64_t group_;
  int64_t across_;
  int64_t units_;
  int64_t pieces_;
};

// Nothing to reduce: each output is what the reducer begins with.
void FillInitial(const ReduceLoops& loops, Tensor* output) {
  int64_t total;
  loops.init(&total, 1);
  char* out = output->mutable_data<char>();
  const int64_t size = DTypeSize(output->dtype());
  ParallelFor(output->num_elements(), kParallelFillGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) loops.finish(&total, 1, 0, out + i * size);
  });
}

}  // namespace

const ReduceLoops* ReduceLoopsOf(const std::string& op, DType dtype) {
  const std::unique_ptr<OpKernel> made = KernelRegistry::Global().MakeOnCpu(op, dtype);
  const auto* reduction = dynamic_cast<const ReductionKernel*>(made.get());
  return reduction == nullptr ? nullptr : &reduction->loops();
}

Status ComputeReduction(OpKernelContext* context, bool keep_dims, const ReduceLoops& loops) {
  const Tensor& input = context->input(0);
  ASSIGN_OR_RETURN(const ReductionPlan plan,
                   PlanReduction(input.shape(), context->input(1), keep_dims));
  if (plan.reduced == 1) {
    ASSIGN_OR_RETURN(Tensor same, input.Reshaped(plan.output));
    context->SetOutput(0, std::move(same));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, plan.output));
  if (plan.outputs == 0) return OkStatus();
  if (plan.reduced == 0) {
    FillInitial(loops, output);
    return OkStatus();
  }
  return Reducer(plan, loops, input, output).Run(context);
}

}  // namespace tfbuild
