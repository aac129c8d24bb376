"""One ONNX operator as a model, written without the `onnx` package, and its call in ONNX Runtime.

The fields are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
"""

import numpy as np

_OPSET, _IR = 17, 8
_TYPES = {"float32": 1, "int64": 7}
_INT, _INTS = 2, 7  # AttributeProto.AttributeType


def call_of(onnxruntime, operator, inputs, attributes=()):
    """A function that runs the operator on the arrays once; nothing is copied in or out."""
    session = onnxruntime.InferenceSession(
        model(operator, inputs, attributes), providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    for name, array in zip(_names(inputs), inputs):
        value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
        binding.bind_ortvalue_input(name, value)
    binding.bind_output("out")
    return lambda: session.run_with_iobinding(binding)


def model(operator, inputs, attributes=()):
    """The bytes of a ModelProto with one node, whose inputs have the arrays' types and shapes."""
    node = b"".join(_text(1, name) for name in _names(inputs)) + _text(2, "out")
    node += _text(4, operator)
    node += b"".join(_bytes(5, _attribute(*each)) for each in dict(attributes).items())
    graph = _bytes(1, node) + _text(2, "one")
    for name, array in zip(_names(inputs), inputs):
        graph += _bytes(11, _value(name, array.dtype.name, array.shape))
    graph += _bytes(12, _value("out", inputs[0].dtype.name, None))
    return _number(1, _IR) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, _OPSET))


def _names(inputs):
    return [f"in{number}" for number in range(len(inputs))]


def _value(name, dtype, shape):
    """A ValueInfoProto; of a result the shape is left to be inferred."""
    tensor = _number(1, _TYPES[dtype])
    if shape is not None:
        tensor += _bytes(2, b"".join(_bytes(1, _number(1, side)) for side in shape))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name, value):
    """An AttributeProto of an integer or several."""
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, _INTS)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _text(field, value):
    return _bytes(field, value.encode())


def _bytes(field, value):
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value):
    value &= (1 << 64) - 1  # a negative number takes ten bytes
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])
