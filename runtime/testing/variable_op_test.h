#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// Runs one op that changes variables, on every device that has a kernel for it, and likewise its
// form for handles where there is one. Arguments come in the order of the op's inputs; variables
// first.
//
//   VariableOpTest("AssignAdd").Variable(MakeTensor<float>({1}, {2}))
//       .Input(MakeTensor<float>({1}, {3})).ExpectVariable(MakeTensor<float>({1}, {5})).Run();
class VariableOpTest {
 public:
  explicit VariableOpTest(std::string op) : op_(std::move(op)) {}
  // A variable with that value before; Uninitialized: one without.
  VariableOpTest& Variable(Tensor value);
  VariableOpTest& Uninitialized(DType dtype, const PartialShape& shape);
  VariableOpTest& Input(Tensor value) { inputs_.push_back(std::move(value)); return *this; }
  VariableOpTest& Attr(const std::string& name, AttrValue value) {
    attrs_[name] = std::move(value);
    return *this;
  }
  // What the next variable must hold afterwards.
  VariableOpTest& ExpectVariable(Tensor value) {
    expected_.push_back(std::move(value));
    return *this;
  }
  // As OpTest::Within.
  VariableOpTest& Within(const Closeness& closeness) { closeness_ = closeness; return *this; }
  void Run();
  void RunExpectingError(Code code, const std::string& part);
  // The variables' values afterwards, as host tensors. Also checks that nobody who read a variable
  // before sees it change.
  Result<std::vector<Tensor>> RunOn(Device* device) { return RunAs(op_, device); }

 private:
  struct Declared {
    DType dtype;
    PartialShape shape;
    Tensor value;
  };
  // The forms of the op: its name, and that of the one for handles if there is one.
  std::vector<std::string> Forms() const;
  Result<Node*> Build(const std::string& op, Graph* graph) const;
  Result<std::vector<Tensor>> RunAs(const std::string& op, Device* device);
  std::string op_;
  std::vector<Declared> variables_;
  std::vector<Tensor> inputs_;
  AttrMap attrs_;
  std::vector<Tensor> expected_;
  Closeness closeness_ = Ulps(1);
};

}  // namespace testing
}  // namespace tfbuild
