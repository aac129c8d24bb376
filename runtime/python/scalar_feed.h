#pragma once

#include <Python.h>

#include <optional>

#include "tensor/tensor.h"

namespace tfbuild {
namespace python {

// The tensor of a single number, where it is one of NumPy's of just this type, or one of Python's that
// this type holds as it is (a float is rounded): what a program feeds as a rate or a step. Nothing of
// anything else, whose conversion and errors are the feed converter's.
std::optional<Tensor> TensorOfNumber(PyObject* value, DType dtype);

}  // namespace python
}  // namespace tfbuild
