#pragma once

namespace tfbuild {

// What a ForkGuard is, for a thread that helps one who has such a guard and may give it up meanwhile:
// it is not kept from helping where the process ends (EndWork), as it is waited for.
class HelperGuard {
 public:
  HelperGuard();
  ~HelperGuard();
  HelperGuard(const HelperGuard&) = delete;
  HelperGuard& operator=(const HelperGuard&) = delete;
};

}  // namespace tfbuild
