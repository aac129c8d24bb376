// MapStage, MapUnstage, MapUnstageNoKey, MapPeek, MapSize, MapIncompleteSize, MapClear, and the same of
// OrderedMap...: tensors that one step leaves for a later one under a key. The ops of one area have
// its name in common. Keys come out from the lowest on, as an ordered area has to give them.
#include <map>
#include <optional>
#include <utility>

#include "graph/shape_context.h"
#include "kernels/queues/staged_values.h"

namespace tfbuild {
namespace {

#define TFBUILD_MAP_STAGING_ATTRS(types)  \
  Attr("capacity: int >= 0 = 0")          \
      .Attr("memory_limit: int >= 0 = 0") \
      .Attr("dtypes: list(type)" types)   \
      .Attr("container: string = ''")     \
      .Attr("shared_name: string = ''")   \
      .Stateful()

#define TFBUILD_MAP_STAGE_OP(name)          \
  REGISTER_OP(name)                         \
      .Input("key: int64")                  \
      .Input("indices: int32")              \
      .Input("values: fake_dtypes")         \
      .Attr("fake_dtypes: list(type) >= 1") \
      .TFBUILD_MAP_STAGING_ATTRS("")        \
      .ShapeFunction(NoOutputs)
#define TFBUILD_MAP_TAKE_OP(name)         \
  REGISTER_OP(name)                       \
      .Input("key: int64")                \
      .Input("indices: int32")            \
      .Output("values: dtypes")           \
      .TFBUILD_MAP_STAGING_ATTRS(" >= 1") \
      .ShapeFunction(UnknownShape)
#define TFBUILD_MAP_TAKE_ANY_OP(name)     \
  REGISTER_OP(name)                       \
      .Input("indices: int32")            \
      .Output("key: int64")               \
      .Output("values: dtypes")           \
      .TFBUILD_MAP_STAGING_ATTRS(" >= 1") \
      .ShapeFunction(UnknownShape)
#define TFBUILD_MAP_COUNT_OP(name)   \
  REGISTER_OP(name)                  \
      .Output("size: int32")         \
      .TFBUILD_MAP_STAGING_ATTRS("") \
      .ShapeFunction(ScalarShape)
#define TFBUILD_MAP_CLEAR_OP(name)   \
  REGISTER_OP(name)                  \
      .TFBUILD_MAP_STAGING_ATTRS("") \
      .ShapeFunction(NoOutputs)

TFBUILD_MAP_STAGE_OP("MapStage");
TFBUILD_MAP_STAGE_OP("OrderedMapStage");
TFBUILD_MAP_TAKE_OP("MapPeek");
TFBUILD_MAP_TAKE_OP("OrderedMapPeek");
TFBUILD_MAP_TAKE_OP("MapUnstage");
TFBUILD_MAP_TAKE_OP("OrderedMapUnstage");
TFBUILD_MAP_TAKE_ANY_OP("MapUnstageNoKey");
TFBUILD_MAP_TAKE_ANY_OP("OrderedMapUnstageNoKey");
TFBUILD_MAP_COUNT_OP("MapSize");
TFBUILD_MAP_COUNT_OP("OrderedMapSize");
TFBUILD_MAP_COUNT_OP("MapIncompleteSize");
TFBUILD_MAP_COUNT_OP("OrderedMapIncompleteSize");
TFBUILD_MAP_CLEAR_OP("MapClear");
TFBUILD_MAP_CLEAR_OP("OrderedMapClear");

using Indices = std::vector<size_t>;

// Elements under keys. One may be put in, and taken out, component by component; it is there for who
// takes once all its components have been put in.
class MapStagingArea final : public WaitingStore {
 public:
  static constexpr char kKind[] = "map staging area";
  using Values = std::vector<Tensor>;
  using Element = std::vector<std::optional<Tensor>>;

  // Puts in the components with these numbers of the `size` that an element has. A key that is there
  // keeps its element.
  void Put(int64_t key, Indices indices, Values values, size_t size, StagingLimits limits,
           StepContext* step, Done done) {
    const size_t bytes = BytesOf(values);
    const Status fits = limits.CheckFits(bytes);
    if (!fits.ok()) return done(fits);
    const bool whole = indices.size() == size;
    Try(step, [=, values = std::move(values), indices = std::move(indices)](Status* status) {
      const int64_t there = whole ? static_cast<int64_t>(staged_.size()) : 0;
      StagingLimits room = limits;
      if (!whole) room.elements = 0;  // what is not complete is not counted
      if (!room.HasRoom(there, bytes_, bytes)) return false;
      *status = Fill(key, indices, values, size);
      return true;
    }, std::move(done));
  }

  // Calls `take(key, values)` with those components of the element under the key, or of the first one,
  // and takes them away unless they stay.
  using Take = std::function<Status(int64_t key, const Values&)>;
  void Get(std::optional<int64_t> key, Indices indices, bool stays, StepContext* step, Take take,
           Done done) {
    Try(step, [=, take = std::move(take), indices = std::move(indices)](Status* status) {
      const auto found = key ? staged_.find(*key) : staged_.begin();
      if (found == staged_.end()) return false;
      Values values;
      *status = Chosen(found->first, found->second, indices, &values);
      if (status->ok()) *status = take(found->first, values);
      if (stays || !status->ok()) return true;
      bytes_ -= BytesOf(values);
      for (const size_t i : indices) found->second[i].reset();
      if (IsEmpty(found->second)) staged_.erase(found);
      return true;
    }, std::move(done));
  }
  // Nobody waits for room when it returns.
  void Clear(Done done) {
    Try(nullptr, [this](Status*) {
      staged_.clear();
      incomplete_.clear();
      bytes_ = 0;
      return true;
    }, std::move(done));
  }
  int32_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(staged_.size());
  }
  int32_t incomplete_size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(incomplete_.size());
  }

 private:
  static bool IsEmpty(const Element& element) {
    for (const auto& value : element) {
      if (value) return false;
    }
    return true;
  }

  Status Fill(int64_t key, const Indices& indices, const Values& values, size_t size) {
    Element& element = incomplete_.try_emplace(key, size).first->second;
    if (element.size() != size) {
      return InvalidArgument("the element of key ", key, " has ", element.size(),
                             " components, not ", size);
    }
    for (const size_t i : indices) {
      if (!element[i]) continue;
      return InvalidArgument("The tensor for index '", i, "' for key '", key,
                             "' was already initialized.");
    }
    for (size_t i = 0; i < indices.size(); ++i) element[indices[i]] = values[i];
    bytes_ += BytesOf(values);
    for (const auto& value : element) {
      if (!value) return OkStatus();
    }
    const auto put = staged_.insert(incomplete_.extract(key));
    if (!put.inserted) {
      for (const auto& value : put.node.mapped()) bytes_ -= BytesOf({*value});
    }
    return OkStatus();
  }

  static Status Chosen(int64_t key, const Element& element, const Indices& indices, Values* values) {
    for (const size_t i : indices) {
      if (i >= element.size()) {
        return InvalidArgument("Index '", i, "' for key '", key, "' was out of bounds '",
                               element.size(), "'.");
      }
      if (!element[i]) {
        return InvalidArgument("Tensor at index '", i, "' for key '", key,
                               "' has already been removed.");
      }
      values->push_back(*element[i]);
    }
    return OkStatus();
  }

  std::map<int64_t, Element> staged_;
  std::map<int64_t, Element> incomplete_;
  size_t bytes_ = 0;
};

Result<int64_t> KeyAt(const OpKernelContext& context, int input) {
  const Tensor& key = context.input(input);
  if (key.rank() != 0) return InvalidArgument("key must be a scalar, not of shape ", key.shape());
  return *key.data<int64_t>();
}

Result<Indices> IndicesAt(const OpKernelContext& context, int input, size_t count) {
  const Tensor& given = context.input(input);
  if (given.rank() != 1 || given.num_elements() != static_cast<int64_t>(count)) {
    return InvalidArgument("indices must be a vector of ", count, ", one for each component, not ",
                           given.shape());
  }
  Indices indices;
  const int32_t* numbers = given.data<int32_t>();
  for (int64_t i = 0; i < given.num_elements(); ++i) {
    if (numbers[i] < 0 || (i > 0 && numbers[i] <= numbers[i - 1])) {
      return InvalidArgument("Indices are not strictly ordered");
    }
    indices.push_back(static_cast<size_t>(numbers[i]));
  }
  return indices;
}

class MapStageOp final : public StagedOp<MapStagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Status begun = Begin(context, done);
    if (!begun.ok()) done(begun);
  }
  Status Begin(OpKernelContext* context, const Done& done) {
    constexpr int kFirstValue = 2;
    ASSIGN_OR_RETURN(MapStagingArea::Values values,
                     context->KeptInputs(kFirstValue, context->num_inputs() - kFirstValue));
    ASSIGN_OR_RETURN(const int64_t key, KeyAt(*context, 0));
    ASSIGN_OR_RETURN(Indices indices, IndicesAt(*context, 1, values.size()));
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= dtypes().size()) {
        return InvalidArgument("Index '", indices[i], "' for key '", key, "' was out of bounds '",
                               dtypes().size(), "'.");
      }
      if (values[i].dtype() == dtypes()[indices[i]]) continue;
      return InvalidArgument("component ", indices[i], " is ", DTypeName(dtypes()[indices[i]]),
                             ", not ", DTypeName(values[i].dtype()));
    }
    area()->Put(key, std::move(indices), std::move(values), dtypes().size(), limits(),
                context->step(), done);
    return OkStatus();
  }
};

enum class Taking { kPeek, kByKey, kAnyKey };

template <Taking kTaking>
class MapUnstageOp final : public StagedOp<MapStagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Status begun = Begin(context, done);
    if (!begun.ok()) done(begun);
  }
  Status Begin(OpKernelContext* context, const Done& done) {
    constexpr bool kHasKey = kTaking != Taking::kAnyKey;
    std::optional<int64_t> key;
    if (kHasKey) {
      ASSIGN_OR_RETURN(key, KeyAt(*context, 0));
    }
    ASSIGN_OR_RETURN(Indices indices, IndicesAt(*context, kHasKey ? 1 : 0, dtypes().size()));
    const auto take = [this, context](int64_t found, const MapStagingArea::Values& values) {
      RETURN_IF_ERROR(GiveValues(values, dtypes(), kHasKey ? 0 : 1, context));
      if (!kHasKey) context->SetOutput(0, Tensor::Scalar<int64_t>(found));
      return OkStatus();
    };
    area()->Get(key, std::move(indices), kTaking == Taking::kPeek, context->step(), take, done);
    return OkStatus();
  }
};

template <bool kIncomplete>
class MapSizeOp final : public StagedOp<MapStagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const int32_t size = kIncomplete ? area()->incomplete_size() : area()->size();
    context->SetOutput(0, Tensor::Scalar<int32_t>(size));
    done(OkStatus());
  }
};

class MapClearOp final : public StagedOp<MapStagingArea> {
  void ComputeAsync(OpKernelContext*, Done done) override { area()->Clear(std::move(done)); }
};

REGISTER_KERNEL(Kernel("MapStage").OnCpu(), MapStageOp);
REGISTER_KERNEL(Kernel("MapPeek").OnCpu(), MapUnstageOp<Taking::kPeek>);
REGISTER_KERNEL(Kernel("MapUnstage").OnCpu(), MapUnstageOp<Taking::kByKey>);
REGISTER_KERNEL(Kernel("MapUnstageNoKey").OnCpu(), MapUnstageOp<Taking::kAnyKey>);
REGISTER_KERNEL(Kernel("MapSize").OnCpu(), MapSizeOp<false>);
REGISTER_KERNEL(Kernel("MapIncompleteSize").OnCpu(), MapSizeOp<true>);
REGISTER_KERNEL(Kernel("MapClear").OnCpu(), MapClearOp);
REGISTER_KERNEL(Kernel("OrderedMapStage").OnCpu(), MapStageOp);
REGISTER_KERNEL(Kernel("OrderedMapPeek").OnCpu(), MapUnstageOp<Taking::kPeek>);
REGISTER_KERNEL(Kernel("OrderedMapUnstage").OnCpu(), MapUnstageOp<Taking::kByKey>);
REGISTER_KERNEL(Kernel("OrderedMapUnstageNoKey").OnCpu(), MapUnstageOp<Taking::kAnyKey>);
REGISTER_KERNEL(Kernel("OrderedMapSize").OnCpu(), MapSizeOp<false>);
REGISTER_KERNEL(Kernel("OrderedMapIncompleteSize").OnCpu(), MapSizeOp<true>);
REGISTER_KERNEL(Kernel("OrderedMapClear").OnCpu(), MapClearOp);

}  // namespace
}  // namespace tfbuild
