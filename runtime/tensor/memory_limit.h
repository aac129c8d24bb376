#pragma once

#include <cstddef>

namespace tfbuild {

// The bytes that this process can hope to use: memory and swap of the machine, or the limit of its
// container. The system promises more than that, and ends the process that uses it.
size_t MemoryLimit();

}  // namespace tfbuild
