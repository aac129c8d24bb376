// Exp, Log, Log1p and Erf.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

TFBUILD_COMPLEX_UNARY_OP(Exp, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Log, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Log1p, kMathGrain)
TFBUILD_UNARY_OP(Erf, kMathGrain)

}  // namespace
}  // namespace tfbuild
