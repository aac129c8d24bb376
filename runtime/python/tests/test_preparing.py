"""What programs prepare data with: words as numbers, tables, projections."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_words_become_numbers(tmp_path):
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    texts = ["some words here", "words it's HTTPServer", ""]
    rows = np.array(list(processor.fit_transform(texts)))
    assert rows.tolist() == [[1, 2, 3, 0], [2, 4, 5, 6], [0, 0, 0, 0]]
    assert rows.dtype == np.int64
    assert list(processor.reverse(rows[1:2])) == ["words it's HTTP Server"]
    assert next(processor.transform(["here unknown"])).tolist() == [3, 0, 0, 0]
    processor.save(tmp_path / "words")
    again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(tmp_path / "words")
    assert len(again.vocabulary_) == 7
    assert list(again.transform(texts))[1].tolist() == [2, 4, 5, 6]
    (tmp_path / "words").write_bytes(b"\x80\x04pickled")
    with pytest.raises(ValueError, match="no vocabulary"):
        tf.contrib.learn.preprocessing.VocabularyProcessor.restore(tmp_path / "words")


def test_rare_words_are_left_out_and_frequent_ones_come_first():
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    rows = list(processor.fit_transform(["b a c", "b a", "b"]))
    assert [row.tolist() for row in rows] == [[1, 2, 0], [1, 2, 0], [1, 0, 0]]


def test_tables_are_read(tmp_path):
    base = tf.contrib.learn.datasets.base
    file = tmp_path / "table.csv"
    file.write_text("2,3,a,b\n1,2,3,0\n4,5,6,1\n")
    table = base.load_csv_with_header(str(file), np.int32, np.float32)
    assert (table.data.tolist(), table.target.tolist()) == ([[1, 2, 3], [4, 5, 6]], [0, 1])
    assert (table.data.dtype, table.target.dtype) == (np.float32, np.int32)
    file.write_text("1,2\n3,4\n")
    table = base.load_csv_without_header(str(file), np.int32, np.float32, target_column=0)
    assert (table.data.tolist(), table.target.tolist()) == ([[2], [4]], [1, 3])
    file.write_text("9,3,a\n1,2,3,0\n")
    with pytest.raises(ValueError, match="not \\(9, 3\\)"):
        base.load_csv_with_header(str(file), np.int32, np.float32)


def test_embeddings_are_given_to_tensorboard(tmp_path):
    from tfbuild_runtime.contrib.projector import visualize_embeddings

    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    shown = config.embeddings.add(tensor_name="words:0", metadata_path="words.tsv")
    shown.sprite.single_image_dim.extend([28, 28])
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    text = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_name: "words:0"' in text
    assert text.count("single_image_dim: 28") == 2
    config.embeddings.add()
    with pytest.raises(ValueError, match="tensor_name or a tensor_path"):
        visualize_embeddings(str(tmp_path), config)


def test_activations_are_summarised(run):
    outputs = tf.nn.relu6(tf.constant([[-1.0, 2.0, 7.0, 8.0]]), name="cut")
    summary = tf.contrib.layers.summarize_activation(outputs)
    assert summary.op.name == "cut/activation"
    summaries = tf.Summary.FromString(run(tf.summary.merge_all()))
    values = {value.tag: value.simple_value for value in summaries.value}
    assert values["cut/zeros"] == 0.25
    assert values["cut/sixes"] == 0.5
    with tf.variable_scope("net"):
        tf.get_variable("w", [2, 2])
    tf.contrib.layers.summarize_variables("net")
    assert "net/w" in [op.name for op in tf.get_default_graph().get_operations()]
