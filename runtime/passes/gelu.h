#pragma once

#include <set>

#include "passes/plan_uses.h"

namespace tfbuild {

// The node that ends the smooth rectifier by the hyperbolic tangent (Hendrycks and Gimpel, "Gaussian
// Error Linear Units", 2016) of x, 0.5 x (1 + tanh(0.7978... (x + 0.0447... x^3))), where nothing else
// reads x or what is computed on the way; else null. In whatever order its factors are multiplied.
PlanNode* FindGelu(const PlanNode& x, const PlanUses& uses,
                   const std::set<const PlanNode*>& constants);

}  // namespace tfbuild
