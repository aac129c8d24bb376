"""What the arguments of one random call have in common."""

import random

BASE_SHAPES = (
    [3],
    [2, 3],
    [2, 2],
    [3, 3],
    [2, 3, 3],
    [1, 4, 4, 2],
    [2, 4, 3],
    [1, 4, 4, 3],
    [4],
    [],
)
FLOATS = ("float32", "float32", "float32", "float64", "float16")
INTEGERS = ("int32", "int32", "int64")
TYPES = (*FLOATS, *INTEGERS, "uint8", "int8", "int16", "bool", "complex64")
KINDS = ("normal", "normal", "positive", "whole", "special", "unit")


class Theme:
    """What the arguments of one call have in common, so that they fit each other."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.shape = list(chance.choice(BASE_SHAPES))
        pool = TYPES if chance.random() < 0.3 else FLOATS if chance.random() < 0.75 else INTEGERS
        self.dtype = chance.choice(pool)
        self.kind = chance.choice(KINDS)

    def tensor(self, shape=None, dtype=None, values=None):
        """An array, of the theme where nothing else is said."""
        return {
            "tensor": dtype or self.dtype,
            "shape": self.shape if shape is None else shape,
            "values": values or self.kind,
            "seed": self.chance.randrange(1 << 30),
        }

    def like(self):
        """An array that often fits the others: of the same shape, a row, a scalar, another rank."""
        draw = self.chance.random()
        if draw < 0.6:
            return self.tensor()
        if draw < 0.72:
            return self.tensor(self.shape[-1:])
        if draw < 0.8:
            return self.tensor([])
        if draw < 0.88:
            return self.tensor([*self.shape[:-1], 1] if self.shape else [1])
        return self.tensor(list(self.chance.choice(BASE_SHAPES)))

    def whole(self, shape=None, most=3):
        """Whole numbers from 0 to below most."""
        dtype = self.chance.choice(INTEGERS)
        return {**self.tensor(shape, dtype, "index"), "most": most}
