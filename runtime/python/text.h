#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tfbuild {
namespace python {

// A str as UTF-8, or the bytes of a bytes object: the one way in which text of Python comes here, as
// nanobind's own has no words for a str that is no text. Throws UnicodeEncodeError for half a surrogate
// pair and TypeError for an object of another type.
std::string TextFromPython(nanobind::handle text);

// A str that somebody will read: what is no text in it is written as \ud83d.
std::string MessageFromPython(nanobind::handle text);

// What was raised, as its class and its message: ValueError: no such thing.
std::string MessageOfError(const nanobind::python_error& error);

}  // namespace python
}  // namespace tfbuild
