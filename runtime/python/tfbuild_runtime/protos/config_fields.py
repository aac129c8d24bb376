"""The fields of what configures sessions and clusters, as fields.py has those of other messages."""

CONFIG_FIELDS = """
ConfigProto
  1 map<string,int32> device_count
  2 int32 intra_op_parallelism_threads
  3 int32 placement_period
  4 repeated string device_filters
  5 int32 inter_op_parallelism_threads
  6 GPUOptions gpu_options
  7 bool allow_soft_placement
  8 bool log_device_placement
  9 bool use_per_session_threads
  10 GraphOptions graph_options
  11 int64 operation_timeout_in_ms
  12 repeated ThreadPoolOptionProto session_inter_op_thread_pool
  13 RPCOptions rpc_options
  14 ClusterDef cluster_def
  15 bool isolate_session_state
  16 ConfigProto.Experimental experimental
  17 bool share_cluster_devices_in_session
  18 GPUOptions pluggable_device_options
ConfigProto.Experimental
  1 string collective_group_leader
  3 string executor_type
  4 int32 recv_buf_max_chunk
  5 bool use_numa_affinity
  6 bool collective_deterministic_sequential_execution
  7 bool collective_nccl
  8 bool share_session_state_in_clusterspec_propagation
  9 bool disable_thread_spinning
  10 bool share_cluster_devices_in_session
  11 SessionMetadata session_metadata
  12 bool optimize_for_static_graph
  13 bool enable_mlir_bridge
  14 bool disable_output_partition_graphs
  15 int64 xla_fusion_autotuner_thresh
  16 bool enable_mlir_graph_optimization
  17 ConfigProto.Experimental.MlirBridgeRollout mlir_bridge_rollout
  18 bool use_tfrt
  21 bool disable_functional_ops_lowering
  22 bool xla_prefer_single_graph_cluster
  23 CoordinationServiceConfig coordination_config
  24 bool disable_optimize_for_static_graph
  26 bool disable_eager_executor_streaming_enqueue
  27 bool enable_multi_host
  28 int32 backend_server_port
  29 bool target_tpu
  30 bool target_gpu
  31 int32 stream_merge_threshold
  32 bool tfrt_use_ifrt
  33 bool finalize_function_library_runtime
  34 bool finalize_resource_manager
  35 string tf2xla_dump_dir
  36 bool online_cost_analysis
enum ConfigProto.Experimental.MlirBridgeRollout
  0 MLIR_BRIDGE_ROLLOUT_UNSPECIFIED
  1 MLIR_BRIDGE_ROLLOUT_ENABLED
  2 MLIR_BRIDGE_ROLLOUT_DISABLED
GPUOptions
  1 double per_process_gpu_memory_fraction
  2 string allocator_type
  3 int64 deferred_deletion_bytes
  4 bool allow_growth
  5 string visible_device_list
  6 int32 polling_active_delay_usecs
  7 int32 polling_inactive_delay_msecs
  8 bool force_gpu_compatible
  9 GPUOptions.Experimental experimental
GPUOptions.Experimental
  1 repeated GPUOptions.Experimental.VirtualDevices virtual_devices
  2 bool use_unified_memory
  3 int32 num_dev_to_dev_copy_streams
  4 string collective_ring_order
  5 bool timestamped_allocator
  7 int32 kernel_tracker_max_interval
  8 int32 kernel_tracker_max_bytes
  9 int32 kernel_tracker_max_pending
  10 double internal_fragmentation_fraction
  11 bool use_cuda_malloc_async
  12 bool disallow_retry_on_allocation_failure
  13 float gpu_host_mem_limit_in_mb
  14 bool gpu_host_mem_disallow_growth
  15 int32 num_virtual_devices_per_gpu
  16 int32 gpu_system_memory_size_in_mb
  17 bool populate_pjrt_gpu_client_creation_info
  18 int32 node_id
  19 GPUOptions.Experimental.StreamMergeOptions stream_merge_options
GPUOptions.Experimental.VirtualDevices
  1 repeated float memory_limit_mb
  2 repeated int32 priority
  3 repeated int32 device_ordinal
GPUOptions.Experimental.StreamMergeOptions
  1 bool merge_host_to_device_stream
  2 bool merge_device_to_host_stream
  3 bool merge_device_to_device_stream
GraphOptions
  2 bool enable_recv_scheduling
  3 OptimizerOptions optimizer_options
  4 int64 build_cost_model
  5 bool infer_shapes
  6 bool place_pruned_graph
  7 bool enable_bfloat16_sendrecv
  8 int32 timeline_step
  9 int64 build_cost_model_after
  10 RewriterConfig rewrite_options
OptimizerOptions
  1 bool do_common_subexpression_elimination
  2 bool do_constant_folding
  3 OptimizerOptions.Level opt_level
  4 bool do_function_inlining
  5 OptimizerOptions.GlobalJitLevel global_jit_level
  6 int64 max_folded_constant_in_bytes
  7 bool cpu_global_jit
enum OptimizerOptions.Level
  0 L1
  -1 L0
enum OptimizerOptions.GlobalJitLevel
  0 DEFAULT
  -1 OFF
  1 ON_1
  2 ON_2
ThreadPoolOptionProto
  1 int32 num_threads
  2 string global_name
RewriterConfig
  1 RewriterConfig.Toggle layout_optimizer
  2 bool disable_model_pruning
  3 RewriterConfig.Toggle constant_folding
  4 RewriterConfig.MemOptType memory_optimization
  5 AutoParallelOptions auto_parallel
  6 string memory_optimizer_target_node_name_scope
  7 RewriterConfig.Toggle arithmetic_optimization
  8 RewriterConfig.Toggle dependency_optimization
  9 RewriterConfig.Toggle loop_optimization
  10 RewriterConfig.Toggle function_optimization
  11 RewriterConfig.Toggle debug_stripper
  12 RewriterConfig.NumIterationsType meta_optimizer_iterations
  13 RewriterConfig.Toggle shape_optimization
  14 RewriterConfig.Toggle remapping
  15 RewriterConfig.Toggle scoped_allocator_optimization
  16 ScopedAllocatorOptions scoped_allocator_opts
  17 int32 min_graph_nodes
  18 RewriterConfig.Toggle pin_to_host_optimization
  19 bool disable_meta_optimizer
  20 int64 meta_optimizer_timeout_ms
  21 bool fail_on_optimizer_errors
  22 RewriterConfig.Toggle implementation_selector
  23 RewriterConfig.Toggle auto_mixed_precision
  24 RewriterConfig.Toggle common_subgraph_elimination
  25 RewriterConfig.Toggle auto_mixed_precision_mkl
  26 bool experimental_disable_compressed_tensor_optimization
  27 bool experimental_disable_folding_quantization_emulation
  28 RewriterConfig.Toggle use_plugin_optimizers
  29 RewriterConfig.Toggle auto_mixed_precision_cpu
  30 RewriterConfig.Toggle experimental_conditional_code_motion
  31 RewriterConfig.Toggle auto_mixed_precision_onednn_bfloat16
  32 bool disable_tfg_optimizer
  50 RewriterConfig.CpuLayout cpu_layout_conversion
  100 repeated string optimizers
  200 repeated RewriterConfig.CustomGraphOptimizer custom_optimizers
  300 VerifierConfig inter_optimizer_verifier_config
  301 VerifierConfig post_optimization_verifier_config
enum RewriterConfig.Toggle
  0 DEFAULT
  1 ON
  2 OFF
  3 AGGRESSIVE
  4 EXPERIMENTAL_MLIR
  5 EXPERIMENTAL_BOTH
enum RewriterConfig.CpuLayout
  0 NO_CONVERSION_ON_CPU
  1 NCHW_TO_NHWC
  2 NHWC_TO_NCHW
enum RewriterConfig.NumIterationsType
  0 DEFAULT_NUM_ITERS
  1 ONE
  2 TWO
enum RewriterConfig.MemOptType
  0 DEFAULT_MEM_OPT
  1 NO_MEM_OPT
  2 MANUAL
  4 SWAPPING_HEURISTICS
  5 RECOMPUTATION_HEURISTICS
  6 SCHEDULING_HEURISTICS
  3 HEURISTICS
RewriterConfig.CustomGraphOptimizer
  1 string name
  2 map<string,AttrValue> parameter_map
AutoParallelOptions
  1 bool enable
  2 int32 num_replicas
ScopedAllocatorOptions
  1 repeated string enable_op
VerifierConfig
  1 int64 verification_timeout_in_ms
  2 VerifierConfig.Toggle structure_verifier
enum VerifierConfig.Toggle
  0 DEFAULT
  1 ON
  2 OFF
RPCOptions
  1 bool use_rpc_for_inprocess_master
  2 string compression_algorithm
  3 int32 compression_level
  4 bool cache_rpc_response
  5 bool disable_session_connection_sharing
  6 int32 num_channels_per_target
SessionMetadata
  1 string name
  2 int64 version
CoordinationServiceConfig
  1 string service_type
  2 string service_leader
  3 bool enable_health_check
  4 int64 cluster_register_timeout_in_ms
  5 int64 heartbeat_timeout_in_ms
  7 int64 shutdown_barrier_timeout_in_ms
  8 bool agent_destruction_without_shutdown
  9 repeated string recoverable_jobs
  10 repeated CoordinatedJob coordinated_job_list
  11 bool allow_new_incarnation_to_reconnect
  12 bool force_disable
  13 bool poll_for_error_from_service_at_startup
  14 bool cluster_register_with_barrier
CoordinatedJob
  1 string name
  2 int32 num_tasks

ClusterDef
  1 repeated JobDef job
JobDef
  1 string name
  2 map<int32,string> tasks
ServerDef
  1 ClusterDef cluster
  2 string job_name
  3 int32 task_index
  4 ConfigProto default_session_config
  5 string protocol
  6 int32 port
  7 ClusterDeviceFilters cluster_device_filters
  8 int32 replica
ClusterDeviceFilters
  1 repeated JobDeviceFilters jobs
JobDeviceFilters
  1 string name
  2 map<int32,TaskDeviceFilters> tasks
TaskDeviceFilters
  1 repeated string device_filters
"""
