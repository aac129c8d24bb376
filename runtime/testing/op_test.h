#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variable.h"
#include "testing/closeness.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {

// A host tensor of that shape with those values, rounded to T.
template <typename T>
Tensor MakeTensor(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DTypeOf<T>::value, shape);
  const int64_t count = static_cast<int64_t>(values.size());
  EXPECT_EQ(count, shape.num_elements());
  T* out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < std::min(count, shape.num_elements()); ++i) {
    out[i] = static_cast<T>(values[static_cast<size_t>(i)]);
  }
  return tensor;
}

// CUDA's own functions are up to 2 units away.
constexpr double kUlpsOfGpu = 3;
Closeness ClosenessOn(const Device& device, Closeness closeness);

// What OpKernelContext takes as inputs.
std::vector<Entry*> EntryPointers(std::vector<Entry>* entries);

// Runs one op on every device that has a kernel for it and these types; each must give the same
// answer. Inputs and expectations are host tensors.
//
//   OpTest("Relu").Input(MakeTensor<float>({3}, {-1, 0, 2}))
//       .Expect(MakeTensor<float>({3}, {0, 0, 2})).Run();
class OpTest {
 public:
  explicit OpTest(std::string op) : op_(std::move(op)) {}
  OpTest& Input(Tensor value) { inputs_.push_back(std::move(value)); return *this; }
  OpTest& Attr(const std::string& name, AttrValue value) {
    attrs_[name] = std::move(value);
    return *this;
  }
  // What the next output must be.
  OpTest& Expect(Tensor value) { expected_.push_back(std::move(value)); return *this; }
  // How close the outputs must be: within a unit in the last place if nothing is said. GPUs may be
  // kUlpsOfGpu further away.
  OpTest& Within(const Closeness& closeness) { closeness_ = closeness; return *this; }
  // Runs on every device and checks the outputs; a missing CPU kernel is a failure.
  void Run();
  // Checks that building or running fails with that code and a message that contains `part`.
  void RunExpectingError(Code code, const std::string& part);
  // The outputs on the CPU, for checks of another kind.
  Result<std::vector<Tensor>> RunOnCpu() { return RunOn(CpuDevice()); }
  Result<std::vector<Tensor>> RunOn(Device* device);

 private:
  Result<Node*> Build(Graph* graph) const;
  std::string op_;
  std::vector<Tensor> inputs_;
  AttrMap attrs_;
  std::vector<Tensor> expected_;
  Closeness closeness_ = Ulps(1);
};

}  // namespace testing
}  // namespace tfbuild
