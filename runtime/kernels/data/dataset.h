#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fork.h"
#include "base/nested_ptr.h"
#include "base/stack_room.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

// One element of a dataset: its tensors, flattened, on the host.
using Element = std::vector<Tensor>;

// The elements of a dataset in their order, each once. Thread-compatible.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  // Puts the next element into `element` and returns true; false at the end, and from then on. What
  // ends `step`, that of whoever asks, ends the wait for an element. After another error the
  // iterator goes on behind the element that failed.
  // ResourceExhausted where so many read each other that the thread's stack is used up.
  //
  // InvalidArgument where the element is not of the types that its dataset states: what a function
  // gives may differ, and who reads the iterator believes them.
  Result<bool> Next(StepContext* step, Element* element) {
    RETURN_IF_ERROR(CheckStackRoom());
    ASSIGN_OR_RETURN(const bool found, Advance(step, element));
    if (found) RETURN_IF_ERROR(CheckTypes(*element));
    return found;
  }

 private:
  friend class Dataset;
  virtual Result<bool> Advance(StepContext* step, Element* element) = 0;
  Status CheckTypes(const Element& element) const;

  std::vector<DType> types_;  // of the dataset's elements
};

// Iterators read others, and datasets are made of others: a loop makes long chains of them.
using IteratorPtr = NestedPtr<DatasetIterator>;

// How many elements a dataset has, where that is known without reading it.
constexpr int64_t kInfinite = -1;
constexpr int64_t kUnknownCardinality = -2;

// What a dataset's elements are.
struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// Where elements come from, as often as wanted. It never changes; an iterator keeps it alive. What the
// variant of a dataset op holds.
class Dataset : public VariantValue, public std::enable_shared_from_this<Dataset> {
 public:
  explicit Dataset(ElementSpec spec) : spec_(std::move(spec)) {}
  const ElementSpec& spec() const { return spec_; }
  // ResourceExhausted as Next().
  Result<IteratorPtr> MakeIterator(StepContext* step) const {
    RETURN_IF_ERROR(CheckStackRoom());
    ASSIGN_OR_RETURN(IteratorPtr iterator, NewIterator(step));
    iterator->types_ = spec_.types;
    return iterator;
  }
  int64_t Cardinality() const { return HasStackRoom() ? Count() : kUnknownCardinality; }

 private:
  virtual Result<IteratorPtr> NewIterator(StepContext* step) const = 0;
  virtual int64_t Count() const { return kUnknownCardinality; }

  ElementSpec spec_;
};

using DatasetPtr = NestedPtr<const Dataset>;

// The dataset in a tensor; InvalidArgument when that holds none.
Result<DatasetPtr> DatasetIn(const Tensor& tensor);
// A dataset as a tensor.
Tensor DatasetTensor(std::shared_ptr<Dataset> dataset);
// Element types and shapes that a node states by those attributes.
Result<ElementSpec> StatedSpec(const OpKernelConstruction& construction, const char* types);
// InvalidArgument unless a dataset of `found` may stand where `stated` is expected.
Status CheckSpec(const ElementSpec& stated, const ElementSpec& found);

// Puts an element out, component by component; InvalidArgument unless it is what the node states.
Status SetComponents(OpKernelContext* context, Element element);

// A scalar of an input.
template <typename T>
Result<T> ScalarAt(const OpKernelContext& context, int i, const char* name) {
  const Tensor& value = context.input(i);
  if (value.dtype() != DTypeOf<T>::value || value.num_elements() != 1) {
    return InvalidArgument(name, " must be a scalar");
  }
  return value.data<T>()[0];
}

// The vector of strings, or single string, of an input.
Result<std::vector<std::string>> StringsAt(const OpKernelContext& context, int i, const char* name);

// Elements `from` has more of; the sum that stays kInfinite or unknown.
int64_t AddCardinality(int64_t a, int64_t b);

// A kernel whose output is a dataset of what its attributes state.
class DatasetOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(spec_, StatedSpec(construction, "output_types"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) final {
    ASSIGN_OR_RETURN(std::shared_ptr<Dataset> dataset, Make(context));
    context->SetOutput(0, DatasetTensor(std::move(dataset)));
    return OkStatus();
  }

 protected:
  virtual Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) = 0;
  const ElementSpec& spec() const { return spec_; }
  ElementSpec spec_;
};

// A dataset whose iterators are its class's Iterator, made of it and then started.
template <typename D>
class DatasetOf : public Dataset {
 public:
  using Dataset::Dataset;

 private:
  Result<IteratorPtr> NewIterator(StepContext* step) const final {
    auto iterator = std::make_shared<typename D::Iterator>(static_cast<const D*>(this));
    RETURN_IF_ERROR(iterator->Start(step));
    return IteratorPtr(std::move(iterator));
  }
};

// An iterator of a D, which it keeps alive.
template <typename D>
class IteratorOver : public DatasetIterator {
 public:
  explicit IteratorOver(const D* dataset)
      : dataset_(std::static_pointer_cast<const D>(dataset->shared_from_this())) {}
  virtual Status Start(StepContext*) { return OkStatus(); }

 protected:
  const D& dataset() const { return *dataset_; }

 private:
  std::shared_ptr<const D> dataset_;
};

// An iterator of a D that reads another dataset, which D::input() is.
template <typename D>
class InputIterator : public IteratorOver<D> {
 public:
  using IteratorOver<D>::IteratorOver;
  Status Start(StepContext* step) override {
    ASSIGN_OR_RETURN(input_, this->dataset().input()->MakeIterator(step));
    return OkStatus();
  }

 protected:
  // The next element of the input; false at its end, and from then on. An error where the step must
  // end, so that loops which pull need not look. Called without locks: a fork may come between.
  Result<bool> Pull(StepContext* step, Element* element) {
    LetFork();
    RETURN_IF_ERROR(step->Check());
    if (input_ == nullptr) return false;
    ASSIGN_OR_RETURN(const bool found, input_->Next(step, element));
    if (!found) input_ = nullptr;
    return found;
  }
  IteratorPtr input_;
};

// What all dataset ops that state their elements have in common.
#define TFBUILD_DATASET_ATTRS                  \
  Attr("output_types: list(type) >= 1")        \
      .Attr("output_shapes: list(shape) >= 1")
#define TFBUILD_DATASET_METADATA Attr("metadata: string = ''").ShapeFunction(ScalarShape)

}  // namespace tfbuild
