#include "kernels/string/regex_search.h"

#include <map>
#include <utility>

#include "base/stop.h"

namespace tfbuild {
namespace {

bool IsWord(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Parts the classes by what is in `bytes`.
void Refine(const Regex::Bytes& bytes, std::array<uint16_t, 256>* class_of) {
  std::map<std::pair<uint16_t, bool>, uint16_t> classes;
  for (size_t i = 0; i < 256; ++i) {
    const std::pair<uint16_t, bool> key{(*class_of)[i], bytes[i]};
    const auto next = static_cast<uint16_t>(classes.size());
    (*class_of)[i] = classes.emplace(key, next).first->second;
  }
}

}  // namespace

RegexProgram::RegexProgram(std::vector<Regex::Step> the_steps)
    : steps(std::move(the_steps)), class_of{}, before(steps.size()) {
  Regex::Bytes words;
  for (size_t i = 0; i < 256; ++i) words[i] = IsWord(static_cast<unsigned char>(i));
  Refine(words, &class_of);
  std::unordered_map<Regex::Bytes, bool> refined;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Regex::Step& step = steps[i];
    const int here = static_cast<int>(i);
    const auto leads_to = [&](int to) { before[static_cast<size_t>(to)].push_back(here); };
    switch (step.kind) {
      case Regex::Kind::kMatch: break;
      case Regex::Kind::kBytes:
        if (refined.emplace(step.bytes, true).second) Refine(step.bytes, &class_of);
        break;
      case Regex::Kind::kSplit: leads_to(step.next); leads_to(step.other); break;
      case Regex::Kind::kJump: leads_to(step.next); break;
      default: leads_to(here + 1);
    }
  }
  for (size_t i = 0; i < 256; ++i) {
    const size_t its = class_of[i];
    if (example.size() <= its) example.resize(its + 1);
    example[its] = static_cast<unsigned char>(i);
  }
}

const RegexSearch::State* RegexSearch::Intern(std::vector<uint64_t> live, Behind behind) {
  std::string key(reinterpret_cast<const char*>(live.data()), live.size() * sizeof(uint64_t));
  key += static_cast<char>(behind);
  const State*& known = known_[std::move(key)];
  if (known == nullptr) {
    states_.push_back(std::make_unique<State>());
    State& made = *states_.back();
    made.live = std::move(live);
    made.behind = behind;
    made.edges.resize(program_.example.size() + 1);
    known = &made;
  }
  return known;
}

const RegexSearch::State* RegexSearch::EndState() {
  return Intern(std::vector<uint64_t>(program_.steps.size() / 64 + 1), Behind::kEnd);
}

// The class of the byte before a place; one more than there are where the text begins.
size_t RegexSearch::ClassBefore(size_t at) const {
  if (at == 0) return program_.example.size();
  return program_.class_of[static_cast<unsigned char>(text_[at - 1])];
}

const RegexSearch::Edge& RegexSearch::EdgeFrom(const State* state, size_t before) {
  Edge& edge = state->edges[before];
  if (edge.next == nullptr) edge = MakeEdge(*state, before);
  return edge;
}

bool RegexSearch::Holds(Regex::Kind kind, const State& state, size_t before) const {
  const bool begins = before == program_.example.size();
  if (kind == Regex::Kind::kBegin) return begins;
  if (kind == Regex::Kind::kEnd) return state.behind == Behind::kEnd;
  const bool word_before = !begins && IsWord(program_.example[before]);
  return (word_before != (state.behind == Behind::kWord)) == (kind == Regex::Kind::kWord);
}

// Follows backwards what reads no byte, from the live steps and the match, and then the byte before.
RegexSearch::Edge RegexSearch::MakeEdge(const State& state, size_t before) {
  std::vector<uint64_t> reached(state.live.size()), live(state.live.size());
  std::vector<int> open;
  const auto reach = [&](int step) {
    uint64_t& word = reached[static_cast<size_t>(step) / 64];
    const uint64_t bit = uint64_t{1} << (step % 64);
    if ((word & bit) == 0) open.push_back(step);
    word |= bit;
  };
  for (size_t i = 0; i < state.live.size(); ++i) {
    for (uint64_t rest = state.live[i]; rest != 0; rest &= rest - 1) {
      reach(static_cast<int>(64 * i) + __builtin_ctzll(rest));
    }
  }
  const int match = static_cast<int>(program_.steps.size()) - 1;
  if (!to_end_ || state.behind == Behind::kEnd) reach(match);
  const bool begins = before == program_.example.size();
  while (!open.empty()) {
    const int step = open.back();
    open.pop_back();
    for (const int from : program_.before[static_cast<size_t>(step)]) {
      const Regex::Kind kind = program_.steps[static_cast<size_t>(from)].kind;
      const bool is_free = kind == Regex::Kind::kSplit || kind == Regex::Kind::kJump ||
                           kind == Regex::Kind::kSave;
      if (is_free || Holds(kind, state, before)) reach(from);
    }
    if (begins || step == 0) continue;
    const Regex::Step& reads = program_.steps[static_cast<size_t>(step) - 1];
    if (reads.kind != Regex::Kind::kBytes || !reads.bytes[program_.example[before]]) continue;
    live[static_cast<size_t>(step - 1) / 64] |= uint64_t{1} << ((step - 1) % 64);
  }
  const bool starts = (reached[0] & 1) != 0;
  if (begins) return {&state, starts};  // nothing is before it
  const Behind behind = IsWord(program_.example[before]) ? Behind::kWord : Behind::kOther;
  return {Intern(std::move(live), behind), starts};
}

bool RegexSearch::FullMatch(std::string_view text) {
  if (!to_end_) {
    states_.clear();
    known_.clear();
  }
  to_end_ = true;
  text_ = text;
  if (!text.empty() && ContinuesCharacter(text[0])) return false;
  const State* state = EndState();
  for (size_t at = text.size(); at > 0; --at) {
    if (at % kBlock == 0) {
      ThrowIfStopped();
      if (states_.size() > kMostStates) {
        ends_ = {state};
        DropStates();
        state = ends_[0];
      }
    }
    state = EdgeFrom(state, ClassBefore(at)).next;
  }
  return EdgeFrom(state, ClassBefore(0)).starts;
}

// Forgets the states but for those behind blocks.
void RegexSearch::DropStates() {
  const std::vector<std::unique_ptr<State>> before = std::move(states_);
  states_.clear();
  known_.clear();
  for (const State*& end : ends_) {
    if (end != nullptr) end = Intern(end->live, end->behind);
  }
}

void RegexSearch::ReadBlock(size_t block) {
  ThrowIfStopped();
  if (states_.size() > kMostStates) DropStates();
  block_ = block;
  const size_t begin = block * kBlock, end = std::min(begin + kBlock, text_.size() + 1);
  at_.resize(end - begin);
  starts_.resize(end - begin);
  const State* state = ends_[block];  // of the last block at the place behind the text
  if (end <= text_.size()) state = EdgeFrom(state, ClassBefore(end)).next;
  for (size_t at = end; at-- > begin;) {
    at_[at - begin] = state;
    const Edge& edge = EdgeFrom(state, ClassBefore(at));
    starts_[at - begin] = edge.starts ? 1 : 0;
    state = edge.next;
  }
}

void RegexSearch::Begin(std::string_view text) {
  if (to_end_ || states_.size() > kMostStates) {
    states_.clear();
    known_.clear();
  }
  to_end_ = false;
  text_ = text;
  const size_t blocks = text.size() / kBlock + 1;
  ends_.assign(blocks, nullptr);
  ends_[blocks - 1] = EndState();
  for (size_t block = blocks; block-- > 0;) {
    ReadBlock(block);
    if (block > 0) ends_[block - 1] = at_[0];
  }
}

void RegexSearch::EnterBlockOf(size_t at) {
  if (at / kBlock != block_) ReadBlock(at / kBlock);
}

const std::vector<int64_t>& RegexSearch::Find(size_t from) {
  slots_.clear();
  for (size_t at = from; at <= text_.size(); ++at) {
    EnterBlockOf(at);
    if (starts_[at % kBlock] == 0) continue;
    if (at < text_.size() && ContinuesCharacter(text_[at])) continue;
    Walk(at);
    break;
  }
  return slots_;
}

void RegexSearch::Walk(size_t begin) {
  slots_.assign(static_cast<size_t>(2 * groups_ + 2), -1);
  slots_[0] = static_cast<int64_t>(begin);
  int step = 0;
  size_t at = begin;
  while (true) {
    EnterBlockOf(at);
    step = Follow(step, at);
    if (program_.steps[static_cast<size_t>(step)].kind == Regex::Kind::kMatch) break;
    ++step;  // behind the byte that it reads
    ++at;
  }
  slots_[1] = static_cast<int64_t>(at);
}

bool RegexSearch::HoldsAt(Regex::Kind kind, size_t at) const {
  return Holds(kind, *at_[at % kBlock], ClassBefore(at));
}

int RegexSearch::Follow(int first, size_t at) {
  const State& state = *at_[at % kBlock];
  ++now_;
  open_.assign(1, {first, -1, 0});
  while (!open_.empty()) {
    const Open top = open_.back();
    open_.pop_back();
    if (top.slot >= 0) {
      slots_[static_cast<size_t>(top.slot)] = top.value;
      continue;
    }
    uint64_t& seen = seen_[static_cast<size_t>(top.step)];
    if (seen == now_) continue;  // what was followed first is preferred
    seen = now_;
    const Regex::Step& step = program_.steps[static_cast<size_t>(top.step)];
    switch (step.kind) {
      case Regex::Kind::kMatch: return top.step;
      case Regex::Kind::kBytes:
        if (state.IsLive(top.step)) return top.step;
        break;
      case Regex::Kind::kJump: open_.push_back({step.next, -1, 0}); break;
      case Regex::Kind::kSplit:
        open_.push_back({step.other, -1, 0});
        open_.push_back({step.next, -1, 0});
        break;
      case Regex::Kind::kSave: {
        int64_t& slot = slots_[static_cast<size_t>(step.next)];
        open_.push_back({0, step.next, slot});
        open_.push_back({top.step + 1, -1, 0});
        slot = static_cast<int64_t>(at);
        break;
      }
      default:
        if (HoldsAt(step.kind, at)) open_.push_back({top.step + 1, -1, 0});
    }
  }
  return static_cast<int>(program_.steps.size()) - 1;  // there is always one that is live
}

}  // namespace tfbuild
