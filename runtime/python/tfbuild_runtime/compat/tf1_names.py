"""Names of TensorFlow 1 that may be missing here, by namespace, so that messages can know them."""

NAMES = {
    "": (
        "Assert COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION ConditionalAccumulator "
        "ConditionalAccumulatorBase CriticalSection DeviceSpec Event FIFOQueue FixedLenFeature "
        "FixedLenSequenceFeature FixedLengthRecordReader GIT_VERSION GRAPH_DEF_VERSION "
        "GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER GradientTape "
        "HistogramProto IdentityReader IndexedSlicesSpec LMDBReader LogMessage MONOLITHIC_BUILD "
        "MetaGraphDef Module NameAttrList NoneTensorSpec OptionalSpec PaddingFIFOQueue Print "
        "PriorityQueue QUANTIZED_DTYPES QueueBase RandomShuffleQueue ReaderBase SessionLog "
        "SparseConditionalAccumulator SparseFeature SparseTensor SparseTensorSpec "
        "SparseTensorValue Summary SummaryMetadata TFRecordReader TextLineReader TypeSpec "
        "VarLenFeature VariableAggregation VariableSynchronization WholeFileReader acos acosh "
        "add_check_numerics_ops angle app approx_top_k arg_max arg_min argsort as_string asin "
        "asinh assert_equal assert_greater assert_greater_equal assert_integer assert_less "
        "assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive "
        "assert_none_equal assert_positive assert_proper_iterable assert_rank "
        "assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar assert_type "
        "assert_variables_initialized atan atan2 atanh audio autograph batch_gather "
        "batch_scatter_update batch_svd batch_to_space batch_to_space_nd betainc bincount "
        "bitcast bitwise broadcast_dynamic_shape broadcast_static_shape check_numerics "
        "check_pinned cholesky cholesky_solve clip_by_average_norm complex complex128 complex64 "
        "concat_v2 confusion_matrix conj container control_flow_v2_enabled conv "
        "conv2d_backprop_filter_v2 conv2d_backprop_input_v2 convert_to_tensor_or_sparse_tensor "
        "cosh count_nonzero create_partitioned_variables cross custom_gradient data debugging "
        "decode_base64 decode_compressed decode_csv decode_json_example decode_raw "
        "delete_session_tensor depth_to_space dequantize deserialize_many_sparse diag diag_part "
        "digamma dimension_at_index dimension_value disable_control_flow_v2 distribute "
        "distributions edit_distance einsum enable_control_flow_v2 enable_tensor_equality "
        "encode_base64 ensure_shape erfc executing_eagerly_outside_functions "
        "extract_image_patches extract_volume_patches eye fake_quant_with_min_max_args "
        "fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient feature_column fft fft2d fft3d fftnd "
        "fingerprint fixed_size_partitioner flags floor_div function get_logger "
        "get_session_handle get_session_tensor gfile grad_pass_through hessians "
        "histogram_fixed_width histogram_fixed_width_bins histogram_summary identity_n ifft "
        "ifft2d ifft3d ifftnd igamma igammac imag image image_summary init_scope "
        "initialize_all_tables initialize_local_variables initialize_variables io irfftnd "
        "is_non_decreasing is_numeric_tensor is_strictly_increasing is_symbolic_tensor is_tensor "
        "lbeta lgamma lin_space linspace lite load_file_system_library load_library "
        "load_op_library logging lookup make_ndarray make_template make_tensor_proto manip "
        "matching_files matrix_band_part matrix_determinant matrix_diag matrix_diag_part "
        "matrix_inverse matrix_set_diag matrix_solve matrix_solve_ls matrix_square_root "
        "matrix_triangular_solve merge_all_summaries merge_summary meshgrid metrics "
        "min_max_variable_partitioner mixed_precision mul multinomial no_gradient no_regularizer "
        "nondifferentiable_batch_function norm numpy_function op_scope orthogonal_initializer "
        "pack parallel_stack parse_example parse_single_example parse_single_sequence_example "
        "parse_tensor placeholders polygamma print profiler py_func py_function python_io qint16 "
        "qint32 qint8 qr quantization quantize quantize_v2 quantized_concat queue quint16 quint8 "
        "random_crop random_gamma random_index_shuffle random_poisson read_file real realdiv "
        "recompute_grad reduce_join regex_replace repeat required_space_to_batch_paddings "
        "resource resource_loader reverse_sequence rfftnd rint roll saved_model scalar_summary "
        "searchsorted segment_max segment_mean segment_min segment_prod segment_sum select "
        "self_adjoint_eig self_adjoint_eigvals sequence_mask serialize_many_sparse "
        "serialize_sparse serialize_tensor setdiff1d sets signal sinh sort space_to_batch "
        "space_to_batch_nd space_to_depth sparse sparse_add sparse_concat sparse_fill_empty_rows "
        "sparse_mask sparse_maximum sparse_merge sparse_minimum sparse_placeholder "
        "sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse "
        "sparse_reorder sparse_reset_shape sparse_reshape sparse_retain sparse_segment_mean "
        "sparse_segment_sqrt_n sparse_segment_sum sparse_slice sparse_softmax sparse_split "
        "sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense sparse_to_indicator "
        "sparse_transpose spectral string_join string_split string_strip string_to_hash_bucket "
        "string_to_hash_bucket_fast string_to_hash_bucket_strong string_to_number strings sub "
        "substr summary svd switch_case tables_initializer tan tensor_scatter_add "
        "tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub "
        "tensor_scatter_nd_update tensor_scatter_sub tensor_scatter_update tensordot timestamp "
        "to_bfloat16 to_complex128 to_complex64 trace truncatediv truncatemod "
        "type_spec_from_value types uint16 uint32 uint64 uniform_unit_scaling_initializer "
        "unravel_index unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
        "unsorted_segment_prod unsorted_segment_sqrt_n user_ops variable_axis_size_partitioner "
        "variable_creator_scope variable_op_scope variant vectorized_map "
        "verify_tensor_all_finite version wrap_function write_file zeta"
    ),
    "app": "flags run",
    "app.flags": "DEFINE_bool DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string FLAGS",
    "bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "compat": "as_bytes as_str as_text",
    "contrib": "eager learn slim",
    "contrib.boosted_trees.estimator_batch": "estimator",
    "contrib.boosted_trees.proto": "learner_pb2",
    "contrib.cluster_resolver": "TPUClusterResolver",
    "contrib.crf": "crf_log_likelihood viterbi_decode",
    "contrib.cudnn_rnn": "CudnnLSTM RNNParamsSaveable",
    "contrib.data": (
        "TFRecordDataset batch_and_drop_remainder group_by_window map_and_batch "
        "parallel_interleave prefetch_to_device shuffle_and_repeat"
    ),
    "contrib.data.Dataset": "from_tensor_slices",
    "contrib.data.Iterator": "from_structure",
    "contrib.distributions": "Normal",
    "contrib.eager": "Iterator Variable enable_eager_execution implicit_value_and_gradients",
    "contrib.estimator": "TowerOptimizer replicate_model_fn",
    "contrib.factorization": "KMeans",
    "contrib.framework": (
        "add_arg_scope arg_scope get_global_step get_variables list_variables load_checkpoint"
    ),
    "contrib.framework.nest": "assert_same_structure is_sequence map_structure",
    "contrib.framework.python": "ops",
    "contrib.graph_editor": (
        "add_control_inputs copy_with_input_replacements filter_ts filter_ts_from_regex "
        "get_backward_walk_ops get_forward_walk_ops reroute_ts select_ops sgv"
    ),
    "contrib.image.python": "ops",
    "contrib.layers": (
        "apply_regularization batch_norm conv2d convolution2d dropout flatten fully_connected "
        "instance_norm l2_regularizer layer_norm linear optimize_loss summarize_activation "
        "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d"
    ),
    "contrib.layers.python": "layers",
    "contrib.learn": "Experiment RunConfig",
    "contrib.learn.ModeKeys": "EVAL INFER TRAIN",
    "contrib.learn.datasets": "base",
    "contrib.learn.learn_runner": "run",
    "contrib.learn.preprocessing": "VocabularyProcessor",
    "contrib.learn.python": "learn",
    "contrib.legacy_seq2seq": (
        "embedding_attention_seq2seq embedding_rnn_seq2seq model_with_buckets rnn_decoder "
        "sequence_loss sequence_loss_by_example"
    ),
    "contrib.metrics": "streaming_mean_iou",
    "contrib.opt": "ScipyOptimizerInterface",
    "contrib.rnn": (
        "BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMBlockCell LSTMCell "
        "LSTMStateTuple LayerNormBasicLSTMCell MultiRNNCell NASCell RNNCell ResidualWrapper "
        "stack_bidirectional_dynamic_rnn static_bidirectional_rnn static_rnn"
    ),
    "contrib.rnn.core_rnn_cell": "BasicLSTMCell DropoutWrapper MultiRNNCell",
    "contrib.seq2seq": (
        "AttentionWrapper AttentionWrapperState BahdanauAttention BasicDecoder BeamSearchDecoder "
        "GreedyEmbeddingHelper LuongAttention SampleEmbeddingHelper TrainingHelper "
        "attention_decoder_fn_inference attention_decoder_fn_train dynamic_decode "
        "dynamic_rnn_decoder prepare_attention sequence_loss simple_decoder_fn_inference "
        "simple_decoder_fn_train tile_batch"
    ),
    "contrib.seq2seq.python": "ops",
    "contrib.slim": (
        "add_arg_scope arg_scope arg_scope_func_key avg_pool2d batch_norm conv2d "
        "conv2d_transpose dropout flatten fully_connected get_model_variables get_variables "
        "l2_regularizer max_pool2d repeat separable_conv2d xavier_initializer_conv2d"
    ),
    "contrib.slim.initializers": "xavier_initializer",
    "contrib.slim.learning": "create_train_op",
    "contrib.slim.losses": "sigmoid_cross_entropy sparse_softmax_cross_entropy",
    "contrib.slim.model_analyzer": "analyze_vars",
    "contrib.slim.prefetch_queue": "prefetch_queue",
    "contrib.slim.python": "slim",
    "contrib.staging": "StagingArea",
    "contrib.tensor_forest.python": "tensor_forest",
    "contrib.tensorboard.plugins": "projector",
    "contrib.tpu": "CrossShardOptimizer RunConfig TPUConfig TPUEstimator TPUEstimatorSpec",
    "contrib.tpu.InputPipelineConfig": "PER_HOST_V2",
    "contrib.training": "GreedyLoadBalancingStrategy HParams byte_size_load_fn",
    "data": (
        "AUTOTUNE Dataset DatasetSpec FixedLengthRecordDataset INFINITE_CARDINALITY Iterator "
        "NumpyIterator Options TFRecordDataset TextLineDataset ThreadingOptions "
        "UNKNOWN_CARDINALITY experimental get_output_classes get_output_shapes get_output_types "
        "make_initializable_iterator make_one_shot_iterator"
    ),
    "data.experimental": "map_and_batch parallel_interleave shuffle_and_repeat",
    "distributions": (
        "Bernoulli Beta Categorical Dirichlet DirichletMultinomial Distribution Exponential "
        "FULLY_REPARAMETERIZED Gamma Laplace Multinomial NOT_REPARAMETERIZED Normal RegisterKL "
        "ReparameterizationType StudentT Uniform kl_divergence"
    ),
    "dtypes": (
        "QUANTIZED_DTYPES as_string cast complex complex128 complex64 experimental qint16 qint32 "
        "qint8 quint16 quint8 resource saturate_cast uint16 uint32 uint64 variant"
    ),
    "errors": "raise_exception_on_not_ok_status",
    "estimator": (
        "DNNClassifier DNNLinearCombinedClassifier Estimator EstimatorSpec EvalSpec "
        "LinearClassifier ModeKeys RunConfig TrainSpec train_and_evaluate"
    ),
    "estimator.export": "PredictOutput build_raw_serving_input_receiver_fn",
    "estimator.inputs": "numpy_input_fn",
    "examples.tutorials.mnist.input_data": "read_data_sets",
    "feature_column": (
        "bucketized_column categorical_column_with_hash_bucket "
        "categorical_column_with_vocabulary_list crossed_column embedding_column "
        "indicator_column numeric_column"
    ),
    "flags": "DEFINE_bool DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string FLAGS",
    "gfile": (
        "Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs "
        "MkDir Open Remove Rename Stat Walk"
    ),
    "graph_util": "import_graph_def must_run_on_cpu tensor_shape_from_node_def_name",
    "image": (
        "ResizeMethod adjust_brightness adjust_contrast adjust_gamma adjust_hue "
        "adjust_jpeg_quality adjust_saturation central_crop combined_non_max_suppression "
        "convert_image_dtype crop_and_resize crop_to_bounding_box decode_and_crop_jpeg "
        "decode_bmp decode_gif decode_image decode_jpeg decode_jxl decode_png decode_webp "
        "draw_bounding_boxes encode_jpeg encode_png extract_glimpse extract_image_patches "
        "extract_jpeg_shape extract_patches flip_left_right flip_up_down "
        "generate_bounding_box_proposals grayscale_to_rgb hsv_to_rgb image_gradients is_jpeg "
        "non_max_suppression non_max_suppression_overlaps non_max_suppression_padded "
        "non_max_suppression_with_scores pad_to_bounding_box per_image_standardization "
        "per_image_whitening psnr random_brightness random_contrast random_crop "
        "random_flip_left_right random_flip_up_down random_hue random_jpeg_quality "
        "random_saturation resize resize_area resize_bicubic resize_bilinear "
        "resize_image_with_crop_or_pad resize_image_with_pad resize_images "
        "resize_nearest_neighbor resize_with_crop_or_pad rgb_to_grayscale rgb_to_hsv rgb_to_yiq "
        "rgb_to_yuv rot90 sample_distorted_bounding_box sobel_edges ssim ssim_multiscale "
        "total_variation transpose transpose_image yiq_to_rgb yuv_to_rgb"
    ),
    "initializers": (
        "global_variables local_variables orthogonal tables_initializer uniform_unit_scaling "
        "variables"
    ),
    "io": (
        "FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue QueueBase "
        "RaggedFeature RandomShuffleQueue SparseFeature TFRecordCompressionType TFRecordOptions "
        "TFRecordWriter VarLenFeature decode_and_crop_jpeg decode_base64 decode_bmp "
        "decode_compressed decode_csv decode_gif decode_image decode_jpeg decode_json_example "
        "decode_jxl decode_png decode_proto decode_raw decode_webp deserialize_many_sparse "
        "encode_base64 encode_jpeg encode_png encode_proto extract_jpeg_shape gfile is_jpeg "
        "match_filenames_once matching_files parse_example parse_sequence_example "
        "parse_single_example parse_single_sequence_example parse_tensor read_file "
        "serialize_many_sparse serialize_sparse serialize_tensor tf_record_iterator write_file "
        "write_graph"
    ),
    "keras.backend": "ctc_label_dense_to_sparse epsilon floatx set_floatx",
    "keras.initializers": "glorot_normal glorot_uniform",
    "keras.layers": "Input",
    "layers": (
        "BatchNormalization Conv2D Dense Dropout MaxPooling2D batch_normalization conv1d "
        "conv2d_transpose separable_conv2d"
    ),
    "linalg": (
        "LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag "
        "LinearOperatorBlockLowerTriangular LinearOperatorCirculant LinearOperatorCirculant2D "
        "LinearOperatorCirculant3D LinearOperatorComposition LinearOperatorDiag "
        "LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity "
        "LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate "
        "LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity "
        "LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros adjoint band_part "
        "cholesky cholesky_solve cross det diag diag_part eigh eigh_tridiagonal eigvalsh einsum "
        "experimental expm eye global_norm inv l2_normalize logdet logm lstsq lu "
        "lu_matrix_inverse lu_reconstruct lu_solve matrix_rank matrix_transpose matvec norm "
        "normalize pinv qr set_diag slogdet solve sqrtm svd tensor_diag tensor_diag_part "
        "tensordot trace triangular_solve tridiagonal_matmul tridiagonal_solve"
    ),
    "logging": (
        "DEBUG ERROR FATAL INFO TaskLevelStatusMessage WARN debug error fatal flush "
        "get_verbosity info log log_every_n log_first_n log_if set_verbosity vlog warn warning"
    ),
    "losses": "mean_pairwise_squared_error",
    "manip": ("batch_to_space_nd gather_nd reshape reverse roll scatter_nd space_to_batch_nd tile"),
    "math": (
        "acos acosh angle approx_max_k approx_min_k asin asinh atan atan2 atanh bessel_i0 "
        "bessel_i0e bessel_i1 bessel_i1e betainc bincount confusion_matrix conj cosh "
        "count_nonzero cumulative_logsumexp digamma divide_no_nan erfc erfcinv erfinv igamma "
        "igammac imag in_top_k invert_permutation is_non_decreasing is_strictly_increasing lbeta "
        "lgamma log_softmax mod multiply_no_nan ndtri nextafter polygamma polyval real "
        "reciprocal_no_nan reduce_euclidean_norm reduce_std reduce_variance rint segment_max "
        "segment_mean segment_min segment_prod segment_sum sinh sobol_sample softmax softplus "
        "softsign special tan unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
        "unsorted_segment_prod unsorted_segment_sqrt_n xdivy xlog1py xlogy zero_fraction zeta"
    ),
    "metrics": (
        "accuracy auc average_precision_at_k false_negatives false_negatives_at_thresholds "
        "false_positives false_positives_at_thresholds mean mean_absolute_error "
        "mean_cosine_distance mean_iou mean_per_class_accuracy mean_relative_error "
        "mean_squared_error mean_tensor percentage_below precision precision_at_k "
        "precision_at_thresholds precision_at_top_k recall recall_at_k recall_at_thresholds "
        "recall_at_top_k root_mean_squared_error sensitivity_at_specificity "
        "sparse_average_precision_at_k sparse_precision_at_k specificity_at_sensitivity "
        "true_negatives true_negatives_at_thresholds true_positives true_positives_at_thresholds"
    ),
    "nn": (
        "all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose "
        "avg_pool_v2 batch_norm_with_global_normalization bidirectional_dynamic_rnn "
        "collapse_repeated compute_accidental_hits compute_average_loss conv1d conv1d_transpose "
        "conv3d_backprop_filter conv3d_backprop_filter_v2 conv3d_transpose conv_transpose "
        "convolution crelu ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder "
        "ctc_loss ctc_loss_v2 ctc_unique_labels deconv2d depth_to_space depthwise_conv2d "
        "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input "
        "depthwise_conv2d_native depthwise_conv2d_native_backprop_filter "
        "depthwise_conv2d_native_backprop_input dilation2d dynamic_rnn embedding_lookup_sparse "
        "erosion2d experimental fixed_unigram_candidate_sampler fractional_avg_pool "
        "fractional_max_pool fused_batch_norm in_top_k l1_loss learned_unigram_candidate_sampler "
        "local_response_normalization log_poisson_loss log_uniform_candidate_sampler lrn "
        "max_pool_v2 max_pool_with_argmax nce_loss normalize_moments pool quantized_avg_pool "
        "quantized_conv2d quantized_max_pool quantized_relu_x raw_rnn relu_layer rnn_cell "
        "safe_embedding_lookup_sparse sampled_softmax_loss scale_regularization_loss selu "
        "separable_conv2d space_to_batch space_to_depth static_bidirectional_rnn static_rnn "
        "static_state_saving_rnn sufficient_statistics uniform_candidate_sampler "
        "weighted_moments with_space_to_batch"
    ),
    "nn.rnn_cell": (
        "BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell "
        "RNNCell"
    ),
    "nn.seq2seq": "embedding_attention_seq2seq model_with_buckets",
    "profiler": "ProfileOptionBuilder Profiler",
    "python_io": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
    "queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "random": (
        "Algorithm Generator all_candidate_sampler categorical create_rng_state experimental "
        "fixed_unigram_candidate_sampler fold_in gamma get_global_generator "
        "learned_unigram_candidate_sampler log_uniform_candidate_sampler multinomial poisson "
        "set_global_generator split stateless_binomial stateless_categorical stateless_gamma "
        "stateless_multinomial stateless_normal stateless_parameterized_truncated_normal "
        "stateless_poisson stateless_truncated_normal stateless_uniform "
        "uniform_candidate_sampler"
    ),
    "saved_model": (
        "ASSETS_DIRECTORY ASSETS_KEY Asset Builder CLASSIFY_INPUTS CLASSIFY_METHOD_NAME "
        "CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB "
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU LEGACY_INIT_OP_KEY MAIN_OP_KEY PREDICT_INPUTS "
        "PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS "
        "SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING "
        "SaveOptions TPU TRAINING VARIABLES_DIRECTORY VARIABLES_FILENAME build_signature_def "
        "build_tensor_info builder classification_signature_def constants contains_saved_model "
        "experimental get_tensor_from_tensor_info is_valid_signature load load_v2 loader main_op "
        "main_op_with_restore maybe_saved_model_directory predict_signature_def "
        "regression_signature_def save signature_constants signature_def_utils simple_save "
        "tag_constants utils"
    ),
    "sparse": (
        "SparseConditionalAccumulator SparseTensor add bincount concat cross cross_hashed "
        "expand_dims eye fill_empty_rows from_dense mask matmul maximum merge minimum "
        "placeholder reduce_max reduce_max_sparse reduce_sum reduce_sum_sparse reorder "
        "reset_shape reshape retain segment_mean segment_sqrt_n segment_sum slice softmax "
        "sparse_dense_matmul split to_dense to_indicator transpose"
    ),
    "strings": (
        "as_string bytes_split format join length lower ngrams reduce_join regex_full_match "
        "regex_replace split strip substr to_hash_bucket to_hash_bucket_fast "
        "to_hash_bucket_strong to_number unicode_decode unicode_decode_with_offsets "
        "unicode_encode unicode_script unicode_split unicode_split_with_offsets "
        "unicode_transcode unsorted_segment_join upper"
    ),
    "summary": (
        "Event FileWriter FileWriterCache SessionLog Summary SummaryDescription "
        "TaggedRunMetadata all_v2_summary_ops audio get_summary_description histogram image "
        "initialize merge merge_all scalar tensor_summary text"
    ),
    "test": (
        "Benchmark StubOutForTesting TestCase assert_equal_graph_def benchmark_config "
        "create_local_cluster disable_with_predicate experimental get_temp_dir "
        "is_built_with_gpu_support is_built_with_rocm is_built_with_xla is_cpu_target_available "
        "main mock test_src_dir_path with_eager_op_as_function"
    ),
    "train": (
        "AdadeltaOptimizer AdagradDAOptimizer BytesList Checkpoint CheckpointManager "
        "CheckpointOptions CheckpointSaverHook CheckpointSaverListener ChiefSessionCreator "
        "ClusterDef ClusterSpec Coordinator Example ExponentialMovingAverage Feature FeatureList "
        "FeatureLists Features FeedFnHook FinalOpsHook FloatList FtrlOptimizer "
        "GlobalStepWaiterHook Int64List JobDef LoggingTensorHook LooperThread MonitoredSession "
        "MonitoredTrainingSession NanLossDuringTrainingError NanTensorHook NewCheckpointReader "
        "ProfilerHook ProximalAdagradOptimizer ProximalGradientDescentOptimizer QueueRunner "
        "SaverDef Scaffold SecondOrStepTimer SequenceExample Server ServerDef SessionCreator "
        "SessionManager SessionRunArgs SessionRunContext SessionRunHook SessionRunValues "
        "SingularMonitoredSession StepCounterHook StopAtStepHook SummarySaverHook SummaryWriter "
        "Supervisor SyncReplicasOptimizer VocabInfo WorkerSessionCreator add_queue_runner "
        "assert_global_step basic_train_loop batch batch_join checkpoints_iterator cosine_decay "
        "cosine_decay_restarts do_quantize_training_on_graphdef experimental export_meta_graph "
        "generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state "
        "import_meta_graph init_from_checkpoint input_producer inverse_time_decay limit_epochs "
        "linear_cosine_decay list_variables load_checkpoint load_variable match_filenames_once "
        "maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
        "natural_exp_decay noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay "
        "polynomial_decay queue_runner range_input_producer remove_checkpoint "
        "replica_device_setter sdca_fprint sdca_optimizer sdca_shrink_l1 shuffle_batch "
        "shuffle_batch_join slice_input_producer start_queue_runners string_input_producer "
        "summary_iterator update_checkpoint_state warm_start write_graph"
    ),
    "xla.experimental": "compile",
}
