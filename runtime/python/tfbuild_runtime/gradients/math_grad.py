"""Gradients of arithmetic and of functions that work element by element."""

import math
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices, dense
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import sum_to
from tfbuild_runtime.ops import array_ops, complex_ops
from tfbuild_runtime.ops.emit import emit, known_rank

for _op_type in (
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr",
    "LogicalNot", "IsNan", "IsInf", "IsFinite", "FloorDiv", "Floor", "Ceil", "Round",
):  # fmt: skip
    no_gradient(_op_type)


def conjugate(x: Any) -> Any:
    """Return a factor as it stands in a gradient: complex numbers conjugated."""
    return complex_ops.conj(x) if x.dtype.is_complex else x


def multiply(x: Any, y: Any) -> Any:
    """Return x * y; a number takes the type of the tensor."""
    return emit("Mul", [x, y])


# The derivatives of functions by their results, for complex numbers; floats have an op for each.
_SLOPES: dict[str, Callable[[Any], Any]] = {
    "Sqrt": lambda y: emit("RealDiv", [framework.constant(0.5, y.dtype.base_dtype), y]),
    "Rsqrt": lambda y: multiply(multiply(y, emit("Square", [y])), -0.5),
    "Tanh": lambda y: emit("Sub", [framework.constant(1, y.dtype.base_dtype), emit("Square", [y])]),
    "Sigmoid": lambda y: emit("Sub", [y, emit("Square", [y])]),
}


def by_result(function: str, y: Any, grad: Any) -> Any:
    """Return a gradient times the derivative of a function whose result was y."""
    if y.dtype.is_complex:
        return multiply(grad, conjugate(_SLOPES[function](y)))
    return emit(f"{function}Grad", [y, grad])


# ---- one argument -------------------------------------------------------------------------------


@gradient_of("Neg")
def _negative(_: Any, grad: Any) -> Any:
    return emit("Neg", [grad])


@gradient_of("Abs")
def _absolute(op: Any, grad: Any) -> Any:
    return multiply(grad, emit("Sign", [op.inputs[0]]))


@gradient_of("Sign")
def _sign(op: Any, _: Any) -> Any:
    return emit("ZerosLike", [op.inputs[0]])


@gradient_of("Square")
def _square(op: Any, grad: Any) -> Any:
    return multiply(grad, multiply(conjugate(op.inputs[0]), 2))


@gradient_of("Sqrt")
def _square_root(op: Any, grad: Any) -> Any:
    return by_result("Sqrt", op.outputs[0], grad)


@gradient_of("SqrtGrad")
def _square_root_twice(op: Any, grad: Any) -> Any:
    root, inner = op.inputs
    share = emit("RealDiv", [grad, root])
    back = emit("RealDiv", [multiply(emit("Neg", [share]), multiply(inner, 0.5)), root])
    return [back, multiply(share, 0.5)]


@gradient_of("Rsqrt")
def _inverse_root(op: Any, grad: Any) -> Any:
    return by_result("Rsqrt", op.outputs[0], grad)


@gradient_of("RsqrtGrad")
def _inverse_root_twice(op: Any, grad: Any) -> Any:
    root, inner = op.inputs
    back = multiply(multiply(multiply(grad, inner), -1.5), emit("Square", [root]))
    return [back, emit("RsqrtGrad", [root, grad])]


@gradient_of("Reciprocal")
def _reciprocal(op: Any, grad: Any) -> Any:
    return emit("ReciprocalGrad", [op.outputs[0], grad])


@gradient_of("ReciprocalGrad")
def _reciprocal_twice(op: Any, grad: Any) -> Any:
    inverse, inner = op.inputs
    back = multiply(multiply(multiply(grad, inner), -2), inverse)
    return [back, emit("ReciprocalGrad", [inverse, grad])]


@gradient_of("Exp")
def _exponential(op: Any, grad: Any) -> Any:
    return multiply(grad, conjugate(op.outputs[0]))


@gradient_of("Expm1")
def _exponential_less_one(op: Any, grad: Any) -> Any:
    return multiply(grad, conjugate(emit("Exp", [op.inputs[0]])))


@gradient_of("Log")
def _logarithm(op: Any, grad: Any) -> Any:
    return emit("RealDiv", [grad, conjugate(op.inputs[0])])


@gradient_of("Log1p")
def _logarithm_of_one_more(op: Any, grad: Any) -> Any:
    return emit("RealDiv", [grad, conjugate(emit("AddV2", [op.inputs[0], 1]))])


@gradient_of("Sin")
def _sine(op: Any, grad: Any) -> Any:
    return multiply(grad, conjugate(emit("Cos", [op.inputs[0]])))


@gradient_of("Cos")
def _cosine(op: Any, grad: Any) -> Any:
    return multiply(emit("Neg", [grad]), conjugate(emit("Sin", [op.inputs[0]])))


@gradient_of("Tanh")
def _tanh(op: Any, grad: Any) -> Any:
    return by_result("Tanh", op.outputs[0], grad)


@gradient_of("TanhGrad")
def _tanh_twice(op: Any, grad: Any) -> Any:
    value, inner = op.inputs
    back = multiply(multiply(multiply(grad, -2), inner), value)
    return [back, emit("TanhGrad", [value, grad])]


@gradient_of("Sigmoid")
def _sigmoid(op: Any, grad: Any) -> Any:
    return by_result("Sigmoid", op.outputs[0], grad)


@gradient_of("SigmoidGrad")
def _sigmoid_twice(op: Any, grad: Any) -> Any:
    value, inner = op.inputs
    share = multiply(grad, inner)
    back = emit("Sub", [share, multiply(multiply(share, 2), value)])
    return [back, emit("SigmoidGrad", [value, grad])]


@gradient_of("Erf")
def _error_function(op: Any, grad: Any) -> Any:
    bell = emit("Exp", [emit("Neg", [emit("Square", [op.inputs[0]])])])
    return multiply(grad, multiply(bell, 2 / math.sqrt(math.pi)))


@gradient_of("Cast", takes_slices=True)
def _cast(op: Any, grad: Any) -> Any:
    source = op.inputs[0].dtype.base_dtype
    target = op.outputs[0].dtype.base_dtype
    if not all(kind.is_floating or kind.is_complex for kind in (source, target)):
        return None
    if isinstance(grad, IndexedSlices):
        values = emit("Cast", [grad.values], DstT=source)
        return IndexedSlices(values, grad.indices, grad.dense_shape)
    return emit("Cast", [grad], DstT=source)


# ---- two arguments ------------------------------------------------------------------------------


def _both(op: Any, by_x: Any, by_y: Any) -> list[Any]:
    x, y = op.inputs
    return [sum_to(by_x, x, y), sum_to(by_y, y, x)]


@gradient_of("Add", "AddV2", takes_slices=True)
def _add(op: Any, grad: Any) -> Any:
    if _are_alike(*op.inputs):
        return [grad, grad]
    return _both(op, *[dense(grad)] * 2)


@gradient_of("Sub", takes_slices=True)
def _subtract(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    whole = dense(grad)
    by_x = grad if _are_alike(x, y) else sum_to(whole, x, y)
    return [by_x, emit("Neg", [sum_to(whole, y, x)])]


def _are_alike(x: Any, y: Any) -> bool:
    """Whether two shapes are known to be the same: then what are slices stays slices."""
    sizes = x.get_shape()
    return bool(sizes.is_fully_defined()) and sizes == y.get_shape()


@gradient_of("Mul")
def _multiply(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    return _both(op, multiply(grad, conjugate(y)), multiply(conjugate(x), grad))


@gradient_of("Div", "RealDiv")
def _divide(op: Any, grad: Any) -> Any:
    x, y = (conjugate(operand) for operand in op.inputs)
    by_y = multiply(grad, emit("RealDiv", [emit("RealDiv", [emit("Neg", [x]), y]), y]))
    return _both(op, emit("RealDiv", [grad, y]), by_y)


@gradient_of("DivNoNan")
def _divide_no_nan(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    share = emit("DivNoNan", [emit("DivNoNan", [emit("Neg", [x]), y]), y])
    return _both(op, emit("DivNoNan", [grad, y]), multiply(grad, share))


@gradient_of("FloorMod")
def _remainder(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    return _both(op, grad, multiply(grad, emit("Neg", [emit("FloorDiv", [x, y])])))


@gradient_of("SquaredDifference")
def _squared_difference(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    by_x = multiply(multiply(grad, 2), emit("Sub", [x, y]))
    return [sum_to(by_x, x, y), emit("Neg", [sum_to(by_x, y, x)])]


@gradient_of("Pow")
def _power(op: Any, grad: Any) -> Any:
    x, y, power = (conjugate(value) for value in (*op.inputs, op.outputs[0]))
    by_x = multiply(multiply(grad, y), emit("Pow", [x, emit("Sub", [y, 1])]))
    # There is a derivative by y only where x is positive; of complex numbers where it is not 0.
    has_one = emit("NotEqual" if x.dtype.is_complex else "Greater", [x, 0])
    zero, one = (framework.constant(number, x.dtype.base_dtype) for number in (0, 1))
    logarithm = emit("Log", [emit("SelectV2", [has_one, x, one])])
    logarithm = emit("SelectV2", [has_one, logarithm, zero])
    return _both(op, by_x, multiply(multiply(grad, power), logarithm))


def _chosen(op: Any, grad: Any, comparison: str) -> list[Any]:
    x, y = op.inputs
    first = emit(comparison, [x, y])
    zero = framework.constant(0, grad.dtype.base_dtype)
    return _both(op, emit("SelectV2", [first, grad, zero]), emit("SelectV2", [first, zero, grad]))


@gradient_of("Maximum")
def _maximum(op: Any, grad: Any) -> Any:
    return _chosen(op, grad, "GreaterEqual")


@gradient_of("Minimum")
def _minimum(op: Any, grad: Any) -> Any:
    return _chosen(op, grad, "LessEqual")


@gradient_of("Select")
def _select(op: Any, grad: Any) -> Any:
    condition = op.inputs[0]
    zeros = emit("ZerosLike", [grad])
    by_x = emit("Select", [condition, grad, zeros])
    return [None, by_x, emit("Select", [condition, zeros, grad])]


@gradient_of("SelectV2")
def _select_broadcast(op: Any, grad: Any) -> Any:
    condition, x, y = op.inputs
    zero = framework.constant(0, grad.dtype.base_dtype)
    by_x = emit("SelectV2", [condition, grad, zero])
    by_y = emit("SelectV2", [condition, zero, grad])
    return [None, sum_to(by_x, x, grad), sum_to(by_y, y, grad)]


@gradient_of("AddN")
def _add_all(op: Any, grad: Any) -> Any:
    return [grad] * len(op.inputs)


# ---- matrix products ----------------------------------------------------------------------------


def _product(a: Any, b: Any, flip_a: bool, flip_b: bool) -> Any:
    return emit("MatMul", [a, b], transpose_a=flip_a, transpose_b=flip_b)


def _product_of_batches(a: Any, b: Any, flip_a: bool, flip_b: bool) -> Any:
    return emit("BatchMatMulV2", [a, b], adj_x=flip_a, adj_y=flip_b)


def _factors(product: Any, inputs: Any, grad: Any, flipped: tuple[bool, bool]) -> list[Any]:
    a, b = inputs
    if flipped == (False, False):
        return [product(grad, b, False, True), product(a, grad, True, False)]
    if flipped == (False, True):
        return [product(grad, b, False, False), product(grad, a, True, False)]
    if flipped == (True, False):
        return [product(b, grad, False, True), product(a, grad, False, False)]
    return [product(b, grad, True, True), product(grad, a, True, True)]


@gradient_of("MatMul")
def _matmul(op: Any, grad: Any) -> Any:
    flipped = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    # The adjoint is more than the transpose that flipping gives.
    return _factors(_product, [conjugate(x) for x in op.inputs], grad, flipped)


@gradient_of("BatchMatMul", "BatchMatMulV2")
def _batch_matmul(op: Any, grad: Any) -> Any:
    flipped = op.get_attr("adj_x"), op.get_attr("adj_y")
    by_a, by_b = _factors(_product_of_batches, op.inputs, grad, flipped)
    a, b = op.inputs
    return [_sum_batches(by_a, a, b), _sum_batches(by_b, b, a)]


def _sum_batches(gradient: Any, target: Any, other: Any) -> Any:
    """Return the gradient summed over the batches for which broadcasting repeated target."""
    if known_rank(target) is not None and known_rank(other) is not None:
        mine = target.get_shape().as_list()[:-2]
        theirs = other.get_shape().as_list()[:-2]
        if mine == theirs and None not in mine:
            return gradient
    sizes = array_ops.shape(target)
    axes = framework.apply_op(
        "BroadcastGradientArgs", [_batch_sizes(target), _batch_sizes(other)]
    ).outputs[0]
    return emit("Reshape", [emit("Sum", [gradient, axes]), sizes])


def _batch_sizes(tensor: Any) -> Any:
    return emit("StridedSlice", [array_ops.shape(tensor), [0], [-2], [1]], begin_mask=1)
