// Sin, Cos and Expm1.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

TFBUILD_COMPLEX_UNARY_OP(Sin, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Cos, kMathGrain)
TFBUILD_COMPLEX_UNARY_OP(Expm1, kMathGrain)

}  // namespace
}  // namespace tfbuild
