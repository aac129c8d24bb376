#include "kernels/string/regex.h"

#include <utility>

#include "kernels/string/regex_parser.h"

namespace tfbuild {
namespace {

constexpr size_t kMostSteps = 20000;
constexpr size_t kMostNodes = 1000000;  // as those that are empty make no steps

// The steps of a tree, one after the other.
class Compiler {
 public:
  Status Emit(const RegexNode& node) {
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

bool IsWord(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

Result<Regex> Regex::Compile(const std::string& pattern) {
  Regex regex;
  ASSIGN_OR_RETURN(const std::unique_ptr<RegexNode> tree, ParseRegex(pattern, &regex.groups_));
  Compiler compiler;
  RETURN_IF_ERROR(compiler.Emit(*tree));
  compiler.Push(Kind::kMatch, 0, 0);
  regex.steps_ = compiler.Take();
  return regex;
}

bool Regex::Holds(Kind kind, std::string_view text, size_t at) {
  if (kind == Kind::kBegin) return at == 0;
  if (kind == Kind::kEnd) return at == text.size();
  const bool before = at > 0 && IsWord(static_cast<unsigned char>(text[at - 1]));
  const bool after = at < text.size() && IsWord(static_cast<unsigned char>(text[at]));
  return (before != after) == (kind == Kind::kWord);
}

// Follows everything that reads no byte. Of two threads at one step the first is the better one.
void Regex::Add(std::string_view text, size_t at, Thread thread, std::vector<size_t>* seen,
                Threads* threads) const {
  std::vector<Thread> open;
  open.push_back(std::move(thread));
  while (!open.empty()) {
    Thread now = std::move(open.back());
    open.pop_back();
    size_t& mark = (*seen)[static_cast<size_t>(now.step)];
    if (mark == at + 1) continue;
    mark = at + 1;
    const Step& step = steps_[static_cast<size_t>(now.step)];
    switch (step.kind) {
      case Kind::kBytes:
      case Kind::kMatch: threads->push_back(std::move(now)); break;
      case Kind::kJump:
        now.step = step.next;
        open.push_back(std::move(now));
        break;
      case Kind::kSplit:
        open.push_back({step.other, now.slots});
        open.push_back({step.next, std::move(now.slots)});
        break;
      case Kind::kSave:
        now.slots[static_cast<size_t>(step.next)] = static_cast<int>(at);
        ++now.step;
        open.push_back(std::move(now));
        break;
      default:
        if (!Holds(step.kind, text, at)) break;
        ++now.step;
        open.push_back(std::move(now));
    }
  }
}

std::vector<int> Regex::Find(std::string_view text, size_t from, bool anchored,
                             bool to_end) const {
  std::vector<int> found;
  std::vector<size_t> seen(steps_.size(), 0);
  Threads threads, next;
  for (size_t at = from; at <= text.size(); ++at) {
    const bool begins = at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (found.empty() && (at == from || !anchored) && begins) {
      Thread thread{0, std::vector<int>(static_cast<size_t>(2 * groups_ + 2), -1)};
      thread.slots[0] = static_cast<int>(at);
      Add(text, at, std::move(thread), &seen, &threads);
    }
    if (threads.empty() && (anchored || !found.empty())) break;
    next.clear();
    for (Thread& thread : threads) {
      const Step& step = steps_[static_cast<size_t>(thread.step)];
      if (step.kind == Kind::kMatch) {
        if (to_end && at != text.size()) continue;
        found = std::move(thread.slots);
        found[1] = static_cast<int>(at);
        break;  // those behind it are worse
      }
      if (at == text.size() || !step.bytes[static_cast<unsigned char>(text[at])]) continue;
      ++thread.step;
      Add(text, at + 1, std::move(thread), &seen, &next);
    }
    threads.swap(next);
  }
  return found;
}

bool Regex::FullMatch(std::string_view text) const { return !Find(text, 0, true, true).empty(); }

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
  while (from <= text.size()) {
    const std::vector<int> slots = Find(text, from, false, false);
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
