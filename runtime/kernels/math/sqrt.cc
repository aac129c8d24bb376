// Sqrt and Rsqrt with their gradients.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

TFBUILD_COMPLEX_UNARY_OP(Sqrt, kCheapGrain)
TFBUILD_COMPLEX_UNARY_OP(Rsqrt, kCheapGrain)
TFBUILD_GRADIENT_OP(SqrtGrad)
TFBUILD_GRADIENT_OP(RsqrtGrad)

}  // namespace
}  // namespace tfbuild
