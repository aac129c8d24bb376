#include "kernels/string/regex.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/stack_room.h"
#include "kernels/string/regex_parser.h"
#include "kernels/string/regex_search.h"

namespace tfbuild {
namespace {

constexpr size_t kMostSteps = 20000;
constexpr size_t kMostNodes = 1000000;  // as those that are empty make no steps

// The steps of a tree, one after the other.
class Compiler {
 public:
  Status Emit(const RegexNode& node) {
    RETURN_IF_ERROR(CheckStackRoom());
    if (steps_.size() > kMostSteps || ++nodes_ > kMostNodes) {
      return InvalidArgument("Invalid pattern: it is too large");
    }
    switch (node.kind) {
      case RegexNode::Kind::kEmpty: return OkStatus();
      case RegexNode::Kind::kBytes: {
        Regex::Step step{Regex::Kind::kBytes, 0, 0, node.bytes};
        steps_.push_back(step);
        return OkStatus();
      }
      case RegexNode::Kind::kAssert: Push(node.assertion, 0, 0); return OkStatus();
      case RegexNode::Kind::kSequence:
        for (const auto& part : node.parts) RETURN_IF_ERROR(Emit(*part));
        return OkStatus();
      case RegexNode::Kind::kChoice: return EmitChoice(node);
      case RegexNode::Kind::kRepeat: return EmitRepeat(node);
      default: break;
    }
    if (node.group > 0) Push(Regex::Kind::kSave, 2 * node.group, 0);
    RETURN_IF_ERROR(Emit(*node.parts[0]));
    if (node.group > 0) Push(Regex::Kind::kSave, 2 * node.group + 1, 0);
    return OkStatus();
  }
  int Push(Regex::Kind kind, int next, int other) {
    steps_.push_back({kind, next, other, {}});
    return here() - 1;
  }
  std::vector<Regex::Step> Take() { return std::move(steps_); }

 private:
  int here() const { return static_cast<int>(steps_.size()); }
  Regex::Step& at(int step) { return steps_[static_cast<size_t>(step)]; }

  Status EmitChoice(const RegexNode& node) {
    std::vector<int> jumps;
    for (size_t i = 0; i + 1 < node.parts.size(); ++i) {
      const int split = Push(Regex::Kind::kSplit, here() + 1, 0);
      RETURN_IF_ERROR(Emit(*node.parts[i]));
      jumps.push_back(Push(Regex::Kind::kJump, 0, 0));
      at(split).other = here();
    }
    RETURN_IF_ERROR(Emit(*node.parts.back()));
    for (const int jump : jumps) at(jump).next = here();
    return OkStatus();
  }
  // What is tried first is another round where greedy, else what follows.
  void Decide(int split, bool greedy, int round, int after) {
    at(split).next = greedy ? round : after;
    at(split).other = greedy ? after : round;
  }
  Status EmitRepeat(const RegexNode& node) {
    const RegexNode& part = *node.parts[0];
    for (int i = 0; i + 1 < node.least; ++i) RETURN_IF_ERROR(Emit(part));
    if (node.most < 0 && node.least > 0) {  // the last one that must be there, again and again
      const int round = here();
      RETURN_IF_ERROR(Emit(part));
      const int split = Push(Regex::Kind::kSplit, 0, 0);
      Decide(split, node.greedy, round, here());
      return OkStatus();
    }
    if (node.least > 0) RETURN_IF_ERROR(Emit(part));
    if (node.most < 0) {
      const int split = Push(Regex::Kind::kSplit, 0, 0);
      RETURN_IF_ERROR(Emit(part));
      Push(Regex::Kind::kJump, split, 0);
      Decide(split, node.greedy, split + 1, here());
      return OkStatus();
    }
    std::vector<int> splits;
    for (int i = node.least; i < node.most; ++i) {
      splits.push_back(Push(Regex::Kind::kSplit, 0, 0));
      RETURN_IF_ERROR(Emit(part));
    }
    for (const int split : splits) Decide(split, node.greedy, split + 1, here());
    return OkStatus();
  }

  std::vector<Regex::Step> steps_;
  size_t nodes_ = 0;  // emitted, each as often as it is repeated
};

}  // namespace

// The steps, and what searches have found out about them, for the next one.
struct Regex::Searches {
  explicit Searches(std::vector<Step> steps) : program(std::move(steps)) {}
  const RegexProgram program;
  std::mutex mutex;
  std::vector<std::unique_ptr<RegexSearch>> idle;
};

// A search that is nobody else's while this lives.
class Regex::Lent {
 public:
  explicit Lent(const Regex& regex) : searches_(*regex.searches_) {
    std::lock_guard<std::mutex> lock(searches_.mutex);
    if (searches_.idle.empty()) {
      search_ = std::make_unique<RegexSearch>(&searches_.program, regex.groups_);
    } else {
      search_ = std::move(searches_.idle.back());
      searches_.idle.pop_back();
    }
  }
  ~Lent() {
    std::lock_guard<std::mutex> lock(searches_.mutex);
    searches_.idle.push_back(std::move(search_));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  RegexSearch* operator->() const { return search_.get(); }

 private:
  Searches& searches_;
  std::unique_ptr<RegexSearch> search_;
};

Result<Regex> Regex::Compile(const std::string& pattern) {
  Regex regex;
  ASSIGN_OR_RETURN(const std::unique_ptr<RegexNode> tree, ParseRegex(pattern, &regex.groups_));
  Compiler compiler;
  RETURN_IF_ERROR(compiler.Emit(*tree));
  compiler.Push(Kind::kMatch, 0, 0);
  regex.searches_ = std::make_shared<Searches>(compiler.Take());
  return regex;
}

bool Regex::FullMatch(std::string_view text) const { return Lent(*this)->FullMatch(text); }

Result<std::string> Regex::Replace(const std::string& text, const std::string& rewrite,
                                   bool all) const {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    ++i;
    const char c = i < rewrite.size() ? rewrite[i] : '\0';
    if (c != '\\' && (c < '0' || c > '9' || c - '0' > groups_)) {
      return InvalidArgument("the rewrite ", rewrite, " asks for a group that the pattern lacks");
    }
  }
  std::string result;
  size_t copied = 0, from = 0;
  const Lent search(*this);
  search->Begin(text);
  while (from <= text.size()) {
    const std::vector<int64_t>& slots = search->Find(from);
    if (slots.empty()) break;
    const size_t begin = static_cast<size_t>(slots[0]), end = static_cast<size_t>(slots[1]);
    // An empty match behind a match is none.
    const bool counts = end > begin || begin != copied || from == 0;
    if (counts) {
      result.append(text, copied, begin - copied);
      for (size_t i = 0; i < rewrite.size(); ++i) {
        if (rewrite[i] != '\\' || rewrite[++i] == '\\') {
          result += rewrite[i];
          continue;
        }
        const size_t slot = 2 * static_cast<size_t>(rewrite[i] - '0');
        if (slots[slot] < 0) continue;
        result.append(text, static_cast<size_t>(slots[slot]),
                      static_cast<size_t>(slots[slot + 1] - slots[slot]));
      }
      copied = end;
      if (!all) break;
    }
    from = end > begin ? end : end + 1;
  }
  if (copied < text.size()) result.append(text, copied, std::string::npos);
  return result;
}

}  // namespace tfbuild
