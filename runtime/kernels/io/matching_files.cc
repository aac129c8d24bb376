// MatchingFiles: the files whose paths match one of some patterns, sorted.
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Stateful()  // files come and go
    .ShapeFunction([](ShapeContext* context) {
      context->set_output(0, PartialShape({kUnknownDim}));
      return OkStatus();
    });

constexpr char kWild[] = "*?[\\";

bool IsPattern(const std::string& part) { return part.find_first_of(kWild) != std::string::npos; }

bool Exists(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0;
}

// The entries of a folder that match, without . and ..; none where it cannot be read.
std::vector<std::string> EntriesOf(const std::string& folder, const std::string& pattern) {
  std::vector<std::string> names;
  DIR* const entries = opendir(folder.empty() ? "." : folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) names.push_back(name);
  }
  closedir(entries);
  return names;
}

// What exists of `pattern` from `at` on, below `folder`, which ends with a slash or is empty.
void Match(const std::string& folder, const std::string& pattern, size_t at,
           std::set<std::string>* found) {
  const size_t slash = pattern.find('/', at);
  const bool is_last = slash == std::string::npos;
  const std::string part = pattern.substr(at, is_last ? std::string::npos : slash - at);
  std::vector<std::string> names{part};
  if (IsPattern(part)) names = EntriesOf(folder, part);
  for (const std::string& name : names) {
    const std::string path = folder + name;
    if (!is_last) {
      Match(path + "/", pattern, slash + 1, found);
    } else if (Exists(path)) {
      found->insert(path);
    }
  }
}

class MatchingFilesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& patterns = context->input(0);
    if (patterns.rank() > 1) {
      return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                             patterns.shape());
    }
    std::set<std::string> found;
    for (int64_t i = 0; i < patterns.num_elements(); ++i) {
      const std::string& pattern = patterns.data<std::string>()[i];
      const size_t wild = pattern.find_first_of(kWild);
      // What is found from here on is named so, as in TensorFlow.
      const bool from_here = wild != std::string::npos && pattern.rfind('/', wild) == std::string::npos;
      Match(from_here ? "./" : "", pattern, 0, &found);
    }
    context->SetOutput(0, Tensor::Strings(Shape{static_cast<int64_t>(found.size())},
                                          {found.begin(), found.end()}));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("MatchingFiles").OnCpu(), MatchingFilesOp);

}  // namespace
}  // namespace tfbuild
