#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/string/regex.h"

namespace tfbuild {

// What a pattern's steps are for a search, beside the steps: bytes that no step distinguishes are one
// class, and for each step those from which one comes to it without reading a byte.
struct RegexProgram {
  explicit RegexProgram(std::vector<Regex::Step> steps);

  std::vector<Regex::Step> steps;
  std::array<uint16_t, 256> class_of;  // of a byte
  std::vector<unsigned char> example;  // a byte of each class
  std::vector<std::vector<int>> before;
};

// Finds matches in texts, one after the other, in time that goes with the length of the text however
// many matches there are.
//
// It reads a text backwards first. At each place the live steps are those that read the byte there on a
// way to a match; sets of them are the states of an automaton, which are made when they first come up.
// Forwards, the match that is preferred then goes by the first live step at each place, and never into
// what would turn out to be none. Of a long text the states are kept at the blocks' ends alone and found
// again block by block, so that memory does not go with the text.
//
// For one thread. The program must outlive it.
class RegexSearch {
 public:
  RegexSearch(const RegexProgram* program, int groups) : program_(*program), groups_(groups) {
    seen_.resize(program->steps.size());
  }

  // Whether the whole text matches.
  bool FullMatch(std::string_view text);
  // Begins to look for matches in this text, which must outlive the search for them.
  void Begin(std::string_view text);
  // Where the first match that begins at `from` or later begins and ends, and then each group; -1 where
  // a group has no part in it. Empty for no match. `from` never goes back.
  const std::vector<int64_t>& Find(size_t from);

 private:
  struct State;
  struct Edge {
    const State* next = nullptr;  // null: not known yet
    bool starts = false;          // whether a match begins at the place that is left
  };
  enum class Behind : uint8_t { kEnd, kWord, kOther };
  struct State {
    std::vector<uint64_t> live;
    Behind behind;                     // what kind of byte it is whose place this is
    mutable std::vector<Edge> edges;  // by the class of the byte before, and for none before
    bool IsLive(int step) const {
      return ((live[static_cast<size_t>(step) / 64] >> (step % 64)) & 1) != 0;
    }
  };
  struct Open {  // a step to follow, or a slot to set back
    int step;
    int slot;
    int64_t value;
  };
  static constexpr size_t kBlock = 4096;
  static constexpr size_t kMostStates = 1024;

  const State* Intern(std::vector<uint64_t> live, Behind behind);
  const State* EndState();
  size_t ClassBefore(size_t at) const;
  const Edge& EdgeFrom(const State* state, size_t before);
  Edge MakeEdge(const State& state, size_t before);
  bool Holds(Regex::Kind kind, const State& state, size_t before) const;
  bool HoldsAt(Regex::Kind kind, size_t at) const;
  // States and starts of the block, from the state at its end.
  void ReadBlock(size_t block);
  void EnterBlockOf(size_t at);
  void DropStates();
  // The first live step, or the match, that follows from a step; sets slots on the way. -1 for none.
  int Follow(int step, size_t at);
  void Walk(size_t begin);

  const RegexProgram& program_;
  const int groups_;
  bool to_end_ = false;  // only a match that ends with the text counts
  std::vector<std::unique_ptr<State>> states_;
  std::unordered_map<std::string, const State*> known_;
  std::string_view text_;
  std::vector<const State*> ends_;  // the state behind each block
  size_t block_ = 0;                // the one that the next two are about
  std::vector<const State*> at_;
  std::vector<char> starts_;
  std::vector<uint64_t> seen_;  // by step: when it was last followed
  uint64_t now_ = 0;
  std::vector<Open> open_;
  std::vector<int64_t> slots_;
};

}  // namespace tfbuild
