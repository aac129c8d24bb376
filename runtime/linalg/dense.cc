#include "linalg/dense.h"

#include "base/stop_look.h"

namespace tfbuild {
namespace linalg {

void LookFromEigen() {
  static thread_local StopLook look;
  look.Turns(16);  // products of vectors and matrices are longer than what is counted there
}

}  // namespace linalg
}  // namespace tfbuild
