#pragma once

// The names of kernels, which is what the symbol table of their library calls them, and which of
// them have run and with what result.

#include <cstddef>
#include <string>

namespace emulation {

std::string KernelName(const void* kernel);
// Notes a launch.
void NoteKernel(const void* kernel);
// Notes what was copied to the host, behind the kernel that was launched last: a line of the file
// EMULATION_COPIES, where that is set.
void NoteCopy(const void* data, size_t bytes);

// The memory in which the calling thread has the __shared__ variables of that kernel's library.
struct SharedMemory {
  void* data;
  size_t bytes;
};
SharedMemory SharedMemoryOf(const void* kernel);

}  // namespace emulation
