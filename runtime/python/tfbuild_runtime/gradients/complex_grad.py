"""Gradients of complex numbers by their parts, and of parts by complex numbers.

As in TensorFlow, the gradient by a complex number is the conjugate of the derivative, so that a
step against it goes downhill.
"""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.gradients.shapes import sum_to
from tfbuild_runtime.ops import complex_ops, creation_ops
from tfbuild_runtime.ops.emit import emit


def _product(x: Any, y: Any) -> Any:
    return emit("Mul", [x, y])


@gradient_of("Complex")
def _complex(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    return [sum_to(complex_ops.real(grad), x, y), sum_to(complex_ops.imag(grad), y, x)]


@gradient_of("Real")
def _real(_: Any, grad: Any) -> Any:
    return complex_ops.complex(grad, creation_ops.zeros_like(grad))


@gradient_of("Imag")
def _imaginary(_: Any, grad: Any) -> Any:
    return complex_ops.complex(creation_ops.zeros_like(grad), grad)


@gradient_of("Conj")
def _conjugate(_: Any, grad: Any) -> Any:
    return complex_ops.conj(grad)


@gradient_of("ComplexAbs")
def _magnitude(op: Any, grad: Any) -> Any:
    """Of length `grad` in the direction of the number; zero where that is zero."""
    number = op.inputs[0]
    scale = emit("DivNoNan", [grad, op.outputs[0]])
    along, across = complex_ops.real(number), complex_ops.imag(number)
    return complex_ops.complex(_product(scale, along), _product(scale, across))


@gradient_of("Angle")
def _argument(op: Any, grad: Any) -> Any:
    number = op.inputs[0]
    turned = complex_ops.complex(complex_ops.imag(number), complex_ops.real(number))
    whole = complex_ops.complex(grad, creation_ops.zeros_like(grad))
    return emit("Neg", [emit("RealDiv", [whole, turned])])
