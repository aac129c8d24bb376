#include "linalg/dense.h"

#include "base/stop_look.h"

namespace tfbuild {
namespace linalg {

void LookFromEigen() {
  static thread_local StopLook look;
  look.Turn();
}

}  // namespace linalg
}  // namespace tfbuild
