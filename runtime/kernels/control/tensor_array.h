#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/step_context.h"

namespace tfbuild {

// What an op gives that makes an array: its handle, two numbers, and its flow.
Status HandleAndFlowShape(ShapeContext* context);

// Tensors by number that live as long as a step; thread-safe. The array of gradients of another one
// adds up what is written to a number, and gives zeros where nothing was.
class TensorArray final : public Resource {
 public:
  static constexpr char kKind[] = "tensor array";
  // More would be a mistake, and its bookkeeping alone a gigabyte.
  static constexpr int64_t kMaxLength = int64_t{1} << 24;

  struct Options {
    DType dtype = DType::kInvalid;
    PartialShape element_shape;
    bool grows = false;
    bool clears = true;
    bool adds = false;
  };
  TensorArray(int64_t size, Options options)
      : options_(std::move(options)), elements_(static_cast<size_t>(size)) {}

  // By a kernel of the device that the elements are on.
  Status Write(int64_t index, const Tensor& value, OpKernelContext* context);
  Result<Tensor> Read(int64_t index, OpKernelContext* context);
  int64_t size() const;
  DType dtype() const { return options_.dtype; }
  // The handle of the array of gradients of that name, made on first use by `context`, for as many
  // elements as this one has.
  int64_t GradientHandle(const std::string& source, StepContext* context);

 private:
  struct Element {
    Tensor value;
    Shape shape;  // kept when the value is cleared, for gradients
    bool was_written = false;
    bool was_read = false;
  };
  static Status Add(const Tensor& value, Element* element, OpKernelContext* context);

  const Options options_;
  mutable std::mutex mutex_;
  std::vector<Element> elements_;
  std::map<std::string, int64_t> gradients_;
};

// The array whose handle is input 0.
Result<std::shared_ptr<TensorArray>> ArrayOf(const OpKernelContext& context);
// The number in a scalar of int32.
Result<int64_t> IntFrom(const Tensor& value, const char* name);

// A kernel of an array, which is on a GPU where its elements are: all others are numbers of the host.
#define TFBUILD_ARRAY_KERNEL(op, Op)                                                        \
  REGISTER_KERNEL(Kernel(op).OnCpu(), Op);                                                  \
  REGISTER_KERNEL(Kernel(op).OnGpu().HostMemory("handle").HostMemory("grad_handle")         \
                      .HostMemory("size").HostMemory("index").HostMemory("indices")         \
                      .HostMemory("flow").HostMemory("flow_in").HostMemory("flow_out"), Op);

}  // namespace tfbuild
