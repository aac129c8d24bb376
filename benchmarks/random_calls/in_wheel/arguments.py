"""Random arguments by a parameter's name, as JSON: what a person might pass to a function.

Tensors are {"tensor": DTYPE, "shape": [...], "values": KIND, "seed": N}; types are {"dtype": NAME}.
Most calls that are made so are refused; those that the reference takes are kept.
"""


def argument(name, theme):
    """A value for the parameter of that name."""
    pick = theme.chance.choice
    for names, make in _BY_NAME:
        if name in names:
            return make(theme, pick)
    if name.startswith(
        ("is_", "use_", "keep", "adjoint", "transpose", "compute_", "skip_", "has_")
    ):
        return pick((True, False))
    return theme.like()


def _words(theme, shape=None):
    return {**theme.tensor(shape, "string", "words")}


_MATRIX_SHAPES = ([2, 2], [3, 3], [2, 3, 3])
_BY_NAME = (
    (
        (
            "axis",
            "axes",
            "dim",
            "dims",
            "reduction_indices",
            "reduction_axes",
            "split_dim",
            "batch_axis",
        ),
        lambda t, pick: pick((0, 1, -1, None, [0], [0, 1], [-1], 2)),
    ),
    (
        (
            "keepdims",
            "keep_dims",
            "exclusive",
            "reverse",
            "sorted",
            "align_corners",
            "hashed_output",
            "half_pixel_centers",
            "preserve_aspect_ratio",
            "antialias",
            "from_logits",
            "lower",
            "full_matrices",
            "conjugate",
            "validate_indices",
            "left",
            "right",
            "upper",
            "centered",
            "ignore_longer_outputs_than_inputs",
            "ctc_merge_repeated",
            "merge_repeated",
            "preprocess_collapse_repeated",
            "time_major",
            "normalize",
            "nesterov",
        ),
        lambda t, pick: pick((True, False)),
    ),
    (
        (
            "dtype",
            "out_type",
            "output_type",
            "Tidx",
            "T",
            "out_idx",
            "toutput",
            "DstT",
            "Tout",
            "output_dtype",
            "element_dtype",
            "index_type",
        ),
        lambda t, pick: {"dtype": pick(("float32", "float64", "int32", "int64", "complex64"))},
    ),
    (
        (
            "indices",
            "ids",
            "begin",
            "start",
            "seq_lengths",
            "sequence_length",
            "lengths",
            "sequence_lengths",
        ),
        lambda t, pick: pick(
            (
                t.whole(),
                t.whole(t.shape[:1]),
                t.whole([2]),
                t.whole([]),
                t.whole([2, 1]),
                t.whole([2, 2]),
                t.whole([len(t.shape)], 2),
            )
        ),
    ),
    (("segment_ids",), lambda t, pick: {**t.whole(t.shape[:1] or [2]), "values": "rising"}),
    (
        ("labels",),
        lambda t, pick: pick((t.like(), t.whole(), t.whole(t.shape[:-1]), t.whole(t.shape, 2))),
    ),
    (
        ("predictions", "targets"),
        lambda t, pick: pick((t.like(), t.whole(), t.tensor(values="unit"))),
    ),
    (
        (
            "num_segments",
            "num_split",
            "num",
            "k",
            "depth",
            "num_classes",
            "num_lower",
            "num_upper",
            "q",
            "block_size",
            "num_or_size_splits",
            "N",
            "n",
            "shift",
            "depth_radius",
            "radix",
            "bins",
            "nbins",
            "maxlen",
            "num_rows",
            "num_columns",
            "num_cols",
            "batch_dims",
            "seq_dim",
            "seq_axis",
            "batch_dim",
            "diagonal",
            "frame_length",
            "frame_step",
            "fft_length",
            "rank",
            "num_bits",
            "limit",
            "delta",
            "stop",
            "minlength",
            "maxlength",
            "num_buckets",
            "width",
            "padding_length",
            "iterations",
            "target_height",
            "target_width",
            "offset_height",
            "offset_width",
            "nth",
            "cardinality",
        ),
        lambda t, pick: pick((0, 1, 2, 3, 4, -1, [1, 2])),
    ),
    (
        (
            "size",
            "shape",
            "new_shape",
            "output_shape",
            "dense_shape",
            "multiples",
            "dims",
            "crop_size",
            "output_size",
            "shape_x",
            "shape_y",
            "input_shape",
            "input_sizes",
            "filter_sizes",
        ),
        lambda t, pick: pick(
            (
                [2, 2],
                [3, 2],
                [4, 4],
                [6],
                [-1],
                [2, 3],
                [1],
                [1, 2, 2, 1],
                [2, -1],
                [],
                [2] * len(t.shape),
                t.shape,
            )
        ),
    ),
    (
        ("paddings", "crops", "num_padding"),
        lambda t, pick: pick(([[1, 1]] * len(t.shape), [[0, 1]] * len(t.shape), [[0, 0], [1, 1]])),
    ),
    (("perm",), lambda t, pick: pick((None, [1, 0], [0, 2, 1], [1, 2, 0], [0]))),
    (("block_shape",), lambda t, pick: pick(([2, 2], [1, 2], [2]))),
    (("ksize", "window_shape"), lambda t, pick: pick(([1, 2, 2, 1], 2, [2, 2], [1, 3, 2, 1], 3))),
    (
        ("strides", "stride"),
        lambda t, pick: pick(([1, 1, 1, 1], [1, 2, 2, 1], 1, 2, [1, 1], [1, 1, 2, 1])),
    ),
    (
        ("rates", "dilations", "rate", "dilation_rate"),
        lambda t, pick: pick((None, [1, 1, 1, 1], [1, 2, 2, 1], 1, 2, [1, 1])),
    ),
    (
        ("filter", "filters", "depthwise_filter", "kernel"),
        lambda t, pick: pick(
            (
                t.tensor([2, 2, t.shape[-1] if t.shape else 1, 2]),
                t.tensor([2, 2, 2, 3]),
                t.tensor([3, 1, 3, 1]),
                t.tensor([2, 2, 2]),
                t.tensor([1, 2, 2, 2]),
            )
        ),
    ),
    (("pointwise_filter",), lambda t, pick: t.tensor([1, 1, 4, 2])),
    (("padding",), lambda t, pick: pick(("SAME", "VALID", "SAME", "VALID", "same", "valid"))),
    (("data_format",), lambda t, pick: pick(("NHWC", None, "channels_last", "NWC", "NCHW"))),
    (("mode",), lambda t, pick: pick(("CONSTANT", "REFLECT", "SYMMETRIC", "reflect"))),
    (("direction", "side"), lambda t, pick: pick(("ASCENDING", "DESCENDING", "left", "right"))),
    (
        ("method",),
        lambda t, pick: pick((0, 1, 2, 3, "bilinear", "nearest", "lanczos3", "gaussian")),
    ),
    (("ord",), lambda t, pick: pick(("euclidean", 1, 2, "fro", float("inf"), 3))),
    (
        ("condition", "mask", "where", "cond", "weights_mask"),
        lambda t, pick: pick((t.tensor(dtype="bool"), t.tensor(t.shape[:1], "bool"))),
    ),
    (
        ("weights", "sample_weight"),
        lambda t, pick: pick((t.tensor(), 1.0, 2.0, 0.5, t.tensor(t.shape[:1]), t.tensor([]))),
    ),
    (
        ("tensors", "values", "inputs", "xs", "arrays"),
        lambda t, pick: pick(
            ([t.tensor(), t.tensor()], [t.tensor(), t.tensor(), t.tensor()], t.like())
        ),
    ),
    (
        ("matrix", "chol", "lhs"),
        lambda t, pick: t.tensor(list(pick(_MATRIX_SHAPES)), None, "definite"),
    ),
    (("rhs",), lambda t, pick: t.tensor([*pick(_MATRIX_SHAPES)])),
    (
        ("equation",),
        lambda t, pick: pick(("ij,jk->ik", "ij->ji", "ij,ij->", "bij,bjk->bik", "ii->i")),
    ),
    (
        ("image", "images"),
        lambda t, pick: t.tensor(
            pick(([4, 4, 3], [2, 4, 4, 3], [4, 4, 1])), pick((None, "uint8")), pick((None, "unit"))
        ),
    ),
    (
        ("boxes", "bounding_boxes"),
        lambda t, pick: t.tensor(pick(([3, 4], [1, 2, 4])), "float32", "unit"),
    ),
    (("scores",), lambda t, pick: t.tensor([3], "float32", "unit")),
    (("max_output_size",), lambda t, pick: pick((1, 2, 3))),
    (("box_ind", "box_indices"), lambda t, pick: t.whole([3], 1)),
    (
        (
            "epsilon",
            "variance_epsilon",
            "alpha",
            "beta",
            "rho",
            "momentum",
            "decay",
            "label_smoothing",
            "delta_",
            "threshold",
            "iou_threshold",
            "score_threshold",
            "bias_",
            "gamma",
            "contrast_factor",
            "gain",
            "scale_factor",
            "saturation_factor",
            "central_fraction",
            "lower_bound",
            "upper_bound",
            "clip_norm",
            "power",
            "rate_",
            "min_value",
            "max_value",
            "value_min",
            "value_max",
            "default_value",
            "margin",
            "theta",
        ),
        lambda t, pick: pick((0.5, 0.1, 1.0, 0.01, 2.0, 0.0)),
    ),
    (
        (
            "input_string",
            "string_tensor",
            "strings",
            "input_bytes",
            "text",
            "source",
            "string",
            "contents",
        ),
        lambda t, pick: _words(t, pick(([], [3], [2, 2]))),
    ),
    (
        (
            "pattern",
            "delimiter",
            "sep",
            "separator",
            "rewrite",
            "fill",
            "encoding",
            "output_encoding",
            "input_encoding",
            "errors",
            "unit",
            "normalization_form",
        ),
        lambda t, pick: pick(
            (
                "a",
                "",
                " ",
                "[a-c]+",
                "b.",
                "UTF-8",
                "BYTE",
                "UTF8_CHAR",
                "replace",
                r"\0x",
                "UTF-16-BE",
            )
        ),
    ),
    (("precision",), lambda t, pick: pick((-1, 2, 5))),
    (("pos", "len"), lambda t, pick: pick((0, 1, 2, -1))),
)
