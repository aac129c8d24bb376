// The extension module _runtime: ops, devices and build information; graph, GraphDef and session
// are bound by their own files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/fork.h"
#include "graph/op_def.h"
#include "kernels/framework/op_kernel.h"
#include "python/attr_python.h"
#include "python/bindings.h"
#include "python/build_info.h"
#include "python/python_error.h"
#include "python/text.h"
#include "tensor/device.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// ((name, type number or 0, type attribute, number attribute, list of types attribute, is_ref),
// ...).
nb::list ArgsToPython(const std::vector<ArgDef>& args) {
  nb::list rows;
  for (const ArgDef& arg : args) {
    rows.append(nb::make_tuple(arg.name, static_cast<int>(arg.type), arg.type_attr,
                               arg.number_attr, arg.type_list_attr, arg.is_ref));
  }
  return rows;
}

// ((name, kind, has_default, default, allowed, minimum), ...): default as plain value, allowed as type
// numbers or strings, minimum None where there is none.
nb::list AttrsToPython(const OpDef& op) {
  nb::list rows;
  for (const AttrDef& attr : op.attrs) {
    nb::object value = nb::none();
    if (attr.default_value) value = nb::borrow(AttrToPython(*attr.default_value)[1]);
    nb::list allowed;
    for (const DType dtype : attr.allowed_types) allowed.append(static_cast<int>(dtype));
    for (const std::string& text : attr.allowed_strings) allowed.append(nb::cast(text));
    nb::object minimum = nb::none();
    if (attr.minimum) minimum = nb::int_(*attr.minimum);
    rows.append(nb::make_tuple(attr.name, attr.kind, attr.default_value != nullptr, value,
                               nb::tuple(allowed), minimum));
  }
  return rows;
}

nb::tuple DescribeOp(nb::str name) {
  const OpDef* op = ValueOrThrow(OpRegistry::Global().Find(TextFromPython(name)));
  return nb::make_tuple(ArgsToPython(op->inputs), ArgsToPython(op->outputs), AttrsToPython(*op),
                        op->is_stateful);
}

nb::list OpNames() {
  nb::list names;
  for (const std::string& name : OpRegistry::Global().Names()) names.append(nb::cast(name));
  return names;
}

// ((op, "CPU" or "GPU", ((attribute, type number), ...)), ...).
nb::list Kernels() {
  nb::list rows;
  for (const auto& [op, registration] : KernelRegistry::Global().all()) {
    nb::list types;
    for (const auto& [attr, dtype] : registration.kernel.types()) {
      types.append(nb::make_tuple(attr, static_cast<int>(dtype)));
    }
    rows.append(nb::make_tuple(op, DeviceTypeName(registration.kernel.device()), nb::tuple(types)));
  }
  return rows;
}

// ((name, "CPU" or "GPU", memory in bytes, description), ...).
nb::list Devices(int num_cpus) {
  nb::list rows;
  for (Device* device : SessionDevices(num_cpus, true)) {
    rows.append(nb::make_tuple(device->name(), DeviceTypeName(device->type()),
                               device->memory_bytes(), device->description()));
  }
  return rows;
}

// Called as the process ends, with its exit status. Where a kernel does not let go in time the process
// ends without the destructors of libraries, which would take from that kernel what it uses.
void EndProgram(int status, void*) {
  constexpr std::chrono::seconds kLimit{3};
  if (EndWork(kLimit)) return;
  std::fflush(nullptr);
  _exit(status);
}

// What is registered last is called first: libraries register theirs while they are used.
void CallEndProgramFirst() { on_exit(&EndProgram, nullptr); }

void BindDevices(nb::module_& module) {
  module.def("devices", &Devices, nb::arg("num_cpus"));
  // "" when GPUs are usable, else one sentence that says what is missing.
  module.def("gpu_status", [] { return GpuStatus().message(); });
  module.def("build_info", &BuildInfo);
}

}  // namespace

void BindOps(nb::module_& module) {
  module.def("op_names", &OpNames);
  module.def("op_def", &DescribeOp);
  module.def("kernels", &Kernels);
  module.def("set_error_classes", &SetErrorClasses);
}

}  // namespace python
}  // namespace tfbuild

NB_MODULE(_runtime, module) {
  nb::set_leak_warnings(false);  // a program may end while its sessions live
  tfbuild::python::TranslateOutOfMemory();
  // Of the 32 functions that Python calls last; where others have taken them all, it is called earlier.
  if (Py_AtExit(&tfbuild::python::CallEndProgramFirst) != 0) tfbuild::python::CallEndProgramFirst();
  tfbuild::python::BindOps(module);
  tfbuild::python::BindDevices(module);
  tfbuild::python::BindGraph(module);
  tfbuild::python::BindGraphDef(module);
  tfbuild::python::BindSession(module);
  tfbuild::python::BindRunMethod(module);
  tfbuild::python::BindFunctions(module);
  tfbuild::python::BindRecords(module);
  tfbuild::python::BindCheckpoints(module);
}
