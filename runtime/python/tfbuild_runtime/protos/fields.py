"""The fields of TensorFlow's messages: number, type and name of each, as in its .proto files.

A line without a space before it begins a message or an enumeration, `A.B` being one inside of A. A
field that follows `|` belongs to the choice of that name. What a message has beyond these fields is
kept when it is read and written again.
"""

FIELDS = """
enum DataType
  0 DT_INVALID
  1 DT_FLOAT
  2 DT_DOUBLE
  3 DT_INT32
  4 DT_UINT8
  5 DT_INT16
  6 DT_INT8
  7 DT_STRING
  8 DT_COMPLEX64
  9 DT_INT64
  10 DT_BOOL
  11 DT_QINT8
  12 DT_QUINT8
  13 DT_QINT32
  14 DT_BFLOAT16
  15 DT_QINT16
  16 DT_QUINT16
  17 DT_UINT16
  18 DT_COMPLEX128
  19 DT_HALF
  20 DT_RESOURCE
  21 DT_VARIANT
  22 DT_UINT32
  23 DT_UINT64
  101 DT_FLOAT_REF
  102 DT_DOUBLE_REF
  103 DT_INT32_REF
  104 DT_UINT8_REF
  105 DT_INT16_REF
  106 DT_INT8_REF
  107 DT_STRING_REF
  108 DT_COMPLEX64_REF
  109 DT_INT64_REF
  110 DT_BOOL_REF
  114 DT_BFLOAT16_REF
  119 DT_HALF_REF
  120 DT_RESOURCE_REF
TensorShapeProto
  2 repeated TensorShapeProto.Dim dim
  3 bool unknown_rank
TensorShapeProto.Dim
  1 int64 size
  2 string name
TensorProto
  1 DataType dtype
  2 TensorShapeProto tensor_shape
  3 int32 version_number
  4 bytes tensor_content
  5 repeated float float_val
  6 repeated double double_val
  7 repeated int32 int_val
  8 repeated bytes string_val
  9 repeated float scomplex_val
  10 repeated int64 int64_val
  11 repeated bool bool_val
  12 repeated double dcomplex_val
  13 repeated int32 half_val
  16 repeated uint32 uint32_val
  17 repeated uint64 uint64_val

Summary
  1 repeated Summary.Value value
Summary.Image
  1 int32 height
  2 int32 width
  3 int32 colorspace
  4 bytes encoded_image_string
Summary.Audio
  1 float sample_rate
  2 int64 num_channels
  3 int64 length_frames
  4 bytes encoded_audio_string
  5 string content_type
Summary.Value
  1 string tag
  2 float simple_value | value
  3 bytes obsolete_old_style_histogram | value
  4 Summary.Image image | value
  5 HistogramProto histo | value
  6 Summary.Audio audio | value
  7 string node_name
  8 TensorProto tensor | value
  9 SummaryMetadata metadata
SummaryDescription
  1 string type_hint
enum DataClass
  0 DATA_CLASS_UNKNOWN
  1 DATA_CLASS_SCALAR
  2 DATA_CLASS_TENSOR
  3 DATA_CLASS_BLOB_SEQUENCE
SummaryMetadata
  1 SummaryMetadata.PluginData plugin_data
  2 string display_name
  3 string summary_description
  4 DataClass data_class
SummaryMetadata.PluginData
  1 string plugin_name
  2 bytes content
HistogramProto
  1 double min
  2 double max
  3 double num
  4 double sum
  5 double sum_squares
  6 repeated double bucket_limit
  7 repeated double bucket

Event
  1 double wall_time
  2 int64 step
  3 string file_version | what
  4 bytes graph_def | what
  5 Summary summary | what
  6 LogMessage log_message | what
  7 SessionLog session_log | what
  8 TaggedRunMetadata tagged_run_metadata | what
  9 bytes meta_graph_def | what
  10 SourceMetadata source_metadata
SourceMetadata
  1 string writer
LogMessage
  1 LogMessage.Level level
  2 string message
enum LogMessage.Level
  0 UNKNOWN
  10 DEBUGGING
  20 INFO
  30 WARN
  40 ERROR
  50 FATAL
SessionLog
  1 SessionLog.SessionStatus status
  2 string checkpoint_path
  3 string msg
enum SessionLog.SessionStatus
  0 STATUS_UNSPECIFIED
  1 START
  2 STOP
  3 CHECKPOINT
TaggedRunMetadata
  1 string tag
  2 bytes run_metadata

Example
  1 Features features
SequenceExample
  1 Features context
  2 FeatureLists feature_lists
Features
  1 map<string,Feature> feature
Feature
  1 BytesList bytes_list | kind
  2 FloatList float_list | kind
  3 Int64List int64_list | kind
BytesList
  1 repeated bytes value
FloatList
  1 repeated float value
Int64List
  1 repeated int64 value
FeatureLists
  1 map<string,FeatureList> feature_list
FeatureList
  1 repeated Feature feature

VersionDef
  1 int32 producer
  2 int32 min_consumer
  3 repeated int32 bad_consumers
GraphDef
  1 repeated NodeDef node
  2 FunctionDefLibrary library
  3 int32 version
  4 VersionDef versions
NodeDef
  1 string name
  2 string op
  3 repeated string input
  4 string device
  5 map<string,AttrValue> attr
  6 NodeDef.ExperimentalDebugInfo experimental_debug_info
  7 FullTypeDef experimental_type
NodeDef.ExperimentalDebugInfo
  1 repeated string original_node_names
  2 repeated string original_func_names
AttrValue
  1 AttrValue.ListValue list | value
  2 bytes s | value
  3 int64 i | value
  4 float f | value
  5 bool b | value
  6 DataType type | value
  7 TensorShapeProto shape | value
  8 TensorProto tensor | value
  9 string placeholder | value
  10 NameAttrList func | value
AttrValue.ListValue
  2 repeated bytes s
  3 repeated int64 i
  4 repeated float f
  5 repeated bool b
  6 repeated DataType type
  7 repeated TensorShapeProto shape
  8 repeated TensorProto tensor
  9 repeated NameAttrList func
NameAttrList
  1 string name
  2 map<string,AttrValue> attr

SaverDef
  1 string filename_tensor_name
  2 string save_tensor_name
  3 string restore_op_name
  4 int32 max_to_keep
  5 bool sharded
  6 float keep_checkpoint_every_n_hours
  7 SaverDef.CheckpointFormatVersion version
enum SaverDef.CheckpointFormatVersion
  0 LEGACY
  1 V1
  2 V2
QueueRunnerDef
  1 string queue_name
  2 repeated string enqueue_op_name
  3 string close_op_name
  4 string cancel_op_name
  5 repeated ErrorCode queue_closed_exception_types
enum ErrorCode
  0 OK
  1 CANCELLED
  2 UNKNOWN
  3 INVALID_ARGUMENT
  4 DEADLINE_EXCEEDED
  5 NOT_FOUND
  6 ALREADY_EXISTS
  7 PERMISSION_DENIED
  8 RESOURCE_EXHAUSTED
  9 FAILED_PRECONDITION
  10 ABORTED
  11 OUT_OF_RANGE
  12 UNIMPLEMENTED
  13 INTERNAL
  14 UNAVAILABLE
  15 DATA_LOSS
  16 UNAUTHENTICATED
CheckpointState
  1 string model_checkpoint_path
  2 repeated string all_model_checkpoint_paths
  3 repeated double all_model_checkpoint_timestamps
  4 double last_preserved_timestamp
VariableDef
  1 string variable_name
  2 string initializer_name
  3 string snapshot_name
  4 SaveSliceInfoDef save_slice_info_def
  5 bool is_resource
  6 string initial_value_name
  7 bool trainable
SaveSliceInfoDef
  1 string full_name
  2 repeated int64 full_shape
  3 repeated int64 var_offset
  4 repeated int64 var_shape
MetaGraphDef
  1 MetaGraphDef.MetaInfoDef meta_info_def
  2 GraphDef graph_def
  3 SaverDef saver_def
  4 map<string,CollectionDef> collection_def
  5 map<string,SignatureDef> signature_def
  6 repeated AssetFileDef asset_file_def
MetaGraphDef.MetaInfoDef
  1 string meta_graph_version
  2 OpList stripped_op_list
  3 Any any_info
  4 repeated string tags
  5 string tensorflow_version
  6 string tensorflow_git_version
  7 bool stripped_default_attrs
  8 map<string,string> function_aliases
CollectionDef
  1 CollectionDef.NodeList node_list | kind
  2 CollectionDef.BytesList bytes_list | kind
  3 CollectionDef.Int64List int64_list | kind
  4 CollectionDef.FloatList float_list | kind
  5 CollectionDef.AnyList any_list | kind
CollectionDef.NodeList
  1 repeated string value
CollectionDef.BytesList
  1 repeated bytes value
CollectionDef.Int64List
  1 repeated int64 value
CollectionDef.FloatList
  1 repeated float value
CollectionDef.AnyList
  1 repeated Any value
Any
  1 string type_url
  2 bytes value
SignatureDef
  1 map<string,TensorInfo> inputs
  2 map<string,TensorInfo> outputs
  3 string method_name
TensorInfo
  1 string name | encoding
  2 DataType dtype
  3 TensorShapeProto tensor_shape
  4 TensorInfo.CooSparse coo_sparse | encoding
TensorInfo.CooSparse
  1 string values_tensor_name
  2 string indices_tensor_name
  3 string dense_shape_tensor_name
SavedModel
  1 int64 saved_model_schema_version
  2 repeated MetaGraphDef meta_graphs
AssetFileDef
  1 TensorInfo tensor_info
  2 string filename

SpriteMetadata
  1 string image_path
  2 repeated uint32 single_image_dim
EmbeddingInfo
  1 string tensor_name
  2 string metadata_path
  3 string bookmarks_path
  4 repeated uint32 tensor_shape
  5 SpriteMetadata sprite
  6 string tensor_path
ProjectorConfig
  1 string model_checkpoint_path
  2 repeated EmbeddingInfo embeddings
  3 string model_checkpoint_dir
"""
