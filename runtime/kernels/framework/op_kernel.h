#pragma once

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/node.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

namespace tfbuild {

class ResourceManager;
class StepContext;
struct Variable;

// Which frame of a step, and which iteration of its loop: (0, 0) outside of loops.
struct FrameIteration {
  uint64_t frame = 0;
  int64_t iteration = 0;
};

// What a kernel sees while it is made: its node and where it will run.
struct OpKernelConstruction {
  const Node& node;
  Device* device;
  ResourceManager* resources;  // of the session

  template <typename T>
  Result<T> Attr(std::string_view name) const { return node.Attr<T>(name); }
};

// A value on its way between two kernels: a tensor, a reference to a variable, or neither, which is
// what an untaken branch gives.
struct Entry {
  Tensor value;
  Variable* variable = nullptr;  // set: `value` is unused
  bool dead() const { return !value.initialized() && variable == nullptr; }
  void Clear() {
    value.Reset();
    variable = nullptr;
  }
};

// What a kernel sees while it computes: inputs, outputs, memory and its step. Lives for one Compute
// call on one thread. Inputs lie on the kernel's device, except those that its registration keeps on the
// host.
class OpKernelContext {
 public:
  struct Params {
    const Node* node;
    Device* device;
    Entry* const* inputs;
    Entry* outputs;
    const bool* input_on_host;   // one per input
    const bool* output_on_host;  // one per output
    const bool* input_is_last = nullptr;  // whether nobody reads it later; null: so it is
    StepContext* step = nullptr;          // null where a kernel runs outside of a step
    const FrameIteration* iteration = nullptr;  // null outside of loops
    bool is_read = true;  // whether somebody reads an output
  };
  explicit OpKernelContext(const Params& params) : params_(params) {}

  Device* device() const { return params_.device; }
  const Node& node() const { return *params_.node; }
  int num_inputs() const { return static_cast<int>(node().inputs().size()); }
  int num_outputs() const { return node().num_outputs(); }

  const Tensor& input(int i) const { return params_.inputs[i]->value; }
  // Inputs [first, first + count), for whatever outlives the step: queues, datasets, lists.
  Result<std::vector<Tensor>> KeptInputs(int first, int count) const;
  // The variable behind a reference input.
  Variable* input_variable(int i) const { return params_.inputs[i]->variable; }
  // Whether input i comes from a branch that was not taken; only Merge ever sees one.
  bool input_is_dead(int i) const { return params_.inputs[i]->dead(); }
  // Whether somebody reads an output; where nobody does, their elements may be left as they are.
  bool is_read() const { return params_.is_read; }
  // Cancellation, rendezvous and what lives as long as the step.
  StepContext* step() const { return params_.step; }
  FrameIteration iteration() const {
    return params_.iteration == nullptr ? FrameIteration() : *params_.iteration;
  }

  // New memory for output i, uninitialised.
  Result<Tensor*> AllocateOutput(int i, const Shape& shape);
  // As AllocateOutput, but in the memory of one of the candidate inputs when nobody else needs it
  // and type and shape agree.
  Result<Tensor*> ForwardOrAllocateOutput(std::initializer_list<int> candidates, int i,
                                          const Shape& shape);
  // Memory that is gone after this step.
  Result<Tensor> AllocateTemp(DType dtype, const Shape& shape);
  // Throws std::out_of_range where the node has no output i: beyond its own lie values of others.
  void SetOutput(int i, Tensor value) {
    if (i >= num_outputs()) throw std::out_of_range("a kernel has more outputs than its node");
    params_.outputs[i].value = std::move(value);
  }
  void SetOutputVariable(int i, Variable* variable) { params_.outputs[i].variable = variable; }

  // The variable's tensor for writing in place: uninitialised is FailedPrecondition, and memory
  // that a reader still shares is copied first. The caller holds variable->mutex.
  Result<Tensor*> MutableValue(Variable* variable);

 private:
  Allocator* OutputAllocator(int i) const;
  Params params_;
};

class AsyncOpKernel;

// The computation of one node on one device. Made once for each plan of a session, then called for
// each step, possibly from several threads at once: Compute must not change members.
class OpKernel {
 public:
  virtual ~OpKernel() = default;
  // Reads attributes; called once, before any Compute.
  virtual Status Init(const OpKernelConstruction&) { return OkStatus(); }
  virtual Status Compute(OpKernelContext* context) = 0;
  // Whether a step is worth handing to another thread.
  virtual bool IsExpensive() const { return false; }
  virtual AsyncOpKernel* AsAsync() { return nullptr; }
};

// How a kernel is found: op, device and types. HostMemory names inputs and outputs that stay on the
// host although the kernel runs on a GPU (shapes, axes).
class Kernel {
 public:
  explicit Kernel(std::string_view op);
  Kernel(const Kernel& other);
  ~Kernel();
  Kernel& OnCpu();
  Kernel& OnGpu();
  template <typename T>
  Kernel& Type(std::string_view attr) { return Type(attr, DTypeOf<T>::value); }
  Kernel& Type(std::string_view attr, DType dtype);
  Kernel& HostMemory(std::string_view argument);

  const std::string& op() const { return op_; }
  DeviceType device() const { return device_; }
  bool TypesMatch(const AttrMap& attrs) const;
  bool OnHost(const std::string& argument) const;
  // The types that it is for, by the attributes that hold them.
  const std::vector<std::pair<std::string, DType>>& types() const { return types_; }
  std::string Key() const;  // "Relu CPU T=float"

 private:
  std::string op_;
  DeviceType device_ = DeviceType::kCpu;
  std::vector<std::pair<std::string, DType>> types_;
  std::vector<std::string> host_memory_;
};

using KernelFactory = std::unique_ptr<OpKernel> (*)();

struct KernelRegistration {
  Kernel kernel;
  KernelFactory make;
  const char* file;
};

// All kernels of the program. Filled by static registration (and while the CUDA library is opened);
// finding is thread-safe afterwards.
class KernelRegistry {
 public:
  static KernelRegistry& Global();
  // The same op, device and types twice stop the program with both file names.
  void Register(const Kernel& kernel, KernelFactory make, const char* file);
  // The kernel for a node on a kind of device; NotFound names what is registered for the op.
  Result<const KernelRegistration*> Find(const Node& node, DeviceType device) const;
  // The CPU's kernel of an op whose one type, T, is this; not initialised, null where there is none.
  std::unique_ptr<OpKernel> MakeOnCpu(const std::string& op, DType dtype) const;
  // What is registered, by the name of the op.
  const std::multimap<std::string, KernelRegistration>& all() const { return by_op_; }

 private:
  std::multimap<std::string, KernelRegistration> by_op_;
};

// Whether each input (output) of the node stays on the host under this registration.
std::vector<bool> InputsOnHost(const KernelRegistration& registration, const Node& node);
std::vector<bool> OutputsOnHost(const KernelRegistration& registration, const Node& node);

}  // namespace tfbuild

// REGISTER_KERNEL(Kernel("Relu").OnCpu().Type<float>("T"), ReluOp<float>);
#define REGISTER_KERNEL(kernel, ...)                                                          \
  [[maybe_unused]] static const bool TFBUILD_CONCAT(kernel_registration_, __COUNTER__) = [] { \
    ::tfbuild::KernelRegistry::Global().Register(                                             \
        kernel,                                                                               \
        []() -> std::unique_ptr<::tfbuild::OpKernel> {                                        \
          /* not make_unique: it is a class more to compile for each kernel */                \
          return std::unique_ptr<::tfbuild::OpKernel>(new __VA_ARGS__());                     \
        },                                                                                    \
        __FILE__);                                                                            \
    return true;                                                                              \
  }()
