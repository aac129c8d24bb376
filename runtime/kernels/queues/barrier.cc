// Barrier and its ops: tuples of tensors whose parts come one by one, by key, and which come out when
// they are whole, those first whose first parts came first.
#include <limits>
#include <map>
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/handle_reference.h"
#include "kernels/framework/queue_rows.h"
#include "kernels/queues/waiting_store.h"

namespace tfbuild {
namespace {

REGISTER_OP("Barrier")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .ShapeFunction([](ShapeContext* context) {
      context->set_output(0, PartialShape({2}));
      return OkStatus();
    });
REGISTER_OP("BarrierInsertMany")
    .Input("handle: Ref(string)")
    .Input("keys: string")
    .Input("values: T")
    .Attr("T: type")
    .Attr("component_index: int")
    .ShapeFunction(NoOutputs);
REGISTER_OP("BarrierTakeMany")
    .Input("handle: Ref(string)")
    .Input("num_elements: int32")
    .Output("indices: int64")
    .Output("keys: string")
    .Output("values: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("allow_small_batch: bool = false")
    .Attr("wait_for_incomplete: bool = false")
    .Attr("timeout_ms: int = -1")
    .ShapeFunction(UnknownShape);
REGISTER_OP("BarrierClose")
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .ShapeFunction(NoOutputs);
REGISTER_OP("BarrierReadySize")
    .Input("handle: Ref(string)").Output("size: int32").ShapeFunction(ScalarShape);
REGISTER_OP("BarrierIncompleteSize")
    .Input("handle: Ref(string)").Output("size: int32").ShapeFunction(ScalarShape);

struct BarrierSpec {
  std::string name;
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // of the components; empty where nothing is said
};

class Barrier final : public WaitingStore {
 public:
  static constexpr char kKind[] = "barrier";
  struct Element {
    std::string key;
    std::vector<Tensor> parts;
    size_t missing = 0;
  };
  // By which call of InsertMany brought their first parts; those of one call as they became whole.
  using Elements = std::map<std::pair<int64_t, int64_t>, Element>;
  using Taken = std::function<Status(const Elements&)>;

  Status Configure(const BarrierSpec& spec) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (spec_.types.empty()) spec_ = spec;
    if (spec_.types == spec.types && spec_.shapes == spec.shapes) return OkStatus();
    return InvalidArgument("Shared barrier '", spec_.name, "' has other component types or shapes");
  }
  const BarrierSpec& spec() const { return spec_; }

  void InsertMany(size_t component, const Tensor& keys, const Tensor& values, StepContext* step,
                  Done done) {
    Try(step, [this, component, keys, values](Status* status) {
      *status = Insert(component, keys, values);
      return true;
    }, std::move(done));
  }

  // Gives `count` whole elements; of a closed barrier fewer where that is allowed, but for those that
  // may still become whole where these are waited for.
  void TakeMany(size_t count, bool allow_fewer, bool wait, StepContext* step, Taken taken, Done done) {
    Try(step, [this, count, allow_fewer, wait, taken = std::move(taken)](Status* status) {
      size_t given = count;
      if (ready_.size() < count) {
        if (!closed_) return false;
        const size_t coming = cancelled_ ? 0 : incomplete_.size();
        const bool enough_coming = ready_.size() + coming >= count;
        if (coming > 0 && (allow_fewer ? wait : enough_coming)) return false;
        given = allow_fewer ? ready_.size() : 0;
        if (given == 0) {
          *status = Status(Code::kOutOfRange,
                           StrCat("Barrier '", spec_.name, "' is closed and has insufficient "
                                  "elements (requested ", count, ", total size ",
                                  ready_.size() + coming, ")"));
          return true;
        }
      }
      const auto end = std::next(ready_.begin(), static_cast<int64_t>(given));
      *status = taken(Elements(ready_.begin(), end));
      if (status->ok()) ready_.erase(ready_.begin(), end);
      return true;
    }, std::move(done));
  }

  void Close(bool cancel, StepContext* step, Done done) {
    Try(step, [this, cancel](Status* status) {
      if (closed_ && (cancelled_ || !cancel)) {
        *status = Status(Code::kCancelled, StrCat("Barrier '", spec_.name, "' is already closed."));
      }
      closed_ = true;
      cancelled_ |= cancel;
      return true;
    }, std::move(done));
  }

  int32_t ready_size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(ready_.size());
  }
  int32_t incomplete_size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(incomplete_.size());
  }

 private:
  Status Closed(const std::string& why) const {
    return Status(Code::kCancelled, StrCat("Barrier ", spec_.name, " is closed", why));
  }
  // The keys up to one that cannot be inserted are.
  Status Insert(size_t component, const Tensor& keys, const Tensor& values) {
    if (cancelled_) return Closed(".  Pending enqueues were cancelled.");
    bool any_new = false;
    Status status;
    for (int64_t i = 0; i < keys.num_elements() && status.ok(); ++i) {
      status = InsertOne(component, keys.data<std::string>()[i], values, i, &any_new);
    }
    if (any_new) ++call_;
    return status;
  }
  Status InsertOne(size_t component, const std::string& key, const Tensor& values, int64_t row,
                   bool* any_new) {
    auto found = incomplete_.find(key);
    if (found == incomplete_.end()) {
      if (closed_) return Closed(StrCat(", but attempted to insert a brand new key: ", key, "."));
      Element element{key, std::vector<Tensor>(spec_.types.size()), spec_.types.size()};
      found = incomplete_.emplace(key, std::make_pair(call_, std::move(element))).first;
      *any_new = true;
    }
    Element& element = found->second.second;
    if (element.parts[component].initialized()) {
      return InvalidArgument("Key ", key, " already has a value for component ", component,
                             " in barrier ", spec_.name);
    }
    ASSIGN_OR_RETURN(element.parts[component], CopyOfRow(values, row));
    if (--element.missing > 0) return OkStatus();
    ready_.emplace(std::make_pair(found->second.first, count_++), std::move(element));
    incomplete_.erase(found);
    return OkStatus();
  }

  BarrierSpec spec_;
  std::map<std::string, std::pair<int64_t, Element>> incomplete_;
  Elements ready_;
  int64_t call_ = std::numeric_limits<int64_t>::min();  // as TensorFlow counts them
  int64_t count_ = 0;
  bool closed_ = false;
  bool cancelled_ = false;
};

class BarrierOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const int64_t capacity, construction.Attr<int64_t>("capacity"));
    if (capacity != -1) {
      return InvalidArgument("Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
                             "through a queue to enforce a limited capacity.");
    }
    BarrierSpec spec;
    ASSIGN_OR_RETURN(const SharedName name, SharedName::Of(construction));
    spec.name = name.name;
    ASSIGN_OR_RETURN(spec.types, construction.Attr<std::vector<DType>>("component_types"));
    ASSIGN_OR_RETURN(spec.shapes, construction.Attr<std::vector<PartialShape>>("shapes"));
    if (!spec.shapes.empty() && spec.shapes.size() != spec.types.size()) {
      return InvalidArgument("there are ", spec.shapes.size(), " shapes for ", spec.types.size(),
                             " components");
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Barrier> barrier, output_.Init(construction, name));
    return barrier->Configure(spec);
  }
  Status Compute(OpKernelContext* context) override {
    output_.Set(context);
    return OkStatus();
  }

 private:
  HandleOutput<Barrier> output_;
};

// A kernel whose first input is a barrier.
class OnBarrierOp : public AsyncOpKernel {
 public:
  void ComputeAsync(OpKernelContext* context, Done done) final {
    const Result<std::shared_ptr<Barrier>> found = SharedAt<Barrier>(*context, 0);
    if (!found.ok()) return done(found.status());
    Run(*found, context, [barrier = *found, done = std::move(done)](const Status& s) { done(s); });
  }

 protected:
  virtual void Run(const std::shared_ptr<Barrier>& barrier, OpKernelContext* context,
                   Done done) = 0;
};

class BarrierInsertManyOp final : public OnBarrierOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(component_, construction.Attr<int64_t>("component_index"));
    return OkStatus();
  }

 private:
  void Run(const std::shared_ptr<Barrier>& barrier, OpKernelContext* context, Done done) override {
    const Tensor &keys = context->input(1), &values = context->input(2);
    const Status fits = Check(barrier->spec(), keys, values);
    if (!fits.ok()) return done(fits);
    barrier->InsertMany(static_cast<size_t>(component_), keys, values, context->step(),
                        std::move(done));
  }
  Status Check(const BarrierSpec& spec, const Tensor& keys, const Tensor& values) const {
    if (component_ < 0 || component_ >= static_cast<int64_t>(spec.types.size())) {
      return InvalidArgument("The component ID is out of range ", component_, " > num_components",
                             " (= ", spec.types.size(), ")");
    }
    const size_t component = static_cast<size_t>(component_);
    if (values.dtype() != spec.types[component]) {
      return InvalidArgument("component ", component_, " is of ", DTypeName(spec.types[component]),
                             ", not ", DTypeName(values.dtype()));
    }
    if (keys.rank() != 1 || values.rank() < 1 || values.dim(0) != keys.dim(0)) {
      return InvalidArgument("keys must be a vector, and values have as many rows: ", keys.shape(),
                             ", ", values.shape());
    }
    if (keys.num_elements() > 0 && values.num_elements() == 0) {
      return InvalidArgument("Tensors with no elements are not supported: received shape ",
                             values.shape());
    }
    const std::vector<int64_t>& dims = values.shape().dims();
    const PartialShape row(std::vector<int64_t>(dims.begin() + 1, dims.end()));
    if (spec.shapes.empty() || spec.shapes[component].CompatibleWith(row)) return OkStatus();
    return InvalidArgument("Shape mismatch in tuple component ", component_, ". Expected ",
                           spec.shapes[component], ", got ", row);
  }
  int64_t component_ = 0;
};

class BarrierTakeManyOp final : public OnBarrierOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(types_, construction.Attr<std::vector<DType>>("component_types"));
    ASSIGN_OR_RETURN(allow_fewer_, construction.Attr<bool>("allow_small_batch"));
    ASSIGN_OR_RETURN(wait_, construction.Attr<bool>("wait_for_incomplete"));
    return OkStatus();
  }

 private:
  void Run(const std::shared_ptr<Barrier>& barrier, OpKernelContext* context, Done done) override {
    const Tensor& count = context->input(1);
    if (count.rank() != 0) return done(InvalidArgument("num_elements must be a scalar"));
    const int32_t wanted = *count.data<int32_t>();
    if (wanted < 0) {
      return done(InvalidArgument("num_elements must not be negative: ", wanted));
    }
    if (types_ != barrier->spec().types) {
      return done(InvalidArgument("the barrier has other component types"));
    }
    const auto taken = [this, context](const Barrier::Elements& elements) {
      return Give(elements, context);
    };
    barrier->TakeMany(static_cast<size_t>(wanted), allow_fewer_, wait_, context->step(), taken,
                      std::move(done));
  }
  Status Give(const Barrier::Elements& elements, OpKernelContext* context) const {
    const Shape count{static_cast<int64_t>(elements.size())};
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, count));
    ASSIGN_OR_RETURN(Tensor * keys, context->AllocateOutput(1, count));
    int64_t at = 0;
    for (const auto& [place, element] : elements) {
      indices->mutable_data<int64_t>()[at] = place.first;
      keys->mutable_data<std::string>()[at++] = element.key;
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      std::vector<const Tensor*> rows;
      for (const auto& [place, element] : elements) {
        rows.push_back(&element.parts[i]);
        if (rows.back()->shape() == rows.front()->shape()) continue;
        return InvalidArgument("component ", i, " of the elements has several shapes: ",
                               rows.front()->shape(), ", ", rows.back()->shape());
      }
      const Shape shape = rows.empty() ? Shape{} : rows.front()->shape();
      ASSIGN_OR_RETURN(Tensor batch, StackRows(rows, types_[i], shape));
      context->SetOutput(2 + static_cast<int>(i), std::move(batch));
    }
    return OkStatus();
  }
  std::vector<DType> types_;
  bool allow_fewer_ = false;
  bool wait_ = false;
};

class BarrierCloseOp final : public OnBarrierOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(cancel_, construction.Attr<bool>("cancel_pending_enqueues"));
    return OkStatus();
  }

 private:
  void Run(const std::shared_ptr<Barrier>& barrier, OpKernelContext* context, Done done) override {
    barrier->Close(cancel_, context->step(), std::move(done));
  }
  bool cancel_ = false;
};

template <int32_t (Barrier::*kSize)() const>
class BarrierSizeOp final : public OnBarrierOp {
  void Run(const std::shared_ptr<Barrier>& barrier, OpKernelContext* context, Done done) override {
    context->SetOutput(0, Tensor::Scalar<int32_t>((barrier.get()->*kSize)()));
    done(OkStatus());
  }
};

REGISTER_KERNEL(Kernel("Barrier").OnCpu(), BarrierOp);
REGISTER_KERNEL(Kernel("BarrierInsertMany").OnCpu(), BarrierInsertManyOp);
REGISTER_KERNEL(Kernel("BarrierTakeMany").OnCpu(), BarrierTakeManyOp);
REGISTER_KERNEL(Kernel("BarrierClose").OnCpu(), BarrierCloseOp);
REGISTER_KERNEL(Kernel("BarrierReadySize").OnCpu(), BarrierSizeOp<&Barrier::ready_size>);
REGISTER_KERNEL(Kernel("BarrierIncompleteSize").OnCpu(), BarrierSizeOp<&Barrier::incomplete_size>);

}  // namespace
}  // namespace tfbuild
