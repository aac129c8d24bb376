"""Tables that say the value of each key: words to numbers, and numbers to words."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import array_ops, control_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import emit


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Return an operation that fills all tables of the graph."""
    found = framework.get_collection(GraphKeys.TABLE_INITIALIZERS)
    return control_ops.group(*found, name=name) if found else control_ops.no_op(name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """Return tables_initializer()."""
    return tables_initializer(name)


class TableInitializerBase:
    """What fills a table: its types, and how."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._types = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> Any:
        """The type of keys."""
        return self._types[0]

    @property
    def value_dtype(self) -> Any:
        """The type of values."""
        return self._types[1]

    def initialize(self, table: Any) -> Any:
        """Add the operation that fills the table; it is run by tables_initializer, too."""
        with framework.name_scope(None, f"{table.name}_initializer"):
            op = self._fill(table.resource_handle)
        framework.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op

    def _fill(self, handle: Any) -> Any:
        raise NotImplementedError("a subclass says how a table is filled")


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table from a vector of keys and one of values."""

    def __init__(self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None,
                 name: str | None = None) -> None:  # fmt: skip
        with framework.name_scope(name, "key_value_init", [keys, values]):
            self._keys = framework.convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = framework.convert_to_tensor(values, dtype=value_dtype, name="values")
        super().__init__(self._keys.dtype, self._values.dtype)

    def _fill(self, handle: Any) -> Any:
        return framework.apply_op("InitializeTableV2", [handle, self._keys, self._values])


class TextFileIndex:
    """Which part of a line a key or a value is, besides the number of a column."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Fills a table from the lines of a file."""

    def __init__(self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any,
                 value_index: int, vocab_size: int | None = None, delimiter: str = "\t",
                 name: str | None = None, value_index_offset: int = 0) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype)
        for index, dtype in ((key_index, self.key_dtype), (value_index, self.value_dtype)):
            if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
                raise ValueError(f"line numbers are int64, not {dtype.name}")
            if index == TextFileIndex.WHOLE_LINE and dtype not in (dtypes.string, dtypes.int64):
                raise ValueError(f"a whole line is a string or an int64, not {dtype.name}")
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError(f"Invalid column index {index}.")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._filename = framework.convert_to_tensor(filename, dtypes.string, name="asset_filepath")
        if framework.constant_value(self._filename) is not None:  # a name that is fed is no asset
            framework.add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        self._attrs = {"key_index": key_index, "value_index": value_index, "delimiter": delimiter,
                       "vocab_size": -1 if vocab_size is None else vocab_size,
                       "offset": value_index_offset}  # fmt: skip

    def _fill(self, handle: Any) -> Any:
        inputs = [handle, self._filename]
        return framework.apply_op("InitializeTableFromTextFileV2", inputs, self._attrs)


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from words to the numbers of their lines."""

    def __init__(self, filename: Any, key_column_index: int = TextFileIndex.WHOLE_LINE,
                 value_column_index: int = TextFileIndex.LINE_NUMBER,
                 vocab_size: int | None = None, delimiter: str = "\t",
                 name: str = "text_file_id_table_init",
                 key_dtype: Any = dtypes.string) -> None:  # fmt: skip
        super().__init__(filename, key_dtype, key_column_index, dtypes.int64, value_column_index,
                         vocab_size, delimiter, name)  # fmt: skip


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from the numbers of lines to their words."""

    def __init__(self, filename: Any, key_column_index: int = TextFileIndex.LINE_NUMBER,
                 value_column_index: int = TextFileIndex.WHOLE_LINE,
                 vocab_size: int | None = None, delimiter: str = "\t",
                 name: str = "text_file_string_table_init") -> None:  # fmt: skip
        super().__init__(filename, dtypes.int64, key_column_index, dtypes.string,
                         value_column_index, vocab_size, delimiter, name)  # fmt: skip


class LookupInterface:
    """What all tables have."""

    def __init__(self, key_dtype: Any, value_dtype: Any, handle: Any, default_value: Any) -> None:
        self._types = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self.resource_handle = handle
        self._default = framework.convert_to_tensor(default_value, dtype=self._types[1])
        self.initializer: Any = None

    @property
    def key_dtype(self) -> Any:
        """The type of keys."""
        return self._types[0]

    @property
    def value_dtype(self) -> Any:
        """The type of values."""
        return self._types[1]

    @property
    def name(self) -> str:
        """The name of the table."""
        return str(self.resource_handle.op.name.rpartition("/")[2])

    @property
    def init(self) -> Any:
        """The operation that fills the table; None where none is needed."""
        return self.initializer

    @property
    def default_value(self) -> Any:
        """The value of keys that are not there."""
        return self._default

    @property
    def table_ref(self) -> Any:
        """The handle of the table."""
        return self.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return how many keys there are."""
        return emit("LookupTableSizeV2", [self.resource_handle], name or f"{self.name}_Size")

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the value of each key; raises TypeError for keys of another type."""
        sparse = hasattr(keys, "dense_shape") and hasattr(keys, "indices")
        values = keys.values if sparse else framework.convert_to_tensor(keys, name="keys")
        if values.dtype.base_dtype != self.key_dtype:
            values = self._cast_key(values)
        found = emit("LookupTableFindV2", [self.resource_handle, values, self._default],
                     name or f"{self.name}_Lookup")  # fmt: skip
        found.set_shape(values.get_shape().concatenate(self._default.get_shape()))
        return type(keys)(keys.indices, found, keys.dense_shape) if sparse else found

    def _cast_key(self, values: Any) -> Any:
        """Return keys as the table has them: numbers of words may come as int32."""
        if values.dtype.base_dtype == dtypes.int32 and self.key_dtype == dtypes.int64:
            return math_ops.cast(values, dtypes.int64)
        raise TypeError(f"Signature mismatch. Keys must be dtype {self.key_dtype}, got "
                        f"{values.dtype}.")  # fmt: skip


class HashTable(LookupInterface):
    """A table that an initializer fills once."""

    def __init__(self, initializer: Any, default_value: Any, shared_name: str | None = None,
                 name: str | None = None) -> None:  # fmt: skip
        attrs = {"key_dtype": initializer.key_dtype, "value_dtype": initializer.value_dtype,
                 "shared_name": shared_name or "",
                 "use_node_name_sharing": shared_name is None}  # fmt: skip
        handle = emit("HashTableV2", [], name or "hash_table", **attrs)
        super().__init__(initializer.key_dtype, initializer.value_dtype, handle, default_value)
        self.initializer = initializer.initialize(self)


StaticHashTable = HashTable


class MutableHashTable(LookupInterface):
    """A table that a program fills while it runs; values may be vectors."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any,
                 shared_name: str | None = None, name: str = "MutableHashTable",
                 checkpoint: bool = True) -> None:  # fmt: skip
        default = framework.convert_to_tensor(default_value, dtype=value_dtype)
        attrs = {"key_dtype": dtypes.as_dtype(key_dtype), "shared_name": shared_name or "",
                 "value_dtype": dtypes.as_dtype(value_dtype),
                 "use_node_name_sharing": shared_name is None}  # fmt: skip
        if default.get_shape().ndims == 0:
            handle = emit("MutableHashTableV2", [], name, **attrs)
        else:
            handle = emit("MutableHashTableOfTensorsV2", [], name,
                          value_shape=default.get_shape(), **attrs)  # fmt: skip
        super().__init__(key_dtype, value_dtype, handle, default)
        if checkpoint:
            framework.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Return an operation that sets the values of keys."""
        keys = framework.convert_to_tensor(keys, self.key_dtype, name="keys")
        values = framework.convert_to_tensor(values, self.value_dtype, name="values")
        inputs = [self.resource_handle, keys, values]
        return framework.apply_op("LookupTableInsertV2", inputs, {}, name or f"{self.name}_Insert")

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Return an operation that takes keys out."""
        keys = framework.convert_to_tensor(keys, self.key_dtype, name="keys")
        inputs = [self.resource_handle, keys]
        return framework.apply_op("LookupTableRemoveV2", inputs, {}, name or f"{self.name}_Remove")

    def export(self, name: str | None = None) -> Any:
        """Return all keys and all values."""
        attrs = {"Tkeys": self.key_dtype, "Tvalues": self.value_dtype}
        op = framework.apply_op("LookupTableExportV2", [self.resource_handle], attrs, name)
        keys, values = op.outputs
        values.set_shape(keys.get_shape().concatenate(self._default.get_shape()))
        return keys, values


class IdTableWithHashBuckets:
    """A table of numbers, where words that it does not have get numbers behind them by a hash."""

    def __init__(self, table: Any, num_oov_buckets: int, name: str | None = None,
                 key_dtype: Any = None) -> None:  # fmt: skip
        self._table = table
        self._buckets = num_oov_buckets
        self._key_dtype = dtypes.as_dtype(key_dtype or (table and table.key_dtype) or dtypes.string)
        self.name = name or "hash_bucket"

    @property
    def initializer(self) -> Any:
        """The operation that fills the table."""
        return control_ops.no_op() if self._table is None else self._table.initializer

    init = initializer

    @property
    def key_dtype(self) -> Any:
        """The type of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> Any:
        """The type of values."""
        return dtypes.int64

    def size(self, name: str | None = None) -> Any:
        """Return how many numbers there are, those of the hash among them."""
        own = 0 if self._table is None else self._table.size()
        return framework.convert_to_tensor(own, dtypes.int64) + self._buckets

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the number of each word."""
        sparse = hasattr(keys, "dense_shape") and hasattr(keys, "indices")
        values = keys.values if sparse else framework.convert_to_tensor(keys, name="keys")
        words = values
        if values.dtype.base_dtype != dtypes.string:
            words = emit("AsString", [values])
        if self._table is None:
            found = emit("StringToHashBucketFast", [words], num_buckets=self._buckets)
        else:
            known = self._table.lookup(values)
            found = known
            if self._buckets > 0:
                hashed = emit("StringToHashBucketFast", [words], num_buckets=self._buckets)
                hashed = hashed + self._table.size()
                there = math_ops.not_equal(known, self._table.default_value)
                found = array_ops.where_v2(there, known, hashed)
        return type(keys)(keys.indices, found, keys.dense_shape) if sparse else found


class StaticVocabularyTable(IdTableWithHashBuckets):
    """IdTableWithHashBuckets by another order of arguments: filled by an initializer."""

    def __init__(self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None,
                 name: str | None = None) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        table = None if initializer is None else HashTable(initializer, default_value=-1)
        super().__init__(table, num_oov_buckets, name, lookup_key_dtype)


def _only_fast_hash(hasher_spec: Any) -> None:
    if getattr(hasher_spec, "hasher", None) not in (None, "fasthash"):
        raise NotImplementedError("words outside get buckets by the fast hash alone")


def _with_buckets(table: Any, buckets: int, key_dtype: Any) -> Any:
    return table if buckets == 0 else IdTableWithHashBuckets(table, buckets, key_dtype=key_dtype)


def index_table_from_tensor(vocabulary_list: Any, num_oov_buckets: int = 0,
                            default_value: Any = -1, hasher_spec: Any = None,
                            dtype: Any = dtypes.string,
                            name: str | None = None) -> Any:  # fmt: skip
    """Return a table from each word of a list to its place. Raises ValueError for no list."""
    _only_fast_hash(hasher_spec)
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must not be negative, got {num_oov_buckets}")
    with framework.name_scope(name, "string_to_index"):
        keys = framework.convert_to_tensor(vocabulary_list, name="keys")
        wanted = dtypes.as_dtype(dtype)
        if keys.dtype.base_dtype.is_integer != wanted.is_integer:
            raise ValueError(f"Invalid type of vocabulary: {keys.dtype}, dtype is {wanted}")
        if wanted.is_integer:
            keys = math_ops.cast(keys, dtypes.int64)
        numbers = math_ops.cast(creation_ops.range(array_ops.size(keys)), dtypes.int64)
        table = HashTable(KeyValueTensorInitializer(keys, numbers), default_value)
        return _with_buckets(table, num_oov_buckets, wanted)


def index_table_from_file(
    vocabulary_file: Any = None, num_oov_buckets: int = 0, vocab_size: int | None = None,
    default_value: Any = -1, hasher_spec: Any = None, key_dtype: Any = dtypes.string,
    name: str | None = None, key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER, delimiter: str = "\t",
) -> Any:  # fmt: skip
    """Return a table from the words of a file to the numbers of their lines."""
    _only_fast_hash(hasher_spec)
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    with framework.name_scope(name, "string_to_index"):
        wanted = dtypes.as_dtype(key_dtype)
        filler = TextFileIdTableInitializer(
            vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter,
            key_dtype=dtypes.int64 if wanted.is_integer else wanted,
        )  # fmt: skip
        table = HashTable(filler, default_value)
        return _with_buckets(table, num_oov_buckets, wanted)


def index_to_string_table_from_tensor(vocabulary_list: Any, default_value: Any = "UNK",
                                      name: str | None = None) -> Any:  # fmt: skip
    """Return a table from places in a list to the words."""
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    with framework.name_scope(name, "index_to_string"):
        values = framework.convert_to_tensor(vocabulary_list, dtypes.string)
        numbers = math_ops.cast(creation_ops.range(array_ops.size(values)), dtypes.int64)
        return HashTable(KeyValueTensorInitializer(numbers, values), default_value)


def index_to_string_table_from_file(
    vocabulary_file: Any, vocab_size: int | None = None, default_value: Any = "UNK",
    name: str | None = None, key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE, delimiter: str = "\t",
) -> Any:  # fmt: skip
    """Return a table from the numbers of lines of a file to their words."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified.")
    with framework.name_scope(name, "index_to_string"):
        filler = TextFileStringTableInitializer(
            vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter
        )
        return HashTable(filler, default_value)
