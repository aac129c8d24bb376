"""The fields of TensorFlow's messages: number, type and name of each, as in its .proto files.

A line without a space before it begins a message or an enumeration, `A.B` being one inside of A. A
field that follows `|` belongs to the choice of that name; messages of other packages and another
syntax are in other_fields.py. What a message has beyond these fields is kept when it is read and
written again.
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
  24 DT_FLOAT8_E5M2
  25 DT_FLOAT8_E4M3FN
  26 DT_FLOAT8_E4M3FNUZ
  27 DT_FLOAT8_E4M3B11FNUZ
  28 DT_FLOAT8_E5M2FNUZ
  29 DT_INT4
  30 DT_UINT4
  31 DT_INT2
  32 DT_UINT2
  33 DT_FLOAT4_E2M1FN
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
  111 DT_QINT8_REF
  112 DT_QUINT8_REF
  113 DT_QINT32_REF
  114 DT_BFLOAT16_REF
  115 DT_QINT16_REF
  116 DT_QUINT16_REF
  117 DT_UINT16_REF
  118 DT_COMPLEX128_REF
  119 DT_HALF_REF
  120 DT_RESOURCE_REF
  121 DT_VARIANT_REF
  122 DT_UINT32_REF
  123 DT_UINT64_REF
  124 DT_FLOAT8_E5M2_REF
  125 DT_FLOAT8_E4M3FN_REF
  126 DT_FLOAT8_E4M3FNUZ_REF
  127 DT_FLOAT8_E4M3B11FNUZ_REF
  128 DT_FLOAT8_E5M2FNUZ_REF
  129 DT_INT4_REF
  130 DT_UINT4_REF
  131 DT_INT2_REF
  132 DT_UINT2_REF
  133 DT_FLOAT4_E2M1FN_REF
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
  14 repeated ResourceHandleProto resource_handle_val
  15 repeated VariantTensorDataProto variant_val
  16 repeated uint32 uint32_val
  17 repeated uint64 uint64_val
  18 bytes float8_val
ResourceHandleProto
  1 string device
  2 string container
  3 string name
  4 uint64 hash_code
  5 string maybe_type_name
  6 repeated ResourceHandleProto.DtypeAndShape dtypes_and_shapes
ResourceHandleProto.DtypeAndShape
  1 DataType dtype
  2 TensorShapeProto shape
VariantTensorDataProto
  1 string type_name
  2 bytes metadata
  3 repeated TensorProto tensors

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
  5 repeated error.Code queue_closed_exception_types
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
  8 VariableSynchronization synchronization
  9 VariableAggregation aggregation
SaveSliceInfoDef
  1 string full_name
  2 repeated int64 full_shape
  3 repeated int64 var_offset
  4 repeated int64 var_shape

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
