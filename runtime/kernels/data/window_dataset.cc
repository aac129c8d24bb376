// Datasets of datasets: WindowDataset, and GroupByWindowDataset, which reduces windows of elements with
// the same key.
#include <algorithm>
#include <deque>
#include <map>

#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

REGISTER_OP("WindowDataset")
    .Input("input_dataset: variant")
    .Input("size: int64")
    .Input("shift: int64")
    .Input("stride: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("GroupByWindowDataset")
    .Input("input_dataset: variant")
    .Input("key_func_other_arguments: Tkey_func_other_arguments")
    .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
    .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
    .Output("handle: variant")
    .Attr("key_func: func")
    .Attr("reduce_func: func")
    .Attr("window_size_func: func")
    .Attr("Tkey_func_other_arguments: list(type) >= 0")
    .Attr("Treduce_func_other_arguments: list(type) >= 0")
    .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;

// Elements that are there already. Of one component of them where `component` says which.
class KeptElements final : public DatasetOf<KeptElements> {
 public:
  KeptElements(ElementSpec spec, std::shared_ptr<const std::vector<Element>> elements, int component)
      : DatasetOf(std::move(spec)), elements_(std::move(elements)), component_(component) {}
  int64_t Count() const override { return static_cast<int64_t>(elements_->size()); }

  class Iterator final : public IteratorOver<KeptElements> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      if (next_ >= dataset().elements_->size()) return false;
      const Element& kept = (*dataset().elements_)[next_++];
      const int component = dataset().component_;
      *element = component < 0 ? kept : Element{kept[static_cast<size_t>(component)]};
      return true;
    }

   private:
    size_t next_ = 0;
  };

 private:
  std::shared_ptr<const std::vector<Element>> elements_;
  int component_;
};

class WindowDataset final : public DatasetOf<WindowDataset> {
 public:
  struct Sizes {
    int64_t size, shift, stride;
    bool drop_remainder;
  };
  WindowDataset(ElementSpec spec, DatasetPtr input, Sizes sizes)
      : DatasetOf(std::move(spec)), input_(std::move(input)), sizes_(sizes) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<WindowDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      const Sizes& sizes = dataset().sizes_;
      // What lies between this window and the one before.
      for (; skip_ > 0; --skip_) {
        if (!buffer_.empty()) {
          buffer_.pop_front();
          continue;
        }
        Element passed;
        ASSIGN_OR_RETURN(const bool found, Pull(step, &passed));
        if (!found) return false;
      }
      const int64_t span = (sizes.size - 1) * sizes.stride + 1;
      while (static_cast<int64_t>(buffer_.size()) < span) {
        Element next;
        ASSIGN_OR_RETURN(const bool found, Pull(step, &next));
        if (!found) break;
        buffer_.push_back(std::move(next));
      }
      const bool full = static_cast<int64_t>(buffer_.size()) == span;
      if (buffer_.empty() || (!full && sizes.drop_remainder)) return false;
      auto window = std::make_shared<std::vector<Element>>();
      for (size_t i = 0; i < buffer_.size(); i += static_cast<size_t>(sizes.stride)) {
        window->push_back(buffer_[i]);
      }
      skip_ = sizes.shift;
      element->clear();
      const ElementSpec& spec = dataset().input_->spec();
      for (size_t c = 0; c < spec.types.size(); ++c) {
        element->push_back(DatasetTensor(std::make_shared<KeptElements>(
            ElementSpec{{spec.types[c]}, {spec.shapes[c]}}, window, static_cast<int>(c))));
      }
      return true;
    }

   private:
    std::deque<Element> buffer_;
    int64_t skip_ = 0;
  };

 private:
  DatasetPtr input_;
  Sizes sizes_;
};

struct GroupFunctions {
  CapturedPtr key, reduce, window_size;
};

class GroupDataset final : public DatasetOf<GroupDataset> {
 public:
  GroupDataset(ElementSpec spec, DatasetPtr input, GroupFunctions functions)
      : DatasetOf(std::move(spec)), input_(std::move(input)), functions_(std::move(functions)) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<GroupDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (true) {
        if (reduced_ != nullptr) {
          ASSIGN_OR_RETURN(const bool found, reduced_->Next(step, element));
          if (found) return true;
          reduced_ = nullptr;
        }
        Element next;
        ASSIGN_OR_RETURN(const bool found, Pull(step, &next));
        if (!found) {  // what is left, in the order of keys
          if (groups_.empty()) return false;
          const auto first = groups_.begin();
          const int64_t key = first->first;
          std::vector<Element> window = std::move(first->second.elements);
          groups_.erase(first);
          RETURN_IF_ERROR(Reduce(step, key, std::move(window)));
          continue;
        }
        ASSIGN_OR_RETURN(const int64_t key, IntOf(*dataset().functions_.key, step, next));
        Group& group = groups_[key];
        if (group.size == 0) {
          ASSIGN_OR_RETURN(group.size, IntOf(*dataset().functions_.window_size, step,
                                             {Tensor::Scalar<int64_t>(key)}));
          if (group.size <= 0) {
            groups_.erase(key);
            return InvalidArgument("Window size must be greater than zero, but got ", group.size,
                                   ".");
          }
        }
        group.elements.push_back(std::move(next));
        if (static_cast<int64_t>(group.elements.size()) < group.size) continue;
        std::vector<Element> window = std::move(group.elements);
        groups_.erase(key);
        RETURN_IF_ERROR(Reduce(step, key, std::move(window)));
      }
    }

   private:
    struct Group {
      int64_t size = 0;
      std::vector<Element> elements;
    };

    static Result<int64_t> IntOf(const CapturedFunction& function, StepContext* step,
                                 Element arguments) {
      Element results;
      RETURN_IF_ERROR(function.Call(step, std::move(arguments), &results));
      if (results.size() != 1 || results[0].dtype() != DType::kInt64 ||
          results[0].num_elements() != 1) {
        return InvalidArgument("key and window size must be scalars of int64");
      }
      return *results[0].data<int64_t>();
    }

    Status Reduce(StepContext* step, int64_t key, std::vector<Element> window) {
      auto kept = std::make_shared<const std::vector<Element>>(std::move(window));
      const Tensor group = DatasetTensor(
          std::make_shared<KeptElements>(dataset().input_->spec(), std::move(kept), -1));
      ASSIGN_OR_RETURN(const DatasetPtr reduced,
                       dataset().functions_.reduce->CallForDataset(
                           step, {Tensor::Scalar<int64_t>(key), group}));
      ASSIGN_OR_RETURN(reduced_, reduced->MakeIterator(step));
      return OkStatus();
    }

    std::map<int64_t, Group> groups_;
    IteratorPtr reduced_;
  };

 private:
  DatasetPtr input_;
  GroupFunctions functions_;
};

class WindowDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    WindowDataset::Sizes sizes{};
    ASSIGN_OR_RETURN(sizes.size, ScalarAt<int64_t>(*context, 1, "size"));
    ASSIGN_OR_RETURN(sizes.shift, ScalarAt<int64_t>(*context, 2, "shift"));
    ASSIGN_OR_RETURN(sizes.stride, ScalarAt<int64_t>(*context, 3, "stride"));
    ASSIGN_OR_RETURN(sizes.drop_remainder, ScalarAt<bool>(*context, 4, "drop_remainder"));
    if (sizes.size <= 0) return InvalidArgument("Window size must be greater than zero.");
    if (sizes.shift <= 0) return InvalidArgument("Window shift must be greater than zero.");
    if (sizes.stride <= 0) return InvalidArgument("Window stride must be greater than zero.");
    if (sizes.size > kMaxElements || sizes.stride > kMaxElements / sizes.size) {
      return InvalidArgument("a window of ", sizes.size, " elements, ", sizes.stride,
                             " apart, is too large");
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<WindowDataset>(spec(), std::move(input), sizes));
  }
};

class GroupByWindowDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    for (int i = 0; i < 3; ++i) {
      const std::string name = kFunctions[i];
      ASSIGN_OR_RETURN(functions_[i], construction.Attr<FunctionAttr>(name));
      ASSIGN_OR_RETURN(num_captured_[i],
                       NumTypes(construction, StrCat("T", name, "_other_arguments")));
    }
    runtime_ = FunctionRuntime::Of(construction.resources);
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    CapturedPtr made[3];
    int first = 1;
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(made[i], CapturedFunction::Make(runtime_.get(), functions_[i], *context,
                                                       first, num_captured_[i]));
      first += num_captured_[i];
    }
    return std::shared_ptr<Dataset>(std::make_shared<GroupDataset>(
        spec(), std::move(input), GroupFunctions{made[0], made[1], made[2]}));
  }

 private:
  static constexpr const char* kFunctions[3] = {"key_func", "reduce_func", "window_size_func"};
  FunctionAttr functions_[3];
  int num_captured_[3] = {0, 0, 0};
  std::shared_ptr<FunctionRuntime> runtime_;
};

REGISTER_KERNEL(Kernel("WindowDataset").OnCpu(), WindowDatasetOp);
REGISTER_KERNEL(Kernel("GroupByWindowDataset").OnCpu(), GroupByWindowDatasetOp);

}  // namespace
}  // namespace tfbuild
