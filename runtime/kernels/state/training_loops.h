#pragma once

#include "kernels/framework/functors.h"

namespace tfbuild {

// One step of a rule (training_rules.h) on `count` elements; data[0] is the variable, and its slots
// follow. Compiled for all rules and floating types in training_loops.cc.
template <typename T, typename Rule>
void ApplyRule(const Rule& rule, int64_t count, const T* grad, T* const* data);

}  // namespace tfbuild
