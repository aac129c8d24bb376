"""A session lists its devices, and a CPU is among them."""

import probe_tools as probe
from smoke_tools import Suite, expect


def main():
    """List them."""
    tf = probe.load(probe.arguments(__doc__).module)
    suite = Suite()

    def devices():
        with tf.Session(graph=tf.Graph()) as session:
            names = [device.name for device in session.list_devices()]
        expect(any(":CPU:0" in name.upper() for name in names), f"no CPU:0 among {names}")
        return {"devices": " ".join(names)}

    suite.run("device list", devices)
    suite.finish()


if __name__ == "__main__":
    main()
