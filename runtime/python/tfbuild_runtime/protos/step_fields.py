"""The fields of what asks for a step and of what it leaves, as fields.py has those of others.

RunMetadata has three fields of ours beside TensorFlow's, which ignores them: `passes`, what each
pass made of the plan (before and behind it, as text and as a drawing for Graphviz); `peak_bytes`,
the most bytes that tensors of the step had at once, by the allocator's name; `untraced_runs`, how
many runs of kernels came after the trace was full.
"""

STEP_FIELDS = """
RunOptions
  1 RunOptions.TraceLevel trace_level
  2 int64 timeout_in_ms
  3 int32 inter_op_thread_pool
  5 bool output_partition_graphs
  6 DebugOptions debug_options
  7 bool report_tensor_allocations_upon_oom
  8 RunOptions.Experimental experimental
enum RunOptions.TraceLevel
  0 NO_TRACE
  1 SOFTWARE_TRACE
  2 HARDWARE_TRACE
  3 FULL_TRACE
RunOptions.Experimental
  1 int64 collective_graph_key
  2 bool use_run_handler_pool
  3 RunOptions.Experimental.RunHandlerPoolOptions run_handler_pool_options
RunOptions.Experimental.RunHandlerPoolOptions
  1 int64 priority
DebugOptions
  4 repeated DebugTensorWatch debug_tensor_watch_opts
  10 int64 global_step
  11 bool reset_disk_byte_usage
DebugTensorWatch
  1 string node_name
  2 int32 output_slot
  3 repeated string debug_ops
  4 repeated string debug_urls
  5 bool tolerate_debug_op_creation_failures
CallableOptions
  1 repeated string feed
  2 repeated string fetch
  3 repeated string target
  4 RunOptions run_options
  5 repeated TensorConnection tensor_connection
  6 map<string,string> feed_devices
  7 map<string,string> fetch_devices
  8 bool fetch_skip_sync
TensorConnection
  1 string from_tensor
  2 string to_tensor

RunMetadata
  1 StepStats step_stats
  2 CostGraphDef cost_graph
  3 repeated GraphDef partition_graphs
  4 repeated RunMetadata.FunctionGraphs function_graphs
  5 SessionMetadata session_metadata
  100001 repeated RunMetadata.PassReport passes
  100002 map<string,int64> peak_bytes
  100003 int64 untraced_runs
RunMetadata.PassReport
  1 string name
  2 int32 nodes_before
  3 int32 nodes_after
  4 double seconds
  5 repeated string changes
  6 string text
  7 string graphviz
RunMetadata.FunctionGraphs
  1 repeated GraphDef partition_graphs
  2 GraphDef pre_optimization_graph
  3 GraphDef post_optimization_graph

CostGraphDef
  1 repeated CostGraphDef.Node node
  2 repeated CostGraphDef.AggregatedCost cost
CostGraphDef.Node
  1 string name
  2 string device
  3 int32 id
  4 repeated CostGraphDef.Node.InputInfo input_info
  5 repeated CostGraphDef.Node.OutputInfo output_info
  6 int64 temporary_memory_size
  7 bool is_final
  8 repeated int32 control_input
  9 int64 compute_cost
  10 int64 host_temp_memory_size
  11 int64 device_temp_memory_size
  12 int64 persistent_memory_size
  14 int64 compute_time
  15 int64 memory_time
  16 int64 device_persistent_memory_size
  17 bool inaccurate
CostGraphDef.Node.InputInfo
  1 int32 preceding_node
  2 int32 preceding_port
CostGraphDef.Node.OutputInfo
  1 int64 size
  2 int64 alias_input_port
  3 TensorShapeProto shape
  4 DataType dtype
CostGraphDef.AggregatedCost
  1 float cost
  2 string dimension
StepStats
  1 repeated DeviceStepStats dev_stats
DeviceStepStats
  1 string device
  2 repeated NodeExecStats node_stats
  3 map<uint32,string> thread_names
NodeExecStats
  1 string node_name
  2 int64 all_start_micros
  3 int64 op_start_rel_micros
  4 int64 op_end_rel_micros
  5 int64 all_end_rel_micros
  6 repeated AllocatorMemoryUsed memory
  7 repeated NodeOutput output
  8 string timeline_label
  9 int64 scheduled_micros
  10 uint32 thread_id
  11 repeated AllocationDescription referenced_tensor
  12 MemoryStats memory_stats
  13 int64 all_start_nanos
  14 int64 op_start_rel_nanos
  15 int64 op_end_rel_nanos
  16 int64 all_end_rel_nanos
  17 int64 scheduled_nanos
MemoryStats
  1 int64 temp_memory_size
  2 int64 device_temp_memory_size
  3 int64 persistent_memory_size
  4 int64 device_persistent_memory_size
  5 repeated int64 persistent_tensor_alloc_ids
  6 repeated int64 device_persistent_tensor_alloc_ids
NodeOutput
  1 int32 slot
  3 TensorDescription tensor_description
AllocatorMemoryUsed
  1 string allocator_name
  2 int64 total_bytes
  3 int64 peak_bytes
  4 int64 live_bytes
  5 int64 allocator_bytes_in_use
  6 repeated AllocationRecord allocation_records
AllocationRecord
  1 int64 alloc_micros
  2 int64 alloc_bytes
AllocationDescription
  1 int64 requested_bytes
  2 int64 allocated_bytes
  3 string allocator_name
  4 int64 allocation_id
  5 bool has_single_reference
  6 uint64 ptr
TensorDescription
  1 DataType dtype
  2 TensorShapeProto shape
  4 AllocationDescription allocation_description
"""
