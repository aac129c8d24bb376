"""Circulant matrices, which the Fourier transform makes diagonal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    complex_ops,
    creation_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
    signal_ops,
)

_TRANSFORMS = {
    1: (signal_ops.fft, signal_ops.ifft),
    2: (signal_ops.fft2d, signal_ops.ifft2d),
    3: (signal_ops.fft3d, signal_ops.ifft3d),
}


def as_complex(tensor: Any) -> Any:
    """Return the tensor as complex numbers of the same precision."""
    if tensor.dtype.is_complex:
        return tensor
    double = tensor.dtype.base_dtype == dtypes.float64
    return math_ops.cast(tensor, dtypes.complex128 if double else dtypes.complex64)


class LinearOperatorCirculant(LinearOperator):
    """Circulant matrices, kept as their spectrum: the Fourier transform of their first column.

    Products and equations take as long as two transforms.
    """

    _depth = 1

    def __init__(self, spectrum: Any, input_output_dtype: Any = dtypes.complex64,
                 is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = True,
                 name: str | None = None) -> None:  # fmt: skip
        """Take a tensor of shape [B1, ..., Bb, N]; products are of input_output_dtype.

        Raises ValueError for too few dimensions, and for hints that are not true of the spectrum.
        """
        name = name or type(self).__name__
        with framework.name_scope(name, values=[spectrum]):
            spectrum = framework.convert_to_tensor(spectrum, name="spectrum")
            self._spectrum = util.need_rank(spectrum, self._depth, "spectrum")
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        super().__init__(input_output_dtype, [self._spectrum], is_non_singular, is_self_adjoint,
                         is_positive_definite, True, name)  # fmt: skip

    @property
    def block_depth(self) -> int:
        """How deep blocks are nested: 1 for circulant matrices, 2 for circulant ones of these."""
        return self._depth

    @property
    def spectrum(self) -> Any:
        """The spectrum as it was given."""
        return self._spectrum

    @property
    def block_shape(self) -> Any:
        """The sizes that belong to a block, as far as the graph knows them."""
        return self._spectrum.get_shape()[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """Return the sizes that belong to a block as a tensor."""
        return array_ops.shape(self._spectrum)[-self._depth :]

    def _shape(self) -> Any:
        known = self._spectrum.get_shape()
        block = self.block_shape
        size = math.prod(block.as_list()) if block.is_fully_defined() else None
        return known[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        sizes = array_ops.shape(self._spectrum)
        size = reduce_ops.reduce_prod(self.block_shape_tensor())
        return array_ops.concat([sizes[: -self._depth], array_ops.stack([size, size])], 0)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Return the first columns, by whose convolution a product can be computed."""
        with self._name_scope(name):
            _, back = _TRANSFORMS[self._depth]
            return self._in_own_type(back(as_complex(self._spectrum)))

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Return an operation that fails unless the matrices are real, but for rounding."""
        eps = float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps)
        with self._name_scope(name):
            kernel = complex_ops.imag(self.convolution_kernel())
            limit = eps * math_ops.cast(self.domain_dimension_tensor(), kernel.dtype.base_dtype)
            return check_ops.assert_less(math_ops.abs(kernel), limit,
                                         message="Spectrum was not Hermitian")  # fmt: skip

    def _assert_non_singular(self) -> Any:
        return util.assert_no_entries_with_modulus_zero(
            self._spectrum, message="Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        return check_ops.assert_positive(
            complex_ops.real(self._spectrum),
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> Any:
        return util.assert_zero_imag_part(
            self._spectrum,
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )

    def _in_own_type(self, tensor: Any) -> Any:
        return math_ops.cast(tensor, self.dtype)

    def _through_spectrum(self, x: Any, adjoint: bool, adjoint_arg: bool, combine: Any) -> Any:
        """Return what becomes of x when its transform is combined with the spectrum."""
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        forth, back = _TRANSFORMS[self._depth]
        spectrum = as_complex(self._spectrum)
        spectrum = complex_ops.conj(spectrum) if adjoint else spectrum
        rows = array_ops.matrix_transpose(math_ops.cast(x, spectrum.dtype.base_dtype))
        blocks = array_ops.reshape(rows, self._as_blocks(rows))
        found = back(combine(forth(blocks), array_ops.expand_dims(spectrum, -self._depth - 1)))
        flat = array_ops.reshape(found, self._as_rows(found))
        return self._in_own_type(array_ops.matrix_transpose(flat))

    def _as_blocks(self, rows: Any) -> Any:
        known = rows.get_shape()[:-1]
        if known.is_fully_defined() and self.block_shape.is_fully_defined():
            return [*known.as_list(), *self.block_shape.as_list()]
        return array_ops.concat([array_ops.shape(rows)[:-1], self.block_shape_tensor()], 0)

    def _as_rows(self, blocks: Any) -> Any:
        known = blocks.get_shape()
        if known.is_fully_defined():
            sizes = known.as_list()
            return [*sizes[: -self._depth], math.prod(sizes[-self._depth :])]
        sizes = array_ops.shape(blocks)
        width = reduce_ops.reduce_prod(sizes[-self._depth :])
        return array_ops.concat([sizes[: -self._depth], [width]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_spectrum(x, adjoint, adjoint_arg, math_ops.multiply)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through_spectrum(rhs, adjoint, adjoint_arg, math_ops.divide)

    @property
    def _block_axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Any:
        return self._in_own_type(reduce_ops.reduce_prod(self._spectrum, axis=self._block_axes))

    def _log_abs_determinant(self) -> Any:
        sizes = math_ops.log(math_ops.abs(self._spectrum))
        return self._in_own_type(reduce_ops.reduce_sum(sizes, axis=self._block_axes))

    def _trace(self) -> Any:
        return self._in_own_type(reduce_ops.reduce_sum(self._spectrum, axis=self._block_axes))

    def _diag_part(self) -> Any:
        known = self.shape
        shape = known[:-1] if known.is_fully_defined() else self.shape_tensor()[:-1]
        mean = self.trace() / math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        return array_ops.expand_dims(mean, -1) * creation_ops.ones(shape, self.dtype)

    def _with(self, spectrum: Any) -> LinearOperator:
        return type(self)(spectrum, self.dtype, **util.hints_of(self))

    def _adjoint(self) -> LinearOperator:
        return self._with(complex_ops.conj(self._spectrum))

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / self._spectrum)


class LinearOperatorCirculant2D(LinearOperatorCirculant):
    """Block circulant matrices of circulant blocks: a spectrum of shape [B1, ..., Bb, N0, N1]."""

    _depth = 2


class LinearOperatorCirculant3D(LinearOperatorCirculant):
    """Blocks nested once more: a spectrum of shape [B1, ..., Bb, N0, N1, N2]."""

    _depth = 3
