"""As fields.py: the fields of the messages of ops and functions, which graphs may hold."""

FUNCTION_FIELDS = """
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
"""
