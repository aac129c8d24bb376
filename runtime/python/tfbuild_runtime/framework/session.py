"""Sessions: run parts of a graph. The native step behind a fetch is prepared once and kept."""

import itertools
import re
import threading
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import defaults, errors, feeds, native, partial_run
from tfbuild_runtime.framework.feeds import tensors_of
from tfbuild_runtime.framework.fetches import Fetches
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.session_options import SessionOptions, options_of

# Steps that are kept prepared; of more the oldest go.
_MAX_STEPS = 1024
# What means this process: nothing, and servers that it has made.
LOCAL_TARGETS: set[Any] = {"", b""}
_CLOSED = "Attempted to use a closed Session."
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")


class BaseSession:
    """Runs a graph and owns its variables."""

    # A slot is found faster than an attribute, and each short step looks for it.
    __slots__ = ("__dict__", "__weakref__", "_steps")

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        if target not in LOCAL_TARGETS:
            raise errors.UnimplementedError(
                None, None, f"only sessions of this process (target '') are there, not {target!r}"
            )
        self._graph = graph if graph is not None else defaults.get_default_graph()
        self._options = options_of(config)
        # close() may be called by another thread at any time: it takes away _native, and who runs
        # something takes what _open_native gives. The lock keeps steps from being kept after it.
        self._lock = threading.RLock()  # what goes may call close() when it is destroyed
        self._native: Any = _make_native(self._graph, self._options)
        self._steps: dict[Any, Callable[..., Any]] = {}  # by native.step_key
        self._partial: dict[str, partial_run.PartialRun] = {}  # by handle
        self._numbers = itertools.count()

    @property
    def graph(self) -> Any:
        """The graph that it runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """The target, which is the process itself."""
        return ""

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Return the values of fetches, in the same nesting; None for operations.

        Raises an OpError when an operation fails, ValueError or TypeError for what cannot be
        fetched or fed, RuntimeError on a closed session.
        """
        try:
            if options is not None or run_metadata is not None:
                return self._run_with_options(fetches, feed_dict, options, run_metadata)
            return self._run(fetches, feed_dict or None)
        except errors.OpError as error:
            self._name_operation(error)
            raise

    def _run_with_options(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        timeout = 0 if options is None else int(options.timeout_in_ms)
        if run_metadata is not None and options is not None:
            from tfbuild_runtime.framework import traced_run

            return traced_run.run(self, fetches, feed_dict, options, run_metadata)
        if not timeout:
            return self._run(fetches, feed_dict)
        step = self._prepare(fetches, feed_dict, timeout)
        return step(*feed_dict.values()) if feed_dict else step()

    def _run(self, fetches: Any, feed_dict: Any) -> Any:
        key = native.step_key(fetches, tuple(feed_dict) if feed_dict else None)
        try:
            step = None if key is None else self._steps.get(key)
        except TypeError:  # something inside is no key
            key = step = None
        if step is None:
            step = self._prepare(fetches, feed_dict)
            if key is not None:
                self._keep(key, step)
        return step(*feed_dict.values()) if feed_dict else step()

    def _keep(self, key: Any, step: Callable[..., Any]) -> None:
        with self._lock:
            if self._native is None:
                return
            if len(self._steps) >= _MAX_STEPS:
                del self._steps[next(iter(self._steps))]
            self._steps[key] = step

    def _prepare(self, fetches: Any, feed_dict: Any, timeout_in_ms: int = 0) -> Callable[..., Any]:
        if feed_dict and feeds.has_several(feed_dict):
            return self._prepare_several(fetches, feed_dict, timeout_in_ms)
        fed, wanted = self._wanted(fetches, feed_dict)
        if wanted.places is not None:  # the native step builds the result
            return self._native_step(fed, wanted, wanted.places, timeout_in_ms)
        everything = list(range(len(wanted.tensors)))
        step = self._native_step(fed, wanted, everything, timeout_in_ms)
        rebuild = wanted.rebuild
        return lambda *values: rebuild(step(*values))

    def _prepare_several(
        self, fetches: Any, feed_dict: Any, timeout_in_ms: int
    ) -> Callable[..., Any]:
        keys = list(feed_dict)
        step = self._prepare(fetches, dict.fromkeys(feeds.tensors_of(keys)), timeout_in_ms)
        return lambda *values: step(*feeds.by_tensor(dict(zip(keys, values))).values())

    def _wanted(self, fetches: Any, feed_dict: Any) -> tuple[list[Tensor], Fetches]:
        self._check_open()
        if feed_dict is not None and not hasattr(feed_dict, "values"):
            raise TypeError("feed_dict must be a dictionary mapping graph elements to values.")
        fed = [self._feed(key) for key in feed_dict] if feed_dict else []
        return fed, Fetches(self._graph, fetches)

    @staticmethod
    def _signature(fed: list[Tensor], wanted: Fetches) -> dict[str, Any]:
        return {
            "feeds": [(tensor._op._id, tensor._value_index) for tensor in fed],
            "fetches": [(tensor._op._id, tensor._value_index) for tensor in wanted.tensors],
            "targets": [op._id for op in wanted.targets],
        }

    def _native_step(
        self,
        fed: list[Tensor],
        wanted: Fetches,
        results: Any,
        timeout_in_ms: int,
        trace_level: int = 0,
    ) -> Callable[..., Any]:
        return self._open_native().make_step(  # type: ignore[no-any-return]
            **self._signature(fed, wanted),
            results=results,
            timeout_ms=timeout_in_ms or self._options.timeout_ms,
            trace_level=trace_level,
        )

    def _step_of(self, fed: list[Tensor], tensors: list[Tensor], targets: Any) -> Any:
        """Return a step of these elements that gives a list of the tensors' values."""
        wanted = Fetches(self._graph, [*tensors, *targets])
        return self._native_step(fed, wanted, list(range(len(tensors))), 0)

    def _feed(self, key: Any) -> Tensor:
        try:
            return self._graph.as_graph_element(key, allow_operation=False)  # type: ignore[no-any-return]
        except (TypeError, ValueError, KeyError) as error:
            reason = error.args[0] if error.args else error
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {reason}") from None

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Return a handle of a step that partial_run runs in parts; all that it will be fed."""
        fed, wanted = self._wanted(fetches, dict.fromkeys(tensors_of(feeds or ())))
        step = partial_run.PartialRun(fed, wanted)
        with self._lock:
            handle = f"partial_run_{next(self._numbers)}"
            self._partial[handle] = step
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Return the values of fetches from a step that partial_run_setup has opened.

        Each feed is given once and each fetch is taken once; what has run is not run again. Raises
        InvalidArgumentError for a fetch that needs a later feed, and for what was not set up.
        """
        fed, wanted = self._wanted(fetches, feed_dict and feeds.by_tensor(feed_dict))
        if wanted.targets:
            raise RuntimeError("partial_run() requires empty `target_list`. Received: "
                               f"target_list={wanted.targets} (non-empty)")  # fmt: skip
        step = self._partial.get(handle)
        if step is None:
            partial_run.refuse(partial_run.NOT_SET_UP)
        values = list(feeds.by_tensor(feed_dict).values()) if feed_dict else []
        try:
            with step.lock:
                results = step.run(self, wanted, dict(zip(fed, values)))
        except errors.OpError as error:
            self._name_operation(error)
            raise
        finally:
            if step.is_over:
                self._partial.pop(handle, None)
        return wanted.rebuild(results)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Return a function of the fed values, in the order of feed_list, that returns fetches."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
            )
        feed_list = list(feed_list or ())
        step = self._prepare(fetches, dict.fromkeys(feed_list))
        if not feed_list and accept_options:
            return lambda options=None, run_metadata=None: step()  # noqa: ARG005

        def call(*values: Any, **_: Any) -> Any:
            try:
                return step(*values)
            except errors.OpError as error:
                self._name_operation(error)
                raise

        return call

    def list_devices(self) -> list[Any]:
        """Return the devices that operations can run on."""
        from tfbuild_runtime.framework import device_list

        return device_list.list_devices(self._options.num_cpus)

    def _name_operation(self, error: BaseException) -> None:
        """Add to an error of a step the operation that its message names."""
        if not isinstance(error, errors.OpError):
            return
        if self._native is None and "the session is closed" in error.message:
            raise RuntimeError(_CLOSED) from None
        found = _NODE.search(error.message)
        if found is not None and error.op is None:
            error._op = self._graph._by_name.get(found.group(1))

    def _open_native(self) -> Any:
        """Return the native session; raises RuntimeError where close() has taken it away."""
        found = self._native
        if found is None:
            raise RuntimeError(_CLOSED)
        return found

    def _check_open(self) -> None:
        self._open_native()
        if not self._graph._by_id:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def as_default(self) -> Any:
        """Make this the default session, and its graph the default graph, in a `with` block."""
        return _AsDefault(self)

    def close(self) -> None:
        """End the session: running steps are cancelled, later ones are refused."""
        self._close()

    def _close(self) -> bool:
        """Close it, and return whether it was open: one of several calls gets True."""
        with self._lock:
            closing, self._native = self._native, None
            self._steps.clear()
        if closing is not None:
            closing.close()
        return closing is not None


# What was fetched before, with as much fed, goes to its step at once.
native.shorten_run(BaseSession, "_steps", "_name_operation")


class _AsDefault:
    """A block in which a session and its graph are the defaults."""

    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        self._graph_block = self._session.graph.as_default()
        self._graph_block.__enter__()
        defaults.push_session(self._session)
        return self._session

    def __exit__(self, *error: object) -> None:
        defaults.pop_session(self._session)
        self._graph_block.__exit__(*error)


class Session(BaseSession):
    """A session; as a `with` block it is the default one and is closed at the end."""

    _block: Any = None

    def __enter__(self) -> "Session":  # noqa: PYI034 (typing.Self is newer than Python 3.9)
        self._block = self.as_default()
        self._block.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._block.__exit__(*error)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Do nothing: each session has variables of its own."""


class InteractiveSession(BaseSession):
    """A session that is the default one from the start until it is closed."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        # A graph that nobody named stays out of the way of tf.reset_default_graph().
        self._graph_block = None if graph is None else graph.as_default()
        if self._graph_block is not None:
            self._graph_block.__enter__()
        defaults.push_session(self)

    def close(self) -> None:
        """End the session."""
        if self._close():
            defaults.pop_session(self)
            if self._graph_block is not None:
                self._graph_block.__exit__(None, None, None)


def _make_native(graph: Any, options: SessionOptions) -> Any:
    return native.make_session(
        graph=graph._native,
        intra_op_threads=options.intra_op_threads,
        inter_op_threads=options.inter_op_threads,
        allow_soft_placement=options.allow_soft_placement,
        num_cpus=options.num_cpus,
        use_gpu=options.use_gpu,
        log_device_placement=options.log_device_placement,
        disabled_passes=options.disabled_passes,
    )
