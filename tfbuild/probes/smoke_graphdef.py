"""A graph goes to bytes and back and computes the same; its nodes stay the same."""

import numpy as np
import probe_tools as probe
from graph_source import load, original
from smoke_tools import Suite, close, expect


def main():
    """There and back."""
    tf = probe.load(probe.arguments(__doc__).module)
    suite = Suite()
    image = np.random.default_rng(2).standard_normal((5, 8, 8, 2)).astype("f4")

    def round_trip():
        raw, wanted = original(tf, image)
        graph = load(tf, raw)
        with tf.Session(graph=graph) as session:
            got = session.run("out:0", {"image:0": image})
        return close(got, wanted, 0.0, "the loaded graph") | {"bytes": len(raw)}

    def stable():
        raw, _ = original(tf, image)
        again = load(tf, load(tf, raw).as_graph_def().SerializeToString())
        names = [node.name for node in again.as_graph_def().node]
        first = load(tf, raw).as_graph_def()
        expect(names == [node.name for node in first.node], "nodes were lost or moved")
        expect(
            [node.op for node in again.as_graph_def().node] == [node.op for node in first.node],
            "ops have changed",
        )
        return {"nodes": len(names)}

    suite.run("GraphDef there and back", round_trip)
    suite.run("GraphDef twice there and back", stable)
    suite.finish()


if __name__ == "__main__":
    main()
