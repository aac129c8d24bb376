#include "kernels/framework/onednn.h"

#include <array>

#include "base/exceptions.h"

namespace tfbuild {
namespace {

constexpr size_t kMaxArgs = 8;

// One stream for each thread; a CPU stream only remembers its engine, so nothing is lost when the
// thread ends without destroying it, and nothing is torn down in the wrong order at exit.
const dnnl::stream& ThreadStream() {
  thread_local const dnnl::stream* stream = new dnnl::stream(OnednnEngine());
  return *stream;
}

bool ProcessorHas(dnnl::cpu_isa isa) {
  static const int effective = static_cast<int>(dnnl::get_effective_cpu_isa());
  return (effective & static_cast<int>(isa)) == static_cast<int>(isa);
}

// oneDNN's memory objects for the descriptions that this thread used last. To make one takes as long
// as a small primitive runs, to give it other bytes next to nothing.
class ThreadMemories {
 public:
  // Those of this thread.
  static ThreadMemories& Get() {
    thread_local ThreadMemories memories;
    return memories;
  }
  // One for these bytes, this thread's until the next call.
  dnnl_memory_t Find(const dnnl::memory::desc& desc, const void* data) {
    for (Slot& slot : slots_) {
      if (slot.desc.get(true) != desc.get()) continue;
      if (slot.used_in == call_) continue;  // the same description for two operands
      slot.used_in = call_;
      slot.memory.set_data_handle(const_cast<void*>(data));
      return slot.memory.get();
    }
    while (slots_[next_].used_in == call_) next_ = (next_ + 1) % kSlots;
    Slot& slot = slots_[next_];
    next_ = (next_ + 1) % kSlots;
    slot = Slot{desc, dnnl::memory(desc, OnednnEngine(), const_cast<void*>(data)), call_};
    return slot.memory.get();
  }
  // What was found before may be used for other bytes.
  void BeginCall() { ++call_; }

 private:
  static constexpr size_t kSlots = 4 * kMaxArgs;
  struct Slot {
    dnnl::memory::desc desc;  // held, so that its address stays its own
    dnnl::memory memory;
    uint64_t used_in = 0;
  };
  std::array<Slot, kSlots> slots_;
  size_t next_ = 0;
  uint64_t call_ = 1;
};

}  // namespace

const dnnl::engine& OnednnEngine() {
  static const dnnl::engine* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl::memory::data_type OnednnType(DType dtype) {
  using Type = dnnl::memory::data_type;
  switch (dtype) {
    case DType::kFloat: return Type::f32;
    case DType::kHalf: return Type::f16;
    case DType::kBFloat16: return Type::bf16;
    case DType::kInt32: return Type::s32;
    case DType::kInt8: return Type::s8;
    case DType::kUint8: return Type::u8;
    default: return Type::undef;
  }
}

bool OnednnIsNative(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return true;
    case DType::kBFloat16: return ProcessorHas(dnnl::cpu_isa::avx512_core_bf16);
    case DType::kHalf: return ProcessorHas(dnnl::cpu_isa::avx512_core_fp16);
    default: return false;
  }
}

dnnl::primitive_attr OnednnAttr() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::memory::desc OnednnDense(const std::vector<int64_t>& dims, DType dtype) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * dims[i - 1];
  return dnnl::memory::desc(dims, OnednnType(dtype), strides);
}

Status OnednnStatus() {
  try {
    throw;
  } catch (const dnnl::error& error) {
    switch (error.status) {
      case dnnl_out_of_memory: return ResourceExhausted("oneDNN: ", error.what());
      case dnnl_unimplemented: return Unimplemented("oneDNN: ", error.what());
      default: return Internal("oneDNN: ", error.what());
    }
  } catch (...) {
    return StatusOfException();
  }
}

Status RunOnednn(OpKernelContext* context, const OnednnPrimitive& primitive,
                 std::initializer_list<OnednnArg> args) {
  if (args.size() + 1 > kMaxArgs) return Internal("too many operands for oneDNN");
  const int64_t bytes = static_cast<int64_t>(primitive.scratchpad.get_size());
  Tensor scratchpad;
  if (bytes > 0) {
    ASSIGN_OR_RETURN(scratchpad, context->AllocateTemp(DType::kUint8, Shape{bytes}));
  }
  return CatchOnednn([&]() -> Status {
    ThreadMemories& memories = ThreadMemories::Get();
    memories.BeginCall();
    std::array<dnnl_exec_arg_t, kMaxArgs> operands;
    size_t count = 0;
    const auto add = [&](int id, const dnnl::memory::desc& desc, const void* data) {
      operands[count++] = {id, memories.Find(desc, data)};
    };
    for (const OnednnArg& arg : args) add(arg.id, arg.desc, arg.data);
    if (bytes > 0) add(DNNL_ARG_SCRATCHPAD, primitive.scratchpad, scratchpad.raw());
    // Not primitive::execute: it builds two containers for each call.
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive.primitive.get(), ThreadStream().get(),
                               static_cast<int>(count), operands.data()),
        "could not execute a primitive");
    return OkStatus();
  });
}

}  // namespace tfbuild
