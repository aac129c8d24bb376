#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "graph/graph.h"

namespace tfbuild {
namespace python {

// What each file adds to the module.
void BindOps(nanobind::module_& module);
void BindGraph(nanobind::module_& module);
void BindGraphDef(nanobind::module_& module);
void BindSession(nanobind::module_& module);
void BindRunMethod(nanobind::module_& module);
void BindFunctions(nanobind::module_& module);
void BindRecords(nanobind::module_& module);
void BindCheckpoints(nanobind::module_& module);

// The node of that id, and the endpoints of (id, output) pairs; both throw ValueError for what the
// graph does not have.
Node* NodeAt(const Graph& graph, int64_t id);
Endpoint EndpointAt(const Graph& graph, nanobind::handle pair);

// What step(*values), a function that make_step gave, answers; null where it has raised.
PyObject* CallStepFunction(PyObject* step, PyObject* const* values, size_t count);

std::vector<Endpoint> EndpointsAt(const Graph& graph, nanobind::sequence pairs);
std::vector<Node*> NodesAt(const Graph& graph, nanobind::sequence ids);

}  // namespace python
}  // namespace tfbuild
