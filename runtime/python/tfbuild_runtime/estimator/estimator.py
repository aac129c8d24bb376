"""tf.estimator.Estimator: trains, evaluates and asks the model that a model function makes."""

from __future__ import annotations

import copy
import inspect
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.data.dataset import Dataset
from tfbuild_runtime.data.iterator import make_initializable_iterator
from tfbuild_runtime.estimator.spec import ModeKeys, RunConfig
from tfbuild_runtime.estimator.warm_start import start_from
from tfbuild_runtime.framework import errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import nest
from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.protos import messages
from tfbuild_runtime.summary.writer import FileWriterCache
from tfbuild_runtime.train import basic_hooks, global_step, monitored_session
from tfbuild_runtime.train.checkpoint_reader import list_variables, load_variable
from tfbuild_runtime.train.checkpoint_state import latest_checkpoint
from tfbuild_runtime.train.saver import Saver

INPUT_HOOKS = "estimator_input_hooks"  # a collection: how an input function feeds its placeholders


class Estimator:
    """A model by its model function, which gets features, labels, and where it wants them mode,
    params and config, and gives an EstimatorSpec. Variables live in checkpoints in model_dir.
    """

    def __init__(self, model_fn: Callable[..., Any], model_dir: str | None = None,
                 config: RunConfig | None = None, params: Any = None,
                 warm_start_from: Any = None) -> None:  # fmt: skip
        self._config = copy.copy(config or RunConfig())
        self._model_fn = model_fn
        self._dir = model_dir or self._config.model_dir or tempfile.mkdtemp(prefix="estimator-")
        self._config.model_dir = self._dir
        self._params = {} if params is None else params
        self._warm_start = warm_start_from

    @property
    def model_dir(self) -> str:
        """The folder of its checkpoints."""
        return self._dir

    @property
    def config(self) -> RunConfig:
        """Its settings."""
        return self._config

    @property
    def params(self) -> Any:
        """What the model function gets as params."""
        return self._params

    def latest_checkpoint(self) -> str | None:
        """Return the path of the latest checkpoint; None before the first."""
        return latest_checkpoint(self._dir)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The model function, which takes features, labels, mode and config."""

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            del config
            return self._call_model(features, labels, mode)

        return model_fn

    def get_variable_names(self) -> list[str]:
        """Return the names of what its latest checkpoint holds; raises ValueError without one."""
        return [name for name, _ in list_variables(self._dir)]

    def get_variable_value(self, name: str) -> Any:
        """Return a variable of its latest checkpoint as an array; raises ValueError without one."""
        return load_variable(self._dir, name)

    # ---- what programs call ---------------------------------------------------------------------

    def train(self, input_fn: Callable[..., Any], hooks: Any = None, steps: int | None = None,
              max_steps: int | None = None, saving_listeners: Any = None) -> Estimator:  # fmt: skip
        """Train until the input ends, for steps more, or up to max_steps; return this object."""
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        if max_steps is not None and max_steps <= self._steps_done():
            tf_logging.info("Skipping training since max_steps has already saved.")
            return self
        with framework.Graph().as_default() as graph:
            graph.seed = self._config.tf_random_seed
            spec = self._build(input_fn, ModeKeys.TRAIN)
            if self._warm_start is not None and self.latest_checkpoint() is None:
                start_from(self._warm_start)
            chosen = [*framework.get_collection(INPUT_HOOKS), *(hooks or ()),
                      *spec.training_hooks, *spec.training_chief_hooks,
                      basic_hooks.NanTensorHook(spec.loss),
                      basic_hooks.LoggingTensorHook(
                          {"loss": spec.loss, "step": global_step.get_global_step()},
                          every_n_iter=self._config.log_step_count_steps or 100)]  # fmt: skip
            if steps is not None or max_steps is not None:
                chosen.append(basic_hooks.StopAtStepHook(steps, max_steps))
            scaffold = spec.scaffold or monitored_session.Scaffold(
                saver=Saver(
                    max_to_keep=self._config.keep_checkpoint_max,
                    keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
                )
            )
            chosen.append(basic_hooks.CheckpointSaverHook(
                self._made_dir(), self._config.save_checkpoints_secs,
                self._config.save_checkpoints_steps, scaffold=scaffold,
                listeners=saving_listeners,
            ))  # fmt: skip
            with monitored_session.MonitoredTrainingSession(
                checkpoint_dir=self._dir, scaffold=scaffold, hooks=chosen,
                save_checkpoint_secs=None, save_checkpoint_steps=None,
                config=self._config.session_config, log_step_count_steps=None,
                save_summaries_steps=self._config.save_summary_steps,
            ) as session:  # fmt: skip
                while not session.should_stop():
                    session.run([spec.train_op, spec.loss])
        return self

    def evaluate(self, input_fn: Callable[..., Any], steps: int | None = None, hooks: Any = None,
                 checkpoint_path: str | None = None,
                 name: str | None = None) -> dict[str, Any]:  # fmt: skip
        """Return the metrics over the input, or some batches of it, with loss and global_step.

        They are written for TensorBoard as well, into the folder eval, or eval_ and the name.
        """
        from tfbuild_runtime.metrics import metric_ops

        with framework.Graph().as_default():
            spec = self._build(input_fn, ModeKeys.EVAL)
            metrics = dict(spec.eval_metric_ops)
            metrics.setdefault("loss", metric_ops.mean(spec.loss))
            values = {key: pair[0] for key, pair in metrics.items()}
            values["global_step"] = global_step.get_global_step()
            updates = [pair[1] for pair in metrics.values()]
            chosen = [*framework.get_collection(INPUT_HOOKS), *(hooks or ()),
                      *spec.evaluation_hooks]  # fmt: skip
            result: dict[str, Any] = {}
            with self._session(spec, chosen, checkpoint_path) as session:
                done = 0
                while not session.should_stop() and (steps is None or done < steps):
                    try:
                        session.run(updates)
                    except errors.OutOfRangeError:
                        break
                    done += 1
                result = session.raw_session().run(values)
        tf_logging.info("Evaluated: %s", result)
        self._write_evaluation(f"eval_{name}" if name else "eval", result)
        return result

    def predict(self, input_fn: Callable[..., Any], predict_keys: Any = None, hooks: Any = None,
                checkpoint_path: str | None = None,
                yield_single_examples: bool = True) -> Iterator[Any]:  # fmt: skip
        """Yield the predictions for each example of the input, or each batch of it."""
        with framework.Graph().as_default():
            spec = self._build(input_fn, ModeKeys.PREDICT)
            wanted = spec.predictions
            if predict_keys is not None:
                wanted = {key: wanted[key] for key in predict_keys}
            chosen = [*framework.get_collection(INPUT_HOOKS), *(hooks or ()),
                      *spec.prediction_hooks]  # fmt: skip
            with self._session(spec, chosen, checkpoint_path) as session:
                while not session.should_stop():
                    try:
                        batch = session.run(wanted)
                    except errors.OutOfRangeError:
                        return
                    if not yield_single_examples:
                        yield batch
                        continue
                    for index in range(len(nest.flatten(batch)[0])):
                        yield nest.pack(batch, [leaf[index] for leaf in nest.flatten(batch)])

    def export_saved_model(
        self, export_dir_base: Any, serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Any = None, as_text: bool = False, checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:  # fmt: skip
        """Write the model into a new folder below the base, for serving; return its path.

        Raises ValueError before there is a checkpoint.
        """
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text,
                            checkpoint_path, experimental_mode, True)  # fmt: skip

    def _export(
        self, export_dir_base: Any, serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Any, as_text: bool, checkpoint_path: str | None, experimental_mode: str,
        strip_default_attrs: bool,
    ) -> bytes:  # fmt: skip
        from tfbuild_runtime.estimator.exporting import export

        if experimental_mode != ModeKeys.PREDICT:
            raise NotImplementedError("a model is exported for predictions alone")
        checkpoint = checkpoint_path or self.latest_checkpoint()
        if checkpoint is None:
            raise ValueError(f"Couldn't find trained model at {self._dir}.")
        return export(self._call_model, export_dir_base, serving_input_receiver_fn, checkpoint,
                      assets_extra, as_text, strip_default_attrs)  # fmt: skip

    def export_savedmodel(
        self, export_dir_base: Any, serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Any = None, as_text: bool = False, checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:  # fmt: skip
        """Do what export_saved_model does, which leaves out attributes that have their defaults."""
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text,
                            checkpoint_path, ModeKeys.PREDICT, strip_default_attrs)  # fmt: skip

    # ---- within ---------------------------------------------------------------------------------

    def _build(self, input_fn: Callable[..., Any], mode: str) -> Any:
        global_step.create_global_step()
        given = _call_with(input_fn, mode=mode, params=self._params, config=self._config)
        given = _elements_of(given)
        features, labels = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        return self._call_model(features, None if mode == ModeKeys.PREDICT else labels, mode)

    def _call_model(self, features: Any, labels: Any, mode: str) -> Any:
        wanted = {"mode": mode, "params": self._params, "config": self._config}
        names = inspect.signature(self._model_fn).parameters
        if "labels" in names:
            wanted["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        spec = _call_with(self._model_fn, features, **wanted)
        return spec.as_estimator_spec() if hasattr(spec, "as_estimator_spec") else spec

    def _steps_done(self) -> int:
        """Return how many steps the latest checkpoint has behind it."""
        path = self.latest_checkpoint()
        return 0 if path is None else int(load_variable(path, GraphKeys.GLOBAL_STEP))

    def _write_evaluation(self, folder: str, result: dict[str, Any]) -> None:
        summary = messages.Summary()
        for name, value in sorted(result.items()):
            if name != "global_step" and np.ndim(value) == 0:
                summary.value.add(tag=name, simple_value=float(value))
        writer = FileWriterCache.get(f"{self._made_dir()}/{folder}")
        writer.add_summary(summary, int(result["global_step"]))
        writer.flush()

    def _session(self, spec: Any, hooks: Any, checkpoint_path: str | None) -> Any:
        path = checkpoint_path or self.latest_checkpoint()
        if path is None:
            tf_logging.info("Could not find trained model in model_dir: %s, running "
                            "initialization.", self._dir)  # fmt: skip
        creator = monitored_session.ChiefSessionCreator(
            spec.scaffold, config=self._config.session_config, checkpoint_filename_with_path=path
        )
        return monitored_session.MonitoredSession(creator, hooks)

    def _made_dir(self) -> str:
        from tfbuild_runtime.platform import gfile

        gfile.make_directories(self._dir)
        return self._dir


def _elements_of(given: Any) -> Any:
    """Return the next elements of a dataset, whose iterator the session starts; else given."""
    if not isinstance(given, Dataset):
        return given
    iterator = make_initializable_iterator(given)
    framework.add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def _call_with(function: Callable[..., Any], *args: Any, **optional: Any) -> Any:
    """Call a function with those of the arguments that it takes."""
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    chosen = {key: value for key, value in optional.items()
              if key in parameters or (takes_all and key == "params")}  # fmt: skip
    return function(*args, **chosen)


__all__ = ["INPUT_HOOKS", "Estimator"]
