#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "graph/attr_value.h"

namespace tfbuild {
namespace python {

// An attribute value of that kind ("type", "list(int)", ...) from plain Python values: numbers of
// types, sizes with -1 or None for an unknown shape, bytes or str, arrays. Throws TypeError.
AttrValue AttrFromPython(const std::string& kind, nanobind::handle value);

// For attributes that no op defines ("_class", ...): the kind follows from the Python value; a shape
// is written as ("shape", sizes).
AttrValue AttrFromPythonValue(nanobind::handle value);

// (kind, plain Python value).
nanobind::tuple AttrToPython(const AttrValue& value);

// A shape as a tuple with -1 for unknown sizes, or None.
nanobind::object ShapeToPython(const PartialShape& shape);
PartialShape ShapeFromPython(nanobind::handle value);

}  // namespace python
}  // namespace tfbuild
