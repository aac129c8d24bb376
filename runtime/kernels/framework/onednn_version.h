#pragma once

#include <string>

namespace tfbuild {

// The version of the oneDNN library that this process has loaded, such as "3.2.0".
std::string OnednnVersion();

}  // namespace tfbuild
