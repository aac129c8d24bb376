"""einsum: products of tensors that are summed over axes, as a text of letters says."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, reduce_ops
from tfbuild_runtime.ops.emit import known_rank
from tfbuild_runtime.ops.linalg_ops import matmul

_Part = tuple[Any, str]  # a tensor, and a letter for each of its axes


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Return the sums of products that the equation names, such as "ij,jk->ik".

    Raises ValueError where the equation does not fit the tensors, and NotImplementedError for a
    letter that stands twice in one term.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}")
    with framework.name_scope(name, "einsum", list(inputs)):
        tensors = [framework.convert_to_tensor(value, name="input") for value in inputs]
        terms, result = _parse(equation, [tensor.get_shape().ndims for tensor in tensors])
        tensors = [_of_rank(tensor, len(letters)) for tensor, letters in zip(tensors, terms)]
        parts = list(zip(tensors, terms))
        while len(parts) > 1:
            wanted = result + "".join(letters for _, letters in parts[2:])
            parts = [_product(parts[0], parts[1], wanted), *parts[2:]]
        tensor, letters = _without(parts[0], result)
        return _ordered(tensor, letters, result)


def _parse(equation: str, ranks: list[int | None]) -> tuple[list[str], str]:
    """Return the letters of each term and of the result; capitals A.. stand for an ellipsis."""
    text = equation.replace(" ", "")
    if not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text):
        raise ValueError(f"Indices have incorrect format: {equation}")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"Expected {len(terms)} arguments for equation {equation!r}, got "
                         f"{len(ranks)}")  # fmt: skip
    filled = [_expanded(term, rank, equation) for term, rank in zip(terms, ranks)]
    longest = max((letters for letters in map(_dots, filled)), key=len)
    if not arrow:
        once = sorted(letter for letter in set(left) - set(".,") if left.count(letter) == 1)
        return filled, longest + "".join(once)
    result = right.replace("...", longest)
    if "." in result:
        raise ValueError(f"Indices have incorrect format: {equation}")
    for letter in result:
        if not any(letter in term for term in filled):
            raise ValueError(f"'{letter}' of the result is in no argument of {equation!r}")
    return filled, result


def _of_rank(tensor: Any, rank: int) -> Any:
    """Return a tensor whose rank is known, as its term says it."""
    if known_rank(tensor) is None:
        tensor = array_ops.identity(tensor)
        tensor.set_shape([None] * rank)
    return tensor


_FIRST_DOT = 0x2460  # circled numbers, which no equation has


def _dots(term: str) -> str:
    return "".join(letter for letter in term if ord(letter) >= _FIRST_DOT)


def _expanded(term: str, rank: int | None, equation: str) -> str:
    """Return the term with a letter of its own for each axis of its ellipsis, the last named 0."""
    named = term.replace("...", "")
    if rank is None:
        if "." in term:
            raise ValueError(f"einsum needs tensors of known rank for {equation!r}")
        rank = len(named)
    count = rank - len(named)
    if "." in named or term.count("...") > 1 or count < 0 or (count and "..." not in term):
        raise ValueError(f"{term!r} of {equation!r} does not fit an argument of rank {rank}")
    if len(set(named)) != len(named):
        raise NotImplementedError(f"a letter stands twice in {term!r} of {equation!r}: take "
                                  "tf.linalg.diag_part first")  # fmt: skip
    dots = "".join(chr(_FIRST_DOT + number) for number in reversed(range(count)))
    return term.replace("...", dots)


def _without(part: _Part, wanted: str) -> _Part:
    """Return the part summed over the axes that nobody wants."""
    tensor, letters = part
    axes = [place for place, letter in enumerate(letters) if letter not in wanted]
    if axes:
        tensor = reduce_ops.reduce_sum(tensor, axes)
    return tensor, "".join(letter for letter in letters if letter in wanted)


def _ordered(tensor: Any, letters: str, wanted: str) -> Any:
    order = [letters.index(letter) for letter in wanted]
    return tensor if order == sorted(order) else array_ops.transpose(tensor, order)


def _product(first: _Part, second: _Part, wanted: str) -> _Part:
    """Return the product of two parts, summed over what they share and nobody wants later."""
    a, of_a = _without(first, wanted + second[1])
    b, of_b = _without(second, wanted + first[1])
    summed = [letter for letter in of_a if letter in of_b and letter not in wanted]
    batch = [letter for letter in of_a if letter in of_b and letter in wanted]
    only_a = [letter for letter in of_a if letter not in of_b]
    only_b = [letter for letter in of_b if letter not in of_a]
    if not summed:
        return _by_broadcasting(a, of_a, b, of_b)
    left = _grouped(a, of_a, [batch, only_a, summed])
    right = _grouped(b, of_b, [batch, summed, only_b])
    product = matmul(left, right)
    letters = "".join([*batch, *only_a, *only_b])
    sizes = [_size(a, of_a, letter) for letter in batch + only_a]
    sizes += [_size(b, of_b, letter) for letter in only_b]
    return _reshaped(product, sizes), letters


def _by_broadcasting(a: Any, of_a: str, b: Any, of_b: str) -> _Part:
    letters = of_a + "".join(letter for letter in of_b if letter not in of_a)
    for _ in range(len(letters) - len(of_a)):
        a = array_ops.expand_dims(a, -1)
    b = _ordered(b, of_b, "".join(letter for letter in letters if letter in of_b))
    for place, letter in enumerate(letters):
        if letter not in of_b:
            b = array_ops.expand_dims(b, place)
    return a * b, letters


def _size(tensor: Any, letters: str, letter: str) -> Any:
    axis = letters.index(letter)
    known = tensor.get_shape().as_list()[axis]
    return array_ops.shape(tensor)[axis] if known is None else known


def _grouped(tensor: Any, letters: str, groups: list[list[str]]) -> Any:
    """Return the tensor with its batch axes first, and each other group as one axis."""
    order = "".join(letter for group in groups for letter in group)
    turned = _ordered(tensor, letters, order)
    sizes = [_size(tensor, letters, letter) for letter in groups[0]]
    sizes += [reduce(lambda x, y: x * y, (_size(tensor, letters, g) for g in group), 1)
              for group in groups[1:]]  # fmt: skip
    return _reshaped(turned, sizes)


def _reshaped(tensor: Any, sizes: list[Any]) -> Any:
    known = [size if isinstance(size, int) else None for size in sizes]
    if known == tensor.get_shape().as_list() and None not in known:
        return tensor
    if None in known:
        result = array_ops.reshape(tensor, array_ops.stack(sizes))
    else:
        result = array_ops.reshape(tensor, framework.constant(sizes, dtypes.int32,
                                                              shape=[len(sizes)]))  # fmt: skip
    result.set_shape(known)
    return result
