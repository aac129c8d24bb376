// Datasets of tensors, of their slices, and of numbers in a row.
#include <cstring>

#include "kernels/data/dataset.h"
#include "kernels/data/slices.h"

namespace tfbuild {
namespace {

Status TensorShapes(ShapeContext* context) { return ScalarShape(context); }

REGISTER_OP("TensorDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(TensorShapes);
REGISTER_OP("TensorSliceDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("is_files: bool = false")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .ShapeFunction(TensorShapes);
REGISTER_OP("RangeDataset")
    .Input("start: int64")
    .Input("stop: int64")
    .Input("step: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .TFBUILD_DATASET_METADATA;

class TensorDataset final : public DatasetOf<TensorDataset> {
 public:
  TensorDataset(ElementSpec spec, Element element)
      : DatasetOf(std::move(spec)), element_(std::move(element)) {}
  int64_t Count() const override { return 1; }

  class Iterator final : public IteratorOver<TensorDataset> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      if (done_) return false;
      done_ = true;
      *element = dataset().element_;
      return true;
    }

   private:
    bool done_ = false;
  };

 private:
  Element element_;
};

class SliceDataset final : public DatasetOf<SliceDataset> {
 public:
  SliceDataset(ElementSpec spec, Element components)
      : DatasetOf(std::move(spec)), components_(std::move(components)) {}
  int64_t Count() const override { return components_[0].dim(0); }

  class Iterator final : public IteratorOver<SliceDataset> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      if (next_ >= dataset().Cardinality()) return false;
      element->clear();
      for (const Tensor& component : dataset().components_) {
        ASSIGN_OR_RETURN(Tensor slice, SliceAt(component, next_));
        element->push_back(std::move(slice));
      }
      ++next_;
      return true;
    }

   private:
    int64_t next_ = 0;
  };

 private:
  Element components_;
};

class RangeDataset final : public DatasetOf<RangeDataset> {
 public:
  RangeDataset(ElementSpec spec, int64_t start, int64_t stop, int64_t step)
      : DatasetOf(std::move(spec)), start_(start), step_(step) {
    // As unsigned numbers, in which no difference overflows.
    const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
    if (step > 0 && start < stop) {
      count_ = (to - from - 1) / static_cast<uint64_t>(step) + 1;
    } else if (step < 0 && start > stop) {
      count_ = (from - to - 1) / (0 - static_cast<uint64_t>(step)) + 1;
    }
  }
  int64_t Count() const override { return static_cast<int64_t>(count_); }

  class Iterator final : public IteratorOver<RangeDataset> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      const RangeDataset& range = dataset();
      if (next_ >= range.count_) return false;
      const auto value = static_cast<int64_t>(static_cast<uint64_t>(range.start_) +
                                              next_++ * static_cast<uint64_t>(range.step_));
      ASSIGN_OR_RETURN(Tensor number, NumberAs(range.spec().types[0], value));
      element->clear();
      element->push_back(std::move(number));
      return true;
    }

   private:
    static Result<Tensor> NumberAs(DType dtype, int64_t value) {
      switch (dtype) {
        case DType::kInt64: return Tensor::Scalar<int64_t>(value);
        case DType::kInt32: return Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
        case DType::kFloat: return Tensor::Scalar<float>(static_cast<float>(value));
        case DType::kDouble: return Tensor::Scalar<double>(static_cast<double>(value));
        default: return InvalidArgument("Unsupported data type: ", DTypeName(dtype));
      }
    }
    uint64_t next_ = 0;
  };

 private:
  int64_t start_;
  int64_t step_;
  uint64_t count_ = 0;
};

Result<Element> Components(const OpKernelContext& context, const ElementSpec& spec) {
  ASSIGN_OR_RETURN(Element components, context.KeptInputs(0, context.num_inputs()));
  if (components.size() != spec.shapes.size()) {
    return InvalidArgument("output_shapes has ", spec.shapes.size(), " shapes for ",
                           components.size(), " components");
  }
  return components;
}

class TensorDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(spec_, StatedSpec(construction, "Toutput_types"));
    return OkStatus();
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(Element components, Components(*context, spec()));
    return std::shared_ptr<Dataset>(
        std::make_shared<TensorDataset>(spec(), std::move(components)));
  }
};

class SliceDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(spec_, StatedSpec(construction, "Toutput_types"));
    return OkStatus();
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(Element components, Components(*context, spec()));
    for (size_t i = 0; i < components.size(); ++i) {
      if (components[i].rank() == 0) {
        return InvalidArgument("All components must be at least 1-dimensional");
      }
      if (components[i].dim(0) != components[0].dim(0)) {
        return InvalidArgument("All components must have the same size in the 0th dimension");
      }
    }
    return std::shared_ptr<Dataset>(std::make_shared<SliceDataset>(spec(), std::move(components)));
  }
};

class RangeDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t start, ScalarAt<int64_t>(*context, 0, "start"));
    ASSIGN_OR_RETURN(const int64_t stop, ScalarAt<int64_t>(*context, 1, "stop"));
    ASSIGN_OR_RETURN(const int64_t step, ScalarAt<int64_t>(*context, 2, "step"));
    if (step == 0) return InvalidArgument("step must be a non-zero integer.");
    return std::shared_ptr<Dataset>(std::make_shared<RangeDataset>(spec(), start, stop, step));
  }
};

REGISTER_KERNEL(Kernel("TensorDataset").OnCpu(), TensorDatasetOp);
REGISTER_KERNEL(Kernel("TensorSliceDataset").OnCpu(), SliceDatasetOp);
REGISTER_KERNEL(Kernel("RangeDataset").OnCpu(), RangeDatasetOp);

}  // namespace
}  // namespace tfbuild
