// What is computed in double.
#include "linalg/elimination.h"
#include "linalg/spectrum.h"

namespace tfbuild {
namespace linalg {

Singular<double> Decompose(const Dense<double>& matrix, bool vectors, bool full) {
  unsigned int wanted = 0;
  if (vectors) {
    wanted = full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                  : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }
  const Eigen::BDCSVD<Dense<double>> found(matrix, wanted);
  if (!vectors) return {found.singularValues(), {}, {}};
  return {found.singularValues(), found.matrixU(), found.matrixV()};
}

TFBUILD_ELIMINATE(double, double)
TFBUILD_FIND_SPECTRUM(float, double)
TFBUILD_FIND_SPECTRUM(double, double)

}  // namespace linalg
}  // namespace tfbuild
