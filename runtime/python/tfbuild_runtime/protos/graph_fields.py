"""The fields of graphs and of what ops are, as fields.py has those of other messages."""

GRAPH_FIELDS = """
VersionDef
  1 int32 producer
  2 int32 min_consumer
  3 repeated int32 bad_consumers
GraphDef
  1 repeated NodeDef node
  2 FunctionDefLibrary library
  3 int32 version
  4 VersionDef versions
  5 GraphDebugInfo debug_info
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

OpList
  1 repeated OpDef op
OpDef
  1 string name
  2 repeated OpDef.ArgDef input_arg
  3 repeated OpDef.ArgDef output_arg
  4 repeated OpDef.AttrDef attr
  5 string summary
  6 string description
  8 OpDeprecation deprecation
  16 bool is_aggregate
  17 bool is_stateful
  18 bool is_commutative
  19 bool allows_uninitialized_input
  20 repeated string control_output
  21 bool is_distributed_communication
OpDef.ArgDef
  1 string name
  2 string description
  3 DataType type
  4 string type_attr
  5 string number_attr
  6 string type_list_attr
  7 repeated ResourceHandleProto.DtypeAndShape handle_data
  16 bool is_ref
  17 FullTypeDef experimental_full_type
OpDef.AttrDef
  1 string name
  2 string type
  3 AttrValue default_value
  4 string description
  5 bool has_minimum
  6 int64 minimum
  7 AttrValue allowed_values
OpDeprecation
  1 int32 version
  2 string explanation
FullTypeDef
  1 FullTypeId type_id
  2 repeated FullTypeDef args
  3 string s | attr
  4 int64 i | attr
enum FullTypeId
  0 TFT_UNSET
  1 TFT_VAR
  2 TFT_ANY
  3 TFT_PRODUCT
  4 TFT_NAMED
  20 TFT_FOR_EACH
  100 TFT_CALLABLE
  1000 TFT_TENSOR
  1001 TFT_ARRAY
  1002 TFT_OPTIONAL
  1003 TFT_LITERAL
  1004 TFT_ENCODED
  1005 TFT_SHAPE_TENSOR
  200 TFT_BOOL
  201 TFT_UINT8
  202 TFT_UINT16
  203 TFT_UINT32
  204 TFT_UINT64
  205 TFT_INT8
  206 TFT_INT16
  207 TFT_INT32
  208 TFT_INT64
  209 TFT_HALF
  210 TFT_FLOAT
  211 TFT_DOUBLE
  215 TFT_BFLOAT16
  212 TFT_COMPLEX64
  213 TFT_COMPLEX128
  214 TFT_STRING
  10102 TFT_DATASET
  10103 TFT_RAGGED
  10104 TFT_ITERATOR
  10202 TFT_MUTEX_LOCK
  10203 TFT_LEGACY_VARIANT

FunctionDefLibrary
  1 repeated FunctionDef function
  2 repeated GradientDef gradient
  3 repeated RegisteredGradient registered_gradients
FunctionDef
  1 OpDef signature
  3 repeated NodeDef node_def
  4 map<string,string> ret
  5 map<string,AttrValue> attr
  6 map<string,string> control_ret
  7 map<uint32,FunctionDef.ArgAttrs> arg_attr
  8 map<uint32,uint32> resource_arg_unique_id
FunctionDef.ArgAttrs
  1 map<string,AttrValue> attr
GradientDef
  1 string function_name
  2 string gradient_func
RegisteredGradient
  1 string gradient_func
  2 string registered_op_type
"""
