// Floor, Ceil and IsNan.
#include "kernels/framework/families.h"

namespace tfbuild {
namespace {

TFBUILD_UNARY_OP(Floor, kCheapGrain)
TFBUILD_UNARY_OP(Ceil, kCheapGrain)
TFBUILD_PREDICATE_OP(IsNan)

}  // namespace
}  // namespace tfbuild
