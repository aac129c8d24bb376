// What floats need that is not computed in double.
#include "linalg/elimination.h"

namespace tfbuild {
namespace linalg {

TFBUILD_ELIMINATE(float, float)

}  // namespace linalg
}  // namespace tfbuild
