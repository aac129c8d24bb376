"""The fields of SavedModels, as fields.py has those of other messages."""

SAVED_MODEL_FIELDS = """
MetaGraphDef
  1 MetaGraphDef.MetaInfoDef meta_info_def
  2 GraphDef graph_def
  3 SaverDef saver_def
  4 map<string,CollectionDef> collection_def
  5 map<string,SignatureDef> signature_def
  6 repeated AssetFileDef asset_file_def
  7 SavedObjectGraph object_graph_def
MetaGraphDef.MetaInfoDef
  1 string meta_graph_version
  2 OpList stripped_op_list
  3 google.protobuf.Any any_info
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
  1 repeated google.protobuf.Any value
SignatureDef
  1 map<string,TensorInfo> inputs
  2 map<string,TensorInfo> outputs
  3 string method_name
  4 map<string,TensorProto> defaults
TensorInfo
  1 string name | encoding
  2 DataType dtype
  3 TensorShapeProto tensor_shape
  4 TensorInfo.CooSparse coo_sparse | encoding
  5 TensorInfo.CompositeTensor composite_tensor | encoding
TensorInfo.CooSparse
  1 string values_tensor_name
  2 string indices_tensor_name
  3 string dense_shape_tensor_name
TensorInfo.CompositeTensor
  1 TypeSpecProto type_spec
  2 repeated TensorInfo components

SavedModel
  1 int64 saved_model_schema_version
  2 repeated MetaGraphDef meta_graphs
AssetFileDef
  1 TensorInfo tensor_info
  2 string filename
TypeSpecProto
  1 TypeSpecProto.TypeSpecClass type_spec_class
  2 StructuredValue type_state
  3 string type_spec_class_name
  4 int32 num_flat_components
enum TypeSpecProto.TypeSpecClass
  0 UNKNOWN
  1 SPARSE_TENSOR_SPEC
  2 INDEXED_SLICES_SPEC
  3 RAGGED_TENSOR_SPEC
  4 TENSOR_ARRAY_SPEC
  5 DATA_DATASET_SPEC
  6 DATA_ITERATOR_SPEC
  7 OPTIONAL_SPEC
  8 PER_REPLICA_SPEC
  9 VARIABLE_SPEC
  10 ROW_PARTITION_SPEC
  12 REGISTERED_TYPE_SPEC
  13 EXTENSION_TYPE_SPEC
StructuredValue
  1 NoneValue none_value | kind
  11 double float64_value | kind
  12 sint64 int64_value | kind
  13 string string_value | kind
  14 bool bool_value | kind
  31 TensorShapeProto tensor_shape_value | kind
  32 DataType tensor_dtype_value | kind
  33 TensorSpecProto tensor_spec_value | kind
  34 TypeSpecProto type_spec_value | kind
  35 BoundedTensorSpecProto bounded_tensor_spec_value | kind
  51 ListValue list_value | kind
  52 TupleValue tuple_value | kind
  53 DictValue dict_value | kind
  54 NamedTupleValue named_tuple_value | kind
  55 TensorProto tensor_value | kind
  56 TensorProto numpy_value | kind
NoneValue
TensorSpecProto
  1 string name
  2 TensorShapeProto shape
  3 DataType dtype
BoundedTensorSpecProto
  1 string name
  2 TensorShapeProto shape
  3 DataType dtype
  4 TensorProto minimum
  5 TensorProto maximum
ListValue
  1 repeated StructuredValue values
TupleValue
  1 repeated StructuredValue values
DictValue
  1 map<string,StructuredValue> fields
NamedTupleValue
  1 string name
  2 repeated PairValue values
PairValue
  1 string key
  2 StructuredValue value

SavedObjectGraph
  1 repeated SavedObject nodes
  2 map<string,SavedConcreteFunction> concrete_functions
SavedObject
  1 repeated TrackableObjectGraph.TrackableObject.ObjectReference children
  3 repeated TrackableObjectGraph.TrackableObject.SlotVariableReference slot_variables
  4 SavedUserObject user_object | kind
  5 SavedAsset asset | kind
  6 SavedFunction function | kind
  7 SavedVariable variable | kind
  8 SavedBareConcreteFunction bare_concrete_function | kind
  9 SavedConstant constant | kind
  10 SavedResource resource | kind
  11 map<string,SaveableObject> saveable_objects
  12 CapturedTensor captured_tensor | kind
  13 string registered_name
  14 google.protobuf.Any serialized_user_proto
  15 repeated TrackableObjectGraph.TrackableObject.ObjectReference dependencies
  16 string registered_saver
TrackableObjectGraph
  1 repeated TrackableObjectGraph.TrackableObject nodes
TrackableObjectGraph.TrackableObject
  1 repeated TrackableObjectGraph.TrackableObject.ObjectReference children
  2 repeated TrackableObjectGraph.TrackableObject.SerializedTensor attributes
  3 repeated TrackableObjectGraph.TrackableObject.SlotVariableReference slot_variables
  4 RegisteredSaver registered_saver
  5 google.protobuf.BoolValue has_checkpoint_values
TrackableObjectGraph.TrackableObject.ObjectReference
  1 int32 node_id
  2 string local_name
TrackableObjectGraph.TrackableObject.SlotVariableReference
  1 int32 original_variable_node_id
  2 string slot_name
  3 int32 slot_variable_node_id
SavedUserObject
  1 string identifier
  2 VersionDef version
  3 string metadata
SavedAsset
  1 int32 asset_file_def_index
SavedFunction
  1 repeated string concrete_functions
  2 FunctionSpec function_spec
FunctionSpec
  1 StructuredValue fullargspec
  2 bool is_method
  5 StructuredValue input_signature
  6 FunctionSpec.JitCompile jit_compile
enum FunctionSpec.JitCompile
  0 DEFAULT
  1 ON
  2 OFF
SavedVariable
  1 DataType dtype
  2 TensorShapeProto shape
  3 bool trainable
  4 VariableSynchronization synchronization
  5 VariableAggregation aggregation
  6 string name
  7 string device
  8 repeated SavedVariable experimental_distributed_variable_components
enum VariableSynchronization
  0 VARIABLE_SYNCHRONIZATION_AUTO
  1 VARIABLE_SYNCHRONIZATION_NONE
  2 VARIABLE_SYNCHRONIZATION_ON_WRITE
  3 VARIABLE_SYNCHRONIZATION_ON_READ
enum VariableAggregation
  0 VARIABLE_AGGREGATION_NONE
  1 VARIABLE_AGGREGATION_SUM
  2 VARIABLE_AGGREGATION_MEAN
  3 VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA
SavedBareConcreteFunction
  1 string concrete_function_name
  2 repeated string argument_keywords
  3 int64 allowed_positional_arguments
  4 FunctionSpec function_spec
SavedConstant
  1 string operation
SavedResource
  1 string device
CapturedTensor
  1 string name
  2 string concrete_function
SaveableObject
  2 int32 save_function
  3 int32 restore_function
SavedConcreteFunction
  2 repeated int32 bound_inputs
  3 StructuredValue canonicalized_input_signature
  4 StructuredValue output_signature
TrackableObjectGraph.TrackableObject.SerializedTensor
  1 string name
  2 string full_name
  3 string checkpoint_key
RegisteredSaver
  1 string name
  2 string object_name
"""
