#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/attrs.h"
#include "graph/op_def.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

class Node;

// What a shape function sees of its node: shapes of the inputs, values of those inputs that are
// known while the graph is built, and attributes; it sets the shapes of the outputs.
class ShapeContext {
 public:
  explicit ShapeContext(const Node* node);

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  // The value of input i when it is known while the graph is built, as a constant or computed from
  // constants and known dimensions; else null.
  const Tensor* input_tensor(int i) const;
  // What is known of the shape that input i, a vector of dimensions, will hold.
  Result<PartialShape> input_as_shape(int i) const;
  template <typename T>
  Result<T> Attr(std::string_view name) const { return GetAttr<T>(attrs(), name); }

  // The shape of the variable whose handle is input i, of elements of that type; unknown where the
  // graph does not say which variable it is.
  Result<PartialShape> variable_shape(int i, DType dtype) const;
  // As above, for elements of any type.
  PartialShape variable_shape(int i) const;

  // The input's shape if it can have that rank (unknown dimensions where unknown), else an error.
  Result<PartialShape> WithRank(int i, int rank) const;
  Status WithRankAtLeast(int i, int rank) const;
  void set_output(int i, PartialShape shape) { outputs_[static_cast<size_t>(i)] = std::move(shape); }
  const std::vector<PartialShape>& outputs() const { return outputs_; }

 private:
  const AttrMap& attrs() const;
  const Node* node_;
  std::vector<PartialShape> inputs_;
  std::vector<PartialShape> outputs_;
  mutable std::map<int, Tensor> computed_;  // inputs that are known without being constants
};

// Shape functions that many ops share.
Status UnchangedShape(ShapeContext* context);         // output 0 is as input 0
Status ScalarShape(ShapeContext* context);            // output 0 is a scalar
Status UnknownShape(ShapeContext* context);           // nothing is known
Status BroadcastBinaryShape(ShapeContext* context);   // inputs 0 and 1 broadcast together
Status NoOutputs(ShapeContext* context);

// An axis in [-rank, rank) as one in [0, rank); InvalidArgument beyond.
Result<int> CanonicalAxis(int64_t axis, int rank);

}  // namespace tfbuild
