"""Graphs with what belongs to them, as files: collections, variables, how to save and restore."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tfbuild_runtime import __version__
from tfbuild_runtime.framework import defaults, producer_ops
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.importer import import_graph_def
from tfbuild_runtime.framework.variables import Variable
from tfbuild_runtime.protos import messages
from tfbuild_runtime.train import checkpoint_state
from tfbuild_runtime.train.queue_runner import QueueRunner
from tfbuild_runtime.train.saver import Saver
from tfbuild_runtime.train.variable_def import from_variable_def, to_variable_def

# Collections whose items are messages, and what makes something of those.
_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES,
    GraphKeys.GLOBAL_STEP,
)  # fmt: skip


def export_meta_graph(
    filename: Any = None, meta_info_def: Any = None, graph_def: Any = None, saver_def: Any = None,
    collection_list: Any = None, as_text: bool = False, graph: Any = None,
    export_scope: str | None = None, clear_devices: bool = False,
    clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
    save_debug_info: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """Return the MetaGraphDef of the default or the given graph; write it where a name is given.

    What of a collection is no variable, tensor, operation, number or text is left out; with
    strip_default_attrs so are attributes that have their defaults, for programs that do not know
    them.
    """
    del clear_extraneous_savers, save_debug_info
    graph = graph or defaults.get_default_graph()
    made = messages.MetaGraphDef()
    if meta_info_def is not None:
        made.meta_info_def.ParseFromString(meta_info_def.SerializeToString())
    made.meta_info_def.tensorflow_version = __version__
    source = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    made.graph_def.ParseFromString(source.SerializeToString())
    scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
    if scope:
        _keep_scope(made.graph_def, scope)
    if clear_devices:
        _clear_devices(made.graph_def)
    info = made.meta_info_def
    if not info.HasField("stripped_op_list"):
        info.stripped_op_list.CopyFrom(producer_ops.op_list_of(made.graph_def))
    if strip_default_attrs:
        producer_ops.strip_defaults(made.graph_def)
        info.stripped_default_attrs = True
    if saver_def is not None:
        made.saver_def.ParseFromString(saver_def.SerializeToString())
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        _add_collection(made, key, graph.get_collection(key), scope)
    if filename is not None:
        _write(Path(os.fspath(filename)), made, as_text=as_text)
    return made


def _write(path: Path, made: Any, *, as_text: bool) -> None:
    data = messages.to_text(made).encode() if as_text else made.SerializeToString()
    checkpoint_state.write_aside(path, data)


def _clear_devices(graph_def: Any) -> None:
    for node in graph_def.node:
        node.device = ""


def _keep_scope(graph_def: Any, scope: str) -> None:
    """Keep the nodes of a scope, without its name; what they take from outside must be fed."""
    kept = [node for node in graph_def.node if node.name.startswith(scope)]
    for node in kept:
        node.name = node.name[len(scope) :]
        inputs = [_unscoped(name, scope) for name in node.input]
        node.input[:] = inputs
        places = [
            place.replace(b"loc:@" + scope.encode(), b"loc:@")
            for place in node.attr["_class"].list.s
        ] if "_class" in node.attr else []  # fmt: skip
        if places:
            node.attr["_class"].list.s[:] = places
    kept_messages = [node.SerializeToString() for node in kept]
    del graph_def.node[:]
    for data in kept_messages:
        graph_def.node.add().ParseFromString(data)


def _unscoped(name: str, scope: str) -> str:
    mark = "^" if name.startswith("^") else ""
    bare = name[len(mark) :]
    return mark + bare.removeprefix(scope)


def _add_collection(made: Any, key: Any, items: Iterable[Any], scope: str) -> None:
    items = list(items)
    if not isinstance(key, str) or not items:
        return
    collection = messages.CollectionDef()
    if all(isinstance(item, Variable) for item in items):
        defs = [to_variable_def(item, scope) for item in items]
        collection.bytes_list.value.extend(d.SerializeToString() for d in defs if d is not None)
    elif all(isinstance(item, (Saver, QueueRunner)) for item in items):
        protos = [item.to_proto(scope.rstrip("/")) for item in items]
        collection.bytes_list.value.extend(p.SerializeToString() for p in protos if p is not None)
    elif not _add_plain(collection, items, scope):
        return
    made.collection_def[key].CopyFrom(collection)


def _add_plain(collection: Any, items: list[Any], scope: str) -> bool:
    if all(isinstance(item, int) for item in items):
        collection.int64_list.value.extend(items)
    elif all(isinstance(item, float) for item in items):
        collection.float_list.value.extend(items)
    elif all(isinstance(item, (str, bytes)) for item in items):
        data = (item.encode() if isinstance(item, str) else item for item in items)
        collection.bytes_list.value.extend(data)
    elif all(isinstance(item, (framework.Tensor, framework.Operation)) for item in items):
        names = (item.name for item in items if item.name.startswith(scope))
        collection.node_list.value.extend(name[len(scope) :] for name in names)
    else:
        return False
    return True


# ---- reading ------------------------------------------------------------------------------------


def read_meta_graph_file(filename: Any) -> Any:
    """Return the MetaGraphDef of a file, binary or text; raises OSError for what is neither."""
    from google.protobuf import message, text_format

    path = Path(os.fspath(filename))
    if not path.is_file():
        raise OSError(f"File {path} does not exist.")
    data = path.read_bytes()
    made = messages.MetaGraphDef()
    try:
        made.ParseFromString(data)
    except message.DecodeError:
        try:
            messages.merge_text(data.decode(), made)
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from None
    return made


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:  # fmt: skip
    """Add a graph and its collections to the default graph; return the Saver that it had.

    None where it has neither that nor variables. Raises OSError for a file that is no MetaGraphDef,
    ValueError or an OpError for a graph that cannot be built.
    """
    made = meta_graph_or_file
    if not hasattr(made, "graph_def"):
        made = read_meta_graph_file(meta_graph_or_file)
    made = messages.MetaGraphDef.FromString(made.SerializeToString())
    if clear_devices:
        _clear_devices(made.graph_def)
    scope = f"{import_scope.rstrip('/')}/" if import_scope else ""
    input_map = kwargs.get("input_map")
    info = made.meta_info_def
    known_to_producer = info.stripped_op_list if info.HasField("stripped_op_list") else None
    import_graph_def(
        made.graph_def, input_map, name=scope.rstrip("/"), producer_op_list=known_to_producer
    )
    _add_collections(made, scope)
    if made.HasField("saver_def"):
        return Saver(saver_def=_scoped(made.saver_def, scope), name=import_scope)
    own = framework.get_collection(GraphKeys.GLOBAL_VARIABLES, scope or None)
    return Saver(own, name=import_scope) if own else None


def _add_collections(made: Any, scope: str) -> None:
    from google.protobuf import message

    known: dict[str, Any] = {}
    for key, collection in sorted(made.collection_def.items()):
        try:
            items = _items_of(key, collection, scope, known)
        except message.DecodeError as error:
            raise ValueError(f"The collection {key!r} is damaged: {error}") from None
        for item in items:
            framework.add_to_collection(key, item)


def _scoped(saver_def: Any, scope: str) -> Any:
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(saver_def, field, scope + getattr(saver_def, field))
    return saver_def


def _items_of(key: str, collection: Any, scope: str, known: dict[str, Any]) -> list[Any]:
    """Return what a collection holds; one variable is one object in all of them."""
    kind = collection.WhichOneof("kind")
    if kind is None:
        return []
    values = list(getattr(collection, kind).value)
    if kind == "node_list":
        graph = defaults.get_default_graph()
        return [graph.as_graph_element(scope + name) for name in values]
    if kind == "bytes_list" and key in _VARIABLES:
        return [_variable_of(data, scope, known) for data in values]
    if kind == "bytes_list" and key == GraphKeys.SAVERS:
        defs = (messages.SaverDef.FromString(data) for data in values)
        return [Saver.from_proto(_scoped(saver_def, scope)) for saver_def in defs]
    if kind == "bytes_list" and key == GraphKeys.QUEUE_RUNNERS:
        runners = (messages.QueueRunnerDef.FromString(data) for data in values)
        return [QueueRunner.from_proto(runner, scope.rstrip("/")) for runner in runners]
    return values


def _variable_of(data: bytes, scope: str, known: dict[str, Any]) -> Any:
    variable_def = messages.VariableDef.FromString(data)
    name = variable_def.variable_name
    if name not in known:
        known[name] = from_variable_def(variable_def, scope)
    return known[name]
