#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace tfbuild {
namespace testing {

// Sanitisers map terabytes beside the program's own memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

// Runs `body` in the child of a fork() and answers with its status as waitpid gives it: 0 when body
// returned. A child that hangs is ended by SIGALRM after some seconds.
template <typename Body>
int StatusOfChild(const Body& body, unsigned seconds = 60) {
  std::fflush(nullptr);  // or the child's buffers would say again what this process has said
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace testing
}  // namespace tfbuild
