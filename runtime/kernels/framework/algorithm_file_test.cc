#include "kernels/framework/algorithm_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/whole_file.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string NewFolder(const char* name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = StrCat(folder == nullptr ? "/tmp" : folder, "/algorithms/", name);
  std::filesystem::remove_all(path);
  return path;
}

std::filesystem::path OnlyFile(const std::string& folder) {
  std::filesystem::path found;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found = entry.path();
    ++count;
  }
  EXPECT_EQ(count, 1);  // and nothing that was written aside
  return found;
}

TEST(AlgorithmFile, IsReadByTheNextProcess) {
  const std::string folder = NewFolder("next");
  AlgorithmFile first(folder, "a GPU; driver 1");
  EXPECT_TRUE(!first.Find("a task"));
  EXPECT_OK(first.Keep("a task", "algorithm 1"));
  EXPECT_OK(first.Keep("another", "algorithm 2"));
  EXPECT_OK(first.Keep("a task", "algorithm 3"));
  const AlgorithmFile next(folder, "a GPU; driver 1");
  EXPECT_EQ(next.Find("a task").value_or(""), "algorithm 3");
  EXPECT_EQ(next.Find("another").value_or(""), "algorithm 2");
  // Another driver may have other algorithms.
  EXPECT_TRUE(!AlgorithmFile(folder, "a GPU; driver 2").Find("a task"));
  OnlyFile(folder);
}

TEST(AlgorithmFile, KeepsWhatOthersHaveWrittenMeanwhile) {
  const std::string folder = NewFolder("two");
  AlgorithmFile one(folder, "a GPU");
  AlgorithmFile two(folder, "a GPU");
  EXPECT_OK(one.Keep("of one", "1"));
  EXPECT_OK(two.Keep("of two", "2"));
  const AlgorithmFile next(folder, "a GPU");
  EXPECT_EQ(next.Find("of one").value_or(""), "1");
  EXPECT_EQ(next.Find("of two").value_or(""), "2");
}

TEST(AlgorithmFile, IgnoresWhatIsDamaged) {
  const std::string folder = NewFolder("damaged");
  EXPECT_OK(AlgorithmFile(folder, "a GPU").Keep("a task", "algorithm 1"));
  const std::filesystem::path path = OnlyFile(folder);
  const std::string whole = *ReadWholeFile(path.string());
  for (size_t i = 0; i <= whole.size(); i += i + 9 < whole.size() ? 9 : 1) {
    std::string damaged = whole.substr(0, i);
    if (i < whole.size()) damaged += static_cast<char>(whole[i] ^ 1) + whole.substr(i + 1);
    else damaged += whole;  // twice
    std::ofstream(path) << damaged;
    EXPECT_TRUE(!AlgorithmFile(folder, "a GPU").Find("a task"));
    std::ofstream(path) << whole.substr(0, i);
    EXPECT_TRUE(i == whole.size() || !AlgorithmFile(folder, "a GPU").Find("a task"));
  }
  // The next one that is found is written all the same.
  std::ofstream(path) << "damaged";
  EXPECT_OK(AlgorithmFile(folder, "a GPU").Keep("a task", "algorithm 2"));
  EXPECT_EQ(AlgorithmFile(folder, "a GPU").Find("a task").value_or(""), "algorithm 2");
}

TEST(AlgorithmFile, LeavesAloneWhatIsNotItsOwn) {
  const std::string folder = NewFolder("open");
  EXPECT_OK(AlgorithmFile(folder, "a GPU").Keep("a task", "algorithm 1"));
  const std::filesystem::path path = OnlyFile(folder);
  const std::string whole = *ReadWholeFile(path.string());
  // Another GPU's, under this one's name.
  const std::string other = NewFolder("other");
  EXPECT_OK(AlgorithmFile(other, "another GPU").Keep("a task", "algorithm 2"));
  std::filesystem::copy_file(OnlyFile(other), path,
                             std::filesystem::copy_options::overwrite_existing);
  AlgorithmFile foreign(folder, "a GPU");
  EXPECT_TRUE(!foreign.Find("a task"));
  EXPECT_ERROR(foreign.Keep("a task", "algorithm 3"), Code::kFailedPrecondition, "another GPU");
  EXPECT_EQ(foreign.Find("a task").value_or(""), "algorithm 3");
  // What everybody may change.
  std::ofstream(path) << whole;
  chmod(path.c_str(), 0666);
  EXPECT_TRUE(!AlgorithmFile(folder, "a GPU").Find("a task"));
  chmod(path.c_str(), 0600);
  chmod(folder.c_str(), 0777);
  AlgorithmFile open(folder, "a GPU");
  EXPECT_TRUE(!open.Find("a task"));
  EXPECT_ERROR(open.Keep("a task", "algorithm 3"), Code::kFailedPrecondition, "other users");
  EXPECT_EQ(*ReadWholeFile(path.string()), whole);
}

TEST(AlgorithmFile, KeepsNothingWithoutAFolder) {
  AlgorithmFile file("", "a GPU");
  EXPECT_OK(file.Keep("a task", "algorithm 1"));
  EXPECT_EQ(file.Find("a task").value_or(""), "algorithm 1");
  EXPECT_ERROR(file.Keep("a\ttask", "algorithm 1"), Code::kInternal, "no word");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
