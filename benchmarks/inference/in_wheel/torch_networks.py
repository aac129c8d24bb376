"""The same networks in PyTorch with the weights that ours.py has kept, eager or by ONNX Runtime.

python torch_networks.py NETWORK FOLDER check          # and writes network.onnx
python torch_networks.py NETWORK FOLDER eager SECONDS  # the last line is milliseconds
python torch_networks.py NETWORK FOLDER onnx SECONDS
"""

import statistics
import sys
import time

import numpy as np
import torch
from torch.nn import functional

LAYERS, HEADS, FAR_BELOW = 4, 4, -10000.0


class Network(torch.nn.Module):
    """Weights by TensorFlow's names, with points in the place of slashes."""

    def __init__(self, folder):
        super().__init__()
        weights = np.load(f"{folder}/weights.npz")
        self.weights = {name: torch.from_numpy(weights[name]) for name in weights.files}
        for name, value in self.weights.items():
            self.register_buffer(name.replace("/", "_"), value)

    def of(self, name):
        """Return a weight."""
        return getattr(self, name.replace("/", "_"))

    def dense(self, x, name):
        """Return a matrix product and bias."""
        return torch.addmm(self.of(f"{name}/bias"), x, self.of(f"{name}/kernel"))


class Bert(Network):
    """An encoder."""

    def forward(self, words, segments, mask):
        """Return the sequence."""
        batch, length = words.shape
        below = (1.0 - mask.float())[:, None, None, :] * FAR_BELOW
        table, kinds = "bert/embeddings/word_embeddings", "bert/embeddings/token_type_embeddings"
        out = functional.embedding(words, self.of(table))
        out = out + functional.embedding(segments, self.of(kinds))
        out = out + self.of("bert/embeddings/position_embeddings")[None, :length]
        out = self.norm(out, "bert/embeddings").reshape(batch * length, -1)
        for number in range(LAYERS):
            out = self.layer(out, f"bert/encoder/layer_{number}", below, batch, length)
        return out.reshape(batch, length, -1)

    def norm(self, x, name):
        """Return x normalised over its last axis."""
        gamma, beta = self.of(f"{name}/LayerNorm/gamma"), self.of(f"{name}/LayerNorm/beta")
        return functional.layer_norm(x, gamma.shape, gamma, beta, 1e-12)

    def layer(self, x, name, below, batch, length):
        """Return what one layer makes of x."""
        parts = []
        for part in ("query", "key", "value"):
            out = self.dense(x, f"{name}/attention/self/{part}")
            parts.append(out.reshape(batch, length, HEADS, -1).transpose(1, 2))
        query, key, value = parts
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5
        out = (torch.softmax(scores + below, -1) @ value).transpose(1, 2)
        out = self.dense(out.reshape(batch * length, -1), f"{name}/attention/output/dense")
        x = self.norm(x + out, f"{name}/attention/output")
        inner = functional.gelu(self.dense(x, f"{name}/intermediate/dense"), approximate="tanh")
        return self.norm(x + self.dense(inner, f"{name}/output/dense"), f"{name}/output")


class Convolutional(Network):
    """Two convolutions and a full layer."""

    def forward(self, images):
        """Return logits."""
        out = images[:, None]
        for name in ("first", "second"):
            kernel = self.of(f"{name}/kernel").permute(3, 2, 0, 1)
            out = functional.conv2d(out, kernel, self.of(f"{name}/bias"), padding=1)
            out = functional.max_pool2d(functional.relu(out), 2)
        out = out.permute(0, 2, 3, 1).reshape(images.shape[0], -1)
        return torch.addmm(self.of("bias"), out, self.of("full"))


def main():
    """Check or time."""
    name, folder, task = sys.argv[1:4]
    kept = np.load(f"{folder}/batch.npz")
    batch = {key: kept[key] for key in kept.files if key != "output"}
    network = {"bert": Bert, "convolutional": Convolutional}[name](folder).eval()
    tensors = [torch.from_numpy(value) for value in batch.values()]
    with torch.inference_mode():
        if task == "check":
            check(network, tensors, batch, kept["output"], f"{folder}/network.onnx")
            return
        if task == "eager":
            took = median_of(lambda: network(*tensors), float(sys.argv[4]))
        else:
            session = runtime(f"{folder}/network.onnx")
            took = median_of(lambda: session.run(None, batch), float(sys.argv[4]))
    sys.stdout.write(f"{took}\n")


def runtime(path):
    """Return a session of ONNX Runtime with as many threads as PyTorch has."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def check(network, tensors, batch, expected, path):
    """Write the network for ONNX Runtime; end where an output is not the wheel's."""
    torch.onnx.export(network, tuple(tensors), path, dynamo=False, opset_version=20,
                      input_names=list(batch), output_names=["output"])  # fmt: skip
    outputs = {
        "PyTorch": network(*tensors).numpy(),
        "ONNX Runtime": runtime(path).run(None, batch)[0],
    }
    for kind, output in outputs.items():
        error = np.abs(output - expected).max()
        if not error < 1e-3 * np.abs(expected).max():
            sys.exit(f"{kind} differs from the wheel by {error}")


def median_of(call, seconds):
    """Return the median of a call's milliseconds, of at least ten."""
    took, end = [], time.perf_counter() + seconds
    call()
    while time.perf_counter() < end or len(took) < 10:
        start = time.perf_counter()
        call()
        took.append((time.perf_counter() - start) * 1e3)
    return statistics.median(took)


if __name__ == "__main__":
    main()
