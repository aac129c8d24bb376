"""Modules of TensorFlow's own that have nothing but what the named places of the runtime have.

As in internal: modules of the runtime, and with a dot before them namespaces of tf; a star stands
for the module's own name.
"""

# Packages, where the names of their modules are looked for, and the modules.
_BY_PACKAGE = (
    (
        "python.client",
        ".",
        "notebook",
    ),
    (
        "python.data.ops",
        "data.readers .data",
        "readers",
    ),
    (
        "python.data.util",
        "data.structure ops.public_nest .data",
        "nest sparse",
    ),
    (
        "python.eager",
        "framework.behavior",
        "context function",
    ),
    (
        "python.estimator",
        ".estimator.* .estimator",
        "estimator exporter inputs model_fn run_config training util",
    ),
    (
        "python.estimator.canned",
        ".estimator",
        "dnn linear",
    ),
    (
        "python.estimator.export",
        ".estimator.export",
        "export export_lib export_output",
    ),
    (
        "python.estimator.inputs",
        ".estimator.inputs",
        "inputs numpy_io pandas_io",
    ),
    (
        "python.feature_column",
        ".feature_column",
        "feature_column feature_column_lib",
    ),
    (
        "python.framework",
        "gradients.defun",
        "function",
    ),
    (
        "python.framework",
        "ops.smart",
        "smart_cond",
    ),
    (
        "python.framework",
        "train.meta_graph .train",
        "meta_graph",
    ),
    (
        "python.framework",
        "framework.composite framework.sparse_tensor",
        ("composite_tensor framework_lib sparse_tensor tensor_conversion_registry tensor_spec"),
    ),
    (
        "python.keras",
        ".keras.*",
        (
            "activations applications backend callbacks constraints datasets initializers "
            "layers losses metrics models optimizers preprocessing regularizers utils"
        ),
    ),
    (
        "python.keras.engine",
        ".keras .keras.layers layers.base",
        "base_layer input_layer input_spec network sequential training",
    ),
    (
        "python.keras.layers",
        ".keras.layers",
        (
            "advanced_activations convolutional core embeddings local merge noise "
            "normalization pooling recurrent wrappers"
        ),
    ),
    (
        "python.keras.utils",
        ".keras.utils layers.volumes",
        "conv_utils data_utils generic_utils np_utils",
    ),
    (
        "python.lib.io",
        ".python_io .io",
        "python_io tf_record",
    ),
    (
        "python.ops",
        (".signal .bitwise .math .nn .image .io .strings .sets .random .linalg .sparse .summary"),
        (
            "batch_ops bitwise_ops candidate_sampling_ops check_ops constant_op "
            "custom_gradient gradient_checker histogram_ops image_ops_impl io_ops manip_ops "
            "map_fn math_ops_impl nn_fused_batch_norm numerics parsing_ops session_ops sets "
            "sets_impl sort_ops sparse_grad special_math_ops spectral_ops string_ops "
            "summary_ops unconnected_gradients"
        ),
    ),
    (
        "python.ops.distributions",
        ".distributions distributions.util distributions.special_math",
        (
            "bernoulli beta categorical dirichlet dirichlet_multinomial distribution "
            "distributions exponential gamma kullback_leibler laplace multinomial normal "
            "student_t uniform"
        ),
    ),
    (
        "python.ops.linalg",
        ".linalg",
        (
            "linear_operator linear_operator_block_diag linear_operator_circulant "
            "linear_operator_composition linear_operator_diag linear_operator_full_matrix "
            "linear_operator_identity linear_operator_kronecker "
            "linear_operator_low_rank_update linear_operator_lower_triangular "
            "linear_operator_toeplitz linear_operator_zeros"
        ),
    ),
    (
        "python.ops.losses",
        ".losses",
        "losses_impl util",
    ),
    (
        "python.ops",
        ".metrics metrics.metric_ops",
        "metrics_impl",
    ),
    (
        "python.ops.ragged",
        ".ragged",
        (
            "ragged_array_ops ragged_conversion_ops ragged_factory_ops ragged_functional_ops "
            "ragged_gather_ops ragged_math_ops ragged_string_ops ragged_tensor "
            "ragged_tensor_value"
        ),
    ),
    (
        "python.platform",
        ".sysconfig .test .resource_loader",
        "benchmark build_info resource_loader status_bar sysconfig",
    ),
    (
        "python.saved_model",
        ".saved_model.* .saved_model .saved_model.signature_def_utils",
        (
            "builder builder_impl constants loader loader_impl main_op main_op_impl "
            "saved_model signature_constants signature_def_utils signature_def_utils_impl "
            "simple_save tag_constants utils utils_impl"
        ),
    ),
    (
        "python.summary",
        ".summary .train",
        "summary summary_iterator",
    ),
    (
        "python.summary.writer",
        ".summary",
        "event_file_writer writer writer_cache",
    ),
    (
        "python.training",
        ".train ops.generated_ops",
        (
            "adadelta adagrad adagrad_da adam basic_loops checkpoint_utils coordinator "
            "device_setter ftrl gen_training_ops gradient_descent input learning_rate_decay "
            "momentum proximal_adagrad proximal_gradient_descent queue_runner "
            "queue_runner_impl rmsprop server_lib session_manager slot_creator summary_io "
            "supervisor sync_replicas_optimizer training_ops warm_starting_util"
        ),
    ),
    (
        "python.util",
        "platform.decorators",
        "deprecation keyword_args lazy_loader tf_contextlib",
    ),
)

ALIKE = {
    f"{package}.{name}": places.replace("*", name)
    for package, places, names in _BY_PACKAGE
    for name in names.split()
}

# Single names of these modules that are called otherwise here.
RENAMED = {
    "python.framework.ops.internal_convert_to_tensor": "framework.ops:convert_to_tensor",
    "python.framework.tensor_util.MakeNdarray": "protos.tensor_messages:make_ndarray",
    "python.framework.test_util.TensorFlowTestCase": "platform.test:TestCase",
    "python.ops.math_ops.batch_matmul": "ops.linalg_ops:matmul",
    "python.ops.rnn._transpose_batch_time": "ops.reverse_ops:transpose_batch_time",
}
