"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.contrib"

_LAYERS = {
    "layers": (
        "bias_add", "conv1d", "conv2d", "conv2d_transpose", "convolution", "convolution1d",
        "convolution2d", "convolution2d_transpose", "dropout", "embed_sequence", "flatten",
        "fully_connected", "linear", "one_hot_encoding", "relu", "relu6", "repeat",
        "separable_conv2d", "separable_convolution2d", "softmax", "stack",
    ),
    "normalization": (
        "avg_pool2d", "batch_norm", "instance_norm", "layer_norm", "max_pool2d", "unit_norm",
    ),
    "initializers": (
        "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
    ),
    "regularizers": (
        "apply_regularization", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer",
        "sum_regularizer",
    ),
    "optimize": ("optimize_loss",),
    "summaries": (
        "summarize_activation", "summarize_activations", "summarize_biases",
        "summarize_collection", "summarize_tensor", "summarize_tensors", "summarize_variables",
        "summarize_weights",
    ),
}  # fmt: skip
_FRAMEWORK = {
    "arg_scope": (
        "add_arg_scope", "arg_scope", "arg_scope_func_key", "arg_scoped_arguments",
        "current_arg_scope", "has_arg_scope",
    ),
    "variables": (
        "add_model_variable", "assert_same_float_dtype", "get_local_variables",
        "get_model_variables", "get_trainable_variables", "get_unique_variable", "get_variables",
        "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore",
        "local_variable", "model_variable", "variable",
    ),
}  # fmt: skip
_SEQ2SEQ = {
    "attention_wrapper": (
        "AttentionMechanism", "AttentionWrapper", "AttentionWrapperState", "BahdanauAttention",
        "LuongAttention", "hardmax",
    ),
    "beam_search": (
        "BeamSearchDecoder", "BeamSearchDecoderOutput", "BeamSearchDecoderState",
        "FinalBeamSearchDecoderOutput", "gather_tree",
    ),
    "decoders": ("BasicDecoder", "BasicDecoderOutput", "Decoder", "dynamic_decode"),
    "decoding_helpers": (
        "CustomHelper", "GreedyEmbeddingHelper", "Helper", "InferenceHelper",
        "SampleEmbeddingHelper", "ScheduledEmbeddingTrainingHelper", "TrainingHelper",
    ),
    "seq2seq": ("sequence_loss", "tile_batch"),
}  # fmt: skip
_LEGACY = {
    "legacy_seq2seq": (
        "attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder",
        "embedding_attention_seq2seq", "embedding_rnn_decoder", "embedding_rnn_seq2seq",
        "model_with_buckets", "rnn_decoder", "sequence_loss", "sequence_loss_by_example",
    ),
}  # fmt: skip
_CRF = {
    "crf": (
        "crf_binary_score", "crf_decode", "crf_log_likelihood", "crf_log_norm",
        "crf_sequence_score", "crf_unary_score", "viterbi_decode",
    ),
}  # fmt: skip
_LOSSES = (
    "cosine_distance", "hinge_loss", "log_loss", "mean_squared_error", "sigmoid_cross_entropy",
    "softmax_cross_entropy", "sparse_softmax_cross_entropy",
)  # fmt: skip
_STEPS = ("create_global_step", "get_global_step", "get_or_create_global_step", "global_step")


def _below(prefix: str, modules: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {f"contrib.{prefix}.{name}": f"{_PLACE}.{module}:{name}"
            for module, names in modules.items() for name in names}  # fmt: skip


EXPORTS = {
    **_below("layers", _LAYERS),
    **_below("framework", _FRAMEWORK),
    **{f"contrib.framework.{name}": f"tfbuild_runtime.train.global_step:{name}"
       for name in _STEPS},
    "contrib.slim": f"{_PLACE}.slim:",
    "contrib.training.HParams": f"{_PLACE}.hparams:HParams",
    "contrib.opt.ScipyOptimizerInterface": f"{_PLACE}.scipy_optimizer:ScipyOptimizerInterface",
    **_below("seq2seq", _SEQ2SEQ),
    **_below("legacy_seq2seq", _LEGACY),
    **_below("crf", _CRF),
    **{f"nn.seq2seq.{name}": f"{_PLACE}.legacy_seq2seq:{name}"
       for name in _LEGACY["legacy_seq2seq"]},
    **{f"contrib.{name}.python": f"{_PLACE}.folders:{name}"
       for name in ("crf", "framework", "layers", "legacy_seq2seq", "losses", "opt", "rnn",
                    "seq2seq", "training")},
    "contrib.layers.utils": f"{_PLACE}.utils:",
    **{f"contrib.losses.{name}": f"{_PLACE}.slim_losses:{name}" for name in _LOSSES},
    **{f"contrib.losses.{name}": f"tfbuild_runtime.ops.losses:{name}"
       for name in ("add_loss", "compute_weighted_loss", "get_losses",
                    "get_regularization_losses", "get_total_loss")},
    **{f"contrib.learn.preprocessing.{name}": f"{_PLACE}.vocabulary:{name}"
       for name in ("CategoricalVocabulary", "VocabularyProcessor", "tokenizer")},
    "contrib.tensorboard.plugins.projector.visualize_embeddings":
        f"{_PLACE}.projector:visualize_embeddings",
    **{f"contrib.tensorboard.plugins.projector.{name}": f"tfbuild_runtime.protos.messages:{name}"
       for name in ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")},
}  # fmt: skip
