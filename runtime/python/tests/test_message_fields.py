"""The fields of messages against TensorFlow 2.21's, which tensorflow_messages.json has."""

import json
from pathlib import Path

import pytest
import tensorflow_messages

THEIRS = json.loads(Path(__file__).with_name("tensorflow_messages.json").read_text("utf-8"))
# What only the runtime has, and messages of TensorBoard's.
OWN = {
    "tensorflow.RunMetadata.PassReport", "tensorflow.RunMetadata.PeakBytesEntry",
    "tensorflow.EmbeddingInfo", "tensorflow.ProjectorConfig", "tensorflow.SpriteMetadata",
}  # fmt: skip
OWN_FIELDS = {"tensorflow.RunMetadata": {"passes", "peak_bytes", "untraced_runs"}}


def test_messages_and_enumerations_are_those_of_tensorflow():
    assert set(tensorflow_messages.ours()) - OWN == set(THEIRS)


def test_every_field_is_as_tensorflow_has_it():
    ours = tensorflow_messages.ours()
    for name, fields in THEIRS.items():
        own = OWN_FIELDS.get(name, set())
        assert {field: row for field, row in ours[name].items() if field not in own} == fields, name


@pytest.mark.tensorflow
def test_the_file_is_what_tensorflow_says(tensorflow, tmp_path):
    names = tmp_path / "here.json"
    names.write_text(json.dumps(list(THEIRS)))
    script = Path(tensorflow_messages.__file__).read_text(encoding="utf-8")
    assert json.loads(tensorflow(script, "tensorflow", str(names))) == THEIRS
