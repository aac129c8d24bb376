// The session. Its steps are plain C functions of Python, called without any argument conversion:
// what a step costs beyond its kernels is decided here.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "base/exceptions.h"
#include "base/fork.h"
#include "graph/graph_def.h"
#include "kernels/framework/step_trace.h"
#include "python/attr_python.h"
#include "python/bindings.h"
#include "python/gil.h"
#include "python/numpy_api.h"
#include "python/preparation_watch.h"
#include "python/python_error.h"
#include "python/scalar_feed.h"
#include "python/tensor_numpy.h"
#include "python/text.h"
#include "session/session.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Turns what was fed into a plain array: called as converter(value, type number, shape, name).
nb::object& FeedConverter() {
  static nb::object* converter = new nb::object;
  return *converter;
}

// A session and the graph that it needs.
class PythonSession {
 public:
  PythonSession(std::shared_ptr<Graph> graph, const SessionOptions& options)
      : graph_(std::move(graph)),
        session_(std::make_unique<DirectSession>(graph_.get(), options)) {}
  ~PythonSession() {
    // Its threads may be among those that the end of Python keeps, or that a fork lost, with locks:
    // nobody joins them.
    if (PythonEnds() || !CheckForked().ok()) {
      static_cast<void>(session_.release());
      return;
    }
    const GilReleased released;  // its threads end first
    session_.reset();
  }
  PythonSession(const PythonSession&) = delete;
  PythonSession& operator=(const PythonSession&) = delete;
  DirectSession& operator*() const { return *session_; }
  DirectSession* operator->() const { return session_.get(); }
  const Graph& graph() const { return *graph_; }

 private:
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<DirectSession> session_;
};

constexpr int kNone = -1;

// One place of an answer: the fetch that goes there, or kNone for an operation.
struct Place {
  int fetch;
  bool last;  // no later place has the same fetch, so its memory can be handed over
};

// One prepared step; with `single` it answers with the first place alone.
struct PythonStep {
  std::shared_ptr<PythonSession> session;
  RunSignature signature;
  // The GIL guards these. A step that holds the GIL takes them out: to share them would cost it two
  // counts that all processors must agree on.
  mutable std::shared_ptr<Callable> callable;  // null while such a step has it
  mutable std::vector<Tensor> fetched;  // room for those of the next step
  std::vector<Place> places;
  std::chrono::milliseconds timeout{0};
  int trace_level = 0;  // of RunOptions; not 0: the answer comes with what the step did
  bool single = false;
};

// Integers and truth values are what kernels use as positions and counts. Another thread of the
// program may write into a fed array while a step reads it, so these are not read where they lie.
bool IsIndex(DType dtype) {
  return !IsFloating(dtype) && !IsComplex(dtype) && !IsHostObject(dtype);
}

Tensor ConvertFeed(PyObject* value, const Endpoint& endpoint) {
  const std::string name = StrCat(endpoint.node->name(), ":", endpoint.index);
  const nb::object array = StayWhenPythonEnds([&] {
    return FeedConverter()(nb::handle(value), static_cast<int>(endpoint.dtype()),
                           ShapeToPython(endpoint.shape()), name);
  });
  const auto* fields = reinterpret_cast<const NumpyApi::Array*>(array.ptr());
  if (!NumpyApi::Get().IsArray(array.ptr()) || !NumpyApi::IsPlain(fields) ||
      NumpyApi::TypeOf(fields) != endpoint.dtype()) {
    throw nb::type_error("the feed converter did not return a plain array of the right type");
  }
  return IsIndex(endpoint.dtype()) ? CopyFromArray(array) : BorrowArray(array, endpoint.dtype());
}

bool ShapeFits(const NumpyApi::Array* array, const PartialShape& shape) {
  if (!shape.known_rank()) return array->rank <= kMaxRank;
  if (shape.rank() != array->rank) return false;
  for (int i = 0; i < array->rank; ++i) {
    if (shape.dim(i) != kUnknownDim && shape.dim(i) != array->dims[i]) return false;
  }
  return true;
}

// An array of the right type is used where it lies, and a number is taken as it is; everything else
// goes through the converter, which also words the errors.
Tensor TensorFromFeed(PyObject* value, const Endpoint& endpoint) {
  if (!endpoint.shape().known_rank() || endpoint.shape().rank() == 0) {
    if (std::optional<Tensor> number = TensorOfNumber(value, endpoint.dtype())) {
      return *std::move(number);
    }
  }
  const auto* array = reinterpret_cast<const NumpyApi::Array*>(value);
  const bool plain = NumpyApi::Get().IsArray(value) && NumpyApi::IsPlain(array) &&
                     endpoint.dtype() != DType::kString &&
                     NumpyApi::TypeOf(array) == endpoint.dtype() &&
                     ShapeFits(array, endpoint.shape());
  if (!plain) return ConvertFeed(value, endpoint);
  return IsIndex(endpoint.dtype()) ? CopyFromArray(value) : BorrowArray(value, endpoint.dtype());
}

nb::object ResultAt(const Place& place, std::vector<Tensor>* fetched) {
  if (place.fetch == kNone) return nb::none();
  Tensor& tensor = (*fetched)[static_cast<size_t>(place.fetch)];
  return ToNumpy(place.last ? std::move(tensor) : tensor);
}

nb::object Results(const PythonStep& step, std::vector<Tensor>* fetched) {
  if (step.single) return ResultAt(step.places[0], fetched);
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(step.places.size())));
  if (!list.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < step.places.size(); ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i),
                    ResultAt(step.places[i], fetched).release().ptr());
  }
  return list;
}

std::shared_ptr<Callable> MakeCallable(const PythonSession& session, const RunSignature& signature,
                                       std::chrono::milliseconds timeout) {
  PreparationWatch watch(timeout);
  std::shared_ptr<Callable> made;
  const Status status = CatchExceptions([&]() -> Status {
    const StopScope scope(&watch);
    ASSIGN_OR_RETURN(made, session->MakeCallable(signature.feeds, signature.fetches, signature.targets));
    return OkStatus();
  });
  watch.Raise();
  ThrowIfError(status);
  return made;
}

// Takes out what is prepared for the graph as it is: edges and shapes may have changed since the
// last step.
std::shared_ptr<Callable> TakeCallable(const PythonStep& step) {
  std::shared_ptr<Callable> callable = std::move(step.callable);
  if (callable != nullptr && callable->graph_version() == step.session->graph().version()) {
    return callable;
  }
  return MakeCallable(*step.session, step.signature, step.timeout);
}

// What a look at Python's signals during a step has raised, kept until the step has ended.
class SignalLook {
 public:
  // Handlers of signals run on the thread that Python began on, and nowhere else.
  static bool IsHere() { return PyThread_get_thread_ident() == MainThread(); }
  static unsigned long& MainThread() {
    static unsigned long thread = 0;
    return thread;
  }

  // Called without the GIL.
  Status Look() {
    return StayWhenPythonEnds([this] {
      const PyGILState_STATE state = PyGILState_Ensure();
      const bool raised = PyErr_CheckSignals() != 0;
      if (raised) error_.emplace();  // takes what was raised
      PyGILState_Release(state);
      return raised ? Status(Code::kCancelled, "interrupted") : OkStatus();
    });
  }
  // Raises it, unless nothing was.
  void Raise() {
    if (error_) throw std::move(*error_);
  }

 private:
  std::optional<nb::python_error> error_;
};

// Levels of RunOptions.TraceLevel from which on GPUs are looked at.
constexpr int kHardwareTrace = 2;

// The answer of a traced step: (results, StepStats message, {allocator: peak bytes}, how many runs
// of kernels did not fit in).
nb::object WithTrace(nb::object results, const StepTrace& trace) {
  nb::dict peaks;
  for (const auto& [allocator, bytes] : trace.PeakBytes()) peaks[allocator.c_str()] = bytes;
  const std::string stats = trace.StepStats();
  return nb::make_tuple(results, nb::bytes(stats.data(), stats.size()), peaks,
                        trace.num_dropped());
}

nb::object RunStep(const PythonStep& step, PyObject* const* values, size_t count) {
  const std::vector<Endpoint>& endpoints = step.signature.feeds;
  if (count != endpoints.size()) {
    PyErr_Format(PyExc_TypeError, "expected %zu values to feed, got %zu", endpoints.size(), count);
    throw nb::python_error();
  }
  std::vector<Tensor> feeds;
  feeds.reserve(count);
  for (size_t i = 0; i < count; ++i) feeds.push_back(TensorFromFeed(values[i], endpoints[i]));
  // Code that runs meanwhile, to make answers, may run the step again.
  std::shared_ptr<Callable> callable = TakeCallable(step);
  std::vector<Tensor> fetched = std::move(step.fetched);
  if (step.timeout.count() == 0 && step.trace_level == 0) {
    // To give the GIL up and to take it again would cost more than the step.
    if (const auto ended = (*step.session)->RunTiny(*callable, feeds, &fetched)) {
      ThrowIfError(*ended);
      nb::object results = Results(step, &fetched);
      fetched.clear();
      step.fetched = std::move(fetched);
      step.callable = std::move(callable);
      return results;
    }
  }
  step.callable = callable;
  std::optional<StepTrace> trace;
  if (step.trace_level > 0) trace.emplace(step.trace_level >= kHardwareTrace);
  Status status;
  SignalLook signals;
  StepOptions options{step.timeout, nullptr, trace ? &*trace : nullptr};
  if (SignalLook::IsHere()) options.look = [&signals] { return signals.Look(); };
  {
    const GilReleased released;
    status = (*step.session)->Run(*callable, feeds, &fetched, options);
  }
  signals.Raise();
  ThrowIfError(status);
  return trace ? WithTrace(Results(step, &fetched), *trace) : Results(step, &fetched);
}

// The capsule of a step has no name: nobody but the step's function has it.
PyObject* CallStep(PyObject* self, PyObject* const* values, Py_ssize_t count) {
  try {
    const auto* step = static_cast<const PythonStep*>(PyCapsule_GetPointer(self, nullptr));
    if (step == nullptr) return nullptr;
    return RunStep(*step, values, static_cast<size_t>(count)).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    SetPythonError(StatusOfException());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return nullptr;
}

void DeleteStep(PyObject* capsule) {
  delete static_cast<PythonStep*>(PyCapsule_GetPointer(capsule, nullptr));
}

PyMethodDef& StepMethod() {
  static PyMethodDef method = {"step", nullptr, METH_FASTCALL, "Run one step on the fed values."};
  // By way of void*: the table knows only one type of function.
  method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&CallStep));
  return method;
}

std::vector<Place> PlacesFromPython(nb::handle fetches, int num_fetches) {
  std::vector<Place> places;
  for (nb::handle item : nb::cast<nb::sequence>(fetches)) {
    const int fetch = nb::cast<int>(item);
    if (fetch < kNone || fetch >= num_fetches) throw nb::value_error("no such fetch");
    for (Place& earlier : places) {
      if (earlier.fetch == fetch) earlier.last = false;
    }
    places.push_back({fetch, true});
  }
  return places;
}

// A function that runs one step: its arguments are the fed values in the order of `feeds`.
nb::object MakeStep(std::shared_ptr<PythonSession> session, nb::sequence feeds,
                    nb::sequence fetches, nb::sequence targets, nb::object results,
                    int64_t timeout_ms, int trace_level) {
  auto step = std::make_unique<PythonStep>();
  step->signature = {EndpointsAt(session->graph(), feeds),
                     EndpointsAt(session->graph(), fetches), NodesAt(session->graph(), targets)};
  step->timeout = std::chrono::milliseconds(timeout_ms);
  step->callable = MakeCallable(*session, step->signature, step->timeout);
  const int num_fetches = static_cast<int>(step->signature.fetches.size());
  step->single = PyLong_Check(results.ptr());
  if (step->single) results = nb::make_tuple(results);
  step->places = PlacesFromPython(results, num_fetches);
  step->trace_level = trace_level;
  step->session = std::move(session);
  const nb::object capsule = nb::steal(PyCapsule_New(step.get(), nullptr, &DeleteStep));
  if (!capsule.is_valid()) throw nb::python_error();
  step.release();
  nb::object function = nb::steal(PyCFunction_New(&StepMethod(), capsule.ptr()));
  if (!function.is_valid()) throw nb::python_error();
  return function;
}

}  // namespace

PyObject* CallStepFunction(PyObject* step, PyObject* const* values, size_t count) {
  // Sessions keep functions of Python as well; a step's own needs nothing of Python to be called.
  if (PyCFunction_CheckExact(step) != 0 && PyCFunction_GET_FUNCTION(step) == StepMethod().ml_meth) {
    return CallStep(PyCFunction_GET_SELF(step), values, static_cast<Py_ssize_t>(count));
  }
  return StayWhenPythonEnds([&] { return PyObject_Vectorcall(step, values, count, nullptr); });
}

namespace {

// What the passes made of a signature: ((name, nodes before, after, seconds, changes, text,
// graphviz), ...).
nb::list ExplainStep(PythonSession& session, nb::sequence feeds, nb::sequence fetches,
                     nb::sequence targets) {
  const auto callable = ValueOrThrow(session->MakeCallable(
      EndpointsAt(session.graph(), feeds), EndpointsAt(session.graph(), fetches),
      NodesAt(session.graph(), targets)));
  nb::list rows;
  for (const PassRecord& pass : *ValueOrThrow(session->Explain(callable.get()))) {
    nb::list changes;
    for (const std::string& change : pass.changes) changes.append(nb::cast(change));
    rows.append(nb::make_tuple(pass.name, pass.nodes_before, pass.nodes_after,
                               std::chrono::duration<double>(pass.time).count(), changes,
                               pass.text, pass.graphviz));
  }
  return rows;
}

// What runs on each device, as GraphDef messages.
nb::list PartitionGraphs(PythonSession& session, nb::sequence feeds, nb::sequence fetches,
                         nb::sequence targets) {
  const RunSignature signature{EndpointsAt(session.graph(), feeds),
                               EndpointsAt(session.graph(), fetches),
                               NodesAt(session.graph(), targets)};
  const auto graph_defs = ValueOrThrow(session->PartitionGraphs(signature));
  nb::list partitions;
  for (const auto& [device, graph_def] : graph_defs) {
    const std::string bytes = SerializeGraphDef(graph_def);
    partitions.append(nb::bytes(bytes.data(), bytes.size()));
  }
  return partitions;
}

std::shared_ptr<PythonSession> MakeSession(std::shared_ptr<Graph> graph, int intra_op_threads,
                                           int inter_op_threads, bool allow_soft_placement,
                                           bool use_gpu, int num_cpus,
                                           bool log_device_placement,
                                           nb::sequence disabled_passes) {
  SessionOptions options;
  options.log_device_placement = log_device_placement;
  for (nb::handle name : disabled_passes) {
    options.passes.disabled.push_back(TextFromPython(name));
  }
  options.intra_op_threads = intra_op_threads;
  options.inter_op_threads = inter_op_threads;
  options.allow_soft_placement = allow_soft_placement;
  options.use_gpu = use_gpu;
  options.num_cpus = num_cpus;
  return std::make_shared<PythonSession>(std::move(graph), options);
}

}  // namespace

void BindSession(nb::module_& module) {
  nb::class_<PythonSession>(module, "Session")
      .def("make_step", &MakeStep, nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"),
           nb::arg("results"), nb::arg("timeout_ms"), nb::arg("trace_level"))
      .def("explain", &ExplainStep, nb::arg("feeds"), nb::arg("fetches"), nb::arg("targets"))
      .def("partition_graphs", &PartitionGraphs, nb::arg("feeds"), nb::arg("fetches"),
           nb::arg("targets"))
      .def("close", [](PythonSession& session) {
        const GilReleased released;  // what it cancels may want it
        ThrowIfError(session->Close());
      });
  module.def("make_session", &MakeSession, nb::arg("graph"), nb::arg("intra_op_threads"),
             nb::arg("inter_op_threads"), nb::arg("allow_soft_placement"), nb::arg("use_gpu"),
             nb::arg("num_cpus"), nb::arg("log_device_placement"), nb::arg("disabled_passes"));
  module.def("set_main_thread", [](unsigned long thread) { SignalLook::MainThread() = thread; });
  module.def("set_feed_converter",
             [](nb::object converter) { FeedConverter() = std::move(converter); });
}

}  // namespace python
}  // namespace tfbuild
