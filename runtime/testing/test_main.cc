// Runs the tests that are linked in; an argument limits them to names that contain it, one that begins
// with a minus leaves those out that contain the rest. Prints a line for each failure and skip and one
// line of counts; exits with 1 when a test failed or none ran.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>
#include <vector>

#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

struct State {
  std::vector<TestCase> tests;
  bool failed = false;
  bool skipped = false;
};

State& TheState() {
  static State state;
  return state;
}

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

// Whether no filter leaves it out. std::string ends with a 0, so an empty one leaves out nothing.
bool IsWanted(const std::string& name, const std::vector<std::string>& filters) {
  return std::all_of(filters.begin(), filters.end(), [&name](const std::string& filter) {
    const bool leaves_out = filter[0] == '-';
    const bool is_in_name = name.find(filter.substr(leaves_out ? 1 : 0)) != std::string::npos;
    return is_in_name != leaves_out;
  });
}

void RunOne(const TestCase& test, Counts* counts) {
  State& state = TheState();
  state.failed = state.skipped = false;
  test.body();
  if (state.failed) {
    std::printf("FAILED %s.%s\n", test.suite, test.name);
    ++counts->failed;
  } else if (state.skipped) {
    ++counts->skipped;
  } else {
    ++counts->passed;
  }
}

// In that locale, where one is named, as programs that call setlocale(LC_ALL, "") are: numbers there
// have commas, or an i is no small I. Throws, which ends the program, where it is not installed.
void TakeLocale(const char* name) {
  if (name != nullptr) std::locale::global(std::locale(name));
}

}  // namespace

bool AddTest(const TestCase& test) {
  TheState().tests.push_back(test);
  return true;
}

void Fail(const char* file, int line, const std::string& message) {
  std::printf("%s:%d: %s\n", file, line, message.c_str());
  TheState().failed = true;
}

void Skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  TheState().skipped = true;
}

void CheckError(const char* file, int line, const Status& status, Code code,
                const std::string& part) {
  if (status.code() != code) {
    Fail(file, line, StrCat("expected an error of code ", static_cast<int>(code), ", got ",
                            static_cast<int>(status.code()), ": ", status.message()));
  } else if (status.message().find(part) == std::string::npos) {
    Fail(file, line, StrCat("error message lacks '", part, "': ", status.message()));
  }
}

}  // namespace testing
}  // namespace tfbuild

#ifdef __SANITIZE_ADDRESS__
// What asks for more than the fuzzer of kernels leaves them without a sanitiser is refused as there,
// instead of taking all memory that the machine has.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=3072";
}
#endif

#ifdef __SANITIZE_THREAD__
// Tests of fork() start threads in the child. Memory is refused as above, and less of it: beside each
// byte lie four of the sanitiser's. The OpenMP library is compiled without the sanitiser, which does
// not see that the end of a loop waits for its threads.
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0:allocator_may_return_null=1:max_allocation_size_mb=1024";
}
extern "C" const char* __tsan_default_suppressions() { return "race:_omp_fn\n"; }
#endif

int main(int argc, char** argv) {
  using tfbuild::testing::TestCase;
  setenv("TFBUILD_ALLOW_TF32", "0", 0);  // GPUs are held against all digits of the CPU
  tfbuild::testing::TakeLocale(std::getenv("TFBUILD_TEST_LOCALE"));
  tfbuild::testing::Counts counts;
  const std::vector<std::string> filters(argv + 1, argv + argc);
  for (const TestCase& test : tfbuild::testing::TheState().tests) {
    const std::string name = std::string(test.suite) + "." + test.name;
    if (tfbuild::testing::IsWanted(name, filters)) RunOne(test, &counts);
  }
  std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed > 0 || counts.passed + counts.skipped == 0 ? 1 : 0;
}
