#pragma once

#include <vector>

#include "graph/shape_context.h"
#include "kernels/random/philox_words.h"

namespace tfbuild {

// [rows of logits, number of samples], in inputs 0 and 1.
Status ClassDrawShape(ShapeContext* context);

// Numbers of classes drawn from rows of logits of any number type, `samples` for each row.
class ClassDraw {
 public:
  // InvalidArgument where the logits are no matrix with classes, or the number no scalar >= 0.
  static Result<ClassDraw> Make(const Tensor& logits, const Tensor& wanted);

  const Shape& shape() const { return shape_; }
  // How many calls of the generator are set aside for all rows.
  uint64_t Reserved() const {
    return static_cast<uint64_t>(shape_.dim(0) * ((shape_.dim(1) + 3) / 4 * 8) * 256);
  }
  // Fills a tensor of int32 or int64 of that shape. One stream for all rows, as TensorFlow has it
  // where one thread does the work. InvalidArgument for a row without a finite logit.
  Status Fill(const Philox& start, Tensor* output) const;

 private:
  ClassDraw(const Tensor& logits, const Shape& shape) : logits_(logits), shape_(shape) {}
  void Cumulate(int64_t row, std::vector<double>* sums) const;

  Tensor logits_;
  Shape shape_;
};

}  // namespace tfbuild
