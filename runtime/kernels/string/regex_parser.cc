#include "kernels/string/regex_parser.h"

#include "base/c_locale.h"
#include "base/stack_room.h"


namespace tfbuild {
namespace {

using NodePtr = std::unique_ptr<RegexNode>;
using Bytes = Regex::Bytes;

constexpr int kMostRepeats = 1000;
constexpr int kMostDepth = 200;

NodePtr Make(RegexNode::Kind kind) {
  NodePtr node = std::make_unique<RegexNode>();
  node->kind = kind;
  return node;
}
NodePtr OfBytes(const Bytes& bytes) {
  NodePtr node = Make(RegexNode::Kind::kBytes);
  node->bytes = bytes;
  return node;
}
Bytes Range(int first, int last) {
  Bytes bytes;
  for (int i = first; i <= last; ++i) bytes.set(static_cast<size_t>(i));
  return bytes;
}
Bytes One(unsigned char byte) { return Range(byte, byte); }
Bytes WordBytes() {
  return Range('0', '9') | Range('A', 'Z') | Range('a', 'z') | One('_');
}
Bytes SpaceBytes() { return One('\t') | One('\n') | One('\f') | One('\r') | One(' '); }

// One character that is among these ASCII ones, or, where `others`, any that is not ASCII.
NodePtr OneCharacter(const Bytes& ascii, bool others) {
  if (!others) return OfBytes(ascii);
  NodePtr choice = Make(RegexNode::Kind::kChoice);
  choice->parts.push_back(OfBytes(ascii));
  const int heads[3][2] = {{0xC2, 0xDF}, {0xE0, 0xEF}, {0xF0, 0xF4}};
  for (int more = 0; more < 3; ++more) {
    NodePtr sequence = Make(RegexNode::Kind::kSequence);
    sequence->parts.push_back(OfBytes(Range(heads[more][0], heads[more][1])));
    for (int i = 0; i <= more; ++i) sequence->parts.push_back(OfBytes(Range(0x80, 0xBF)));
    choice->parts.push_back(std::move(sequence));
  }
  return choice;
}

class Parser {
 public:
  explicit Parser(const std::string& pattern) : text_(pattern) {}

  Result<NodePtr> Parse() {
    ASSIGN_OR_RETURN(NodePtr node, Choice());
    if (at_ < text_.size()) return Malformed("unexpected )");
    return node;
  }
  int groups() const { return groups_; }

 private:
  Status Malformed(const char* why) const {
    return InvalidArgument("Invalid pattern: ", text_, ", error: ", why);
  }
  bool More() const { return at_ < text_.size(); }
  bool Take(const char* word) {
    const std::string wanted(word);
    if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
    at_ += wanted.size();
    return true;
  }

  Result<NodePtr> Choice() {
    if (++depth_ > kMostDepth) return Malformed("nested too deeply");
    RETURN_IF_ERROR(CheckStackRoom());
    NodePtr choice = Make(RegexNode::Kind::kChoice);
    do {
      NodePtr sequence = Make(RegexNode::Kind::kSequence);
      while (More() && text_[at_] != '|' && text_[at_] != ')') {
        ASSIGN_OR_RETURN(NodePtr part, Repeated());
        sequence->parts.push_back(std::move(part));
      }
      choice->parts.push_back(std::move(sequence));
    } while (Take("|"));
    --depth_;
    return choice;
  }

  Result<NodePtr> Repeated() {
    ASSIGN_OR_RETURN(NodePtr node, Atom());
    int nested = 0;
    while (More()) {
      int least = 0, most = -1;
      const size_t before = at_;
      if (Take("*")) {
        least = 0;
      } else if (Take("+")) {
        least = 1;
      } else if (Take("?")) {
        most = 1;
      } else if (!Counts(&least, &most)) {
        at_ = before;
        break;
      }
      if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && least > most)) {
        return Malformed("bad repetition count");
      }
      if (++nested > 1) return Malformed("bad repetition operator");
      NodePtr repeat = Make(RegexNode::Kind::kRepeat);
      repeat->least = least;
      repeat->most = most;
      repeat->greedy = !Take("?");
      repeat->parts.push_back(std::move(node));
      node = std::move(repeat);
    }
    return node;
  }

  // {2}, {2,} or {2,5}; anything else stands for itself.
  bool Counts(int* least, int* most) {
    if (!Take("{") || !Number(least)) return false;
    *most = *least;
    if (Take(",") && !Number(most)) *most = -1;
    return Take("}");
  }
  bool Number(int* value) {
    const size_t before = at_;
    *value = 0;
    while (More() && IsDigit(text_[at_]) && at_ - before < 5) {
      *value = *value * 10 + (text_[at_++] - '0');
    }
    return at_ > before;
  }

  Result<NodePtr> Atom() {
    const char c = text_[at_];
    if (c == '*' || c == '+' || c == '?') return Malformed("no argument for repetition operator");
    ++at_;
    if (c == '(') return Group();
    if (c == '[') return Class();
    if (c == '\\') return Escaped();
    if (c == '.') return OneCharacter(Range(0, 127) & ~One('\n'), true);
    if (c == '^') return Assertion(Regex::Kind::kBegin);
    if (c == '$') return Assertion(Regex::Kind::kEnd);
    NodePtr node = OfBytes(One(static_cast<unsigned char>(c)));
    if (static_cast<unsigned char>(c) < 0xC0) return node;
    NodePtr character = Make(RegexNode::Kind::kSequence);  // so that * repeats all of its bytes
    character->parts.push_back(std::move(node));
    while (More() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) {
      character->parts.push_back(OfBytes(One(static_cast<unsigned char>(text_[at_++]))));
    }
    return character;
  }
  static Result<NodePtr> Assertion(Regex::Kind kind) {
    NodePtr node = Make(RegexNode::Kind::kAssert);
    node->assertion = kind;
    return node;
  }

  Result<NodePtr> Group() {
    NodePtr group = Make(RegexNode::Kind::kGroup);
    if (Take("?P<") || Take("?<")) {
      const size_t end = text_.find('>', at_);
      if (end == std::string::npos) return Malformed("missing >");
      at_ = end + 1;
      group->group = ++groups_;
    } else if (!Take("?:")) {
      if (Take("?")) return Unimplemented("Invalid pattern: ", text_, ": flags are not supported");
      group->group = ++groups_;
    }
    ASSIGN_OR_RETURN(NodePtr inner, Choice());
    if (!Take(")")) return Malformed("missing )");
    group->parts.push_back(std::move(inner));
    return group;
  }

  // Sets what \d, \w, ... stand for, and whether it is a class at all.
  static bool EscapedClass(char c, Bytes* bytes) {
    switch (ToLower(c)) {
      case 'd': *bytes = Range('0', '9'); return true;
      case 'w': *bytes = WordBytes(); return true;
      case 's': *bytes = SpaceBytes(); return true;
      default: return false;
    }
  }
  Result<NodePtr> Escaped() {
    if (!More()) return Malformed("trailing \\");
    const char c = text_[at_];
    Bytes bytes;
    if (EscapedClass(c, &bytes)) {
      ++at_;
      const bool negated = IsUpper(c);
      return OneCharacter(negated ? Range(0, 127) & ~bytes : bytes, negated);
    }
    if (Take("b")) return Assertion(Regex::Kind::kWord);
    if (Take("B")) return Assertion(Regex::Kind::kNoWord);
    if (Take("A")) return Assertion(Regex::Kind::kBegin);
    if (Take("z")) return Assertion(Regex::Kind::kEnd);
    ASSIGN_OR_RETURN(const unsigned char byte, EscapedByte());
    return OfBytes(One(byte));
  }
  Result<unsigned char> EscapedByte() {
    const char c = text_[at_++];
    switch (c) {
      case 'n': return static_cast<unsigned char>('\n');
      case 't': return static_cast<unsigned char>('\t');
      case 'r': return static_cast<unsigned char>('\r');
      case 'f': return static_cast<unsigned char>('\f');
      case 'v': return static_cast<unsigned char>('\v');
      case 'a': return static_cast<unsigned char>('\a');
      case 'x': {
        const std::string digits = text_.substr(at_, 2);
        const char* rest = nullptr;
        const long long value = ReadInt(digits.c_str(), &rest, 16);
        if (digits.size() != 2 || *rest != '\0' || value > 127) {
          return Malformed("invalid escape sequence");
        }
        at_ += 2;
        return static_cast<unsigned char>(value);
      }
      default:
        if (IsAlphanumeric(c)) return Malformed("invalid escape sequence");
        return static_cast<unsigned char>(c);
    }
  }

  Result<NodePtr> Class() {
    const bool negated = Take("^");
    Bytes bytes;
    bool others = false, first = true;
    for (; first || (More() && text_[at_] != ']'); first = false) {
      if (!More()) return Malformed("missing ]");
      if (static_cast<unsigned char>(text_[at_]) >= 0x80) {
        return Unimplemented("Invalid pattern: ", text_, ": a class has ASCII characters only");
      }
      Bytes named;
      if (NamedClass(&named)) {
        bytes |= named;
        continue;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && EscapedClass(text_[at_ + 1], &named)) {
        const bool turned = IsUpper(text_[at_ + 1]);
        bytes |= turned ? Range(0, 127) & ~named : named;
        others = others || turned;
        at_ += 2;
        continue;
      }
      ASSIGN_OR_RETURN(const unsigned char low, ClassByte());
      unsigned char high = low;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        ASSIGN_OR_RETURN(high, ClassByte());
      }
      if (high < low || high > 127) return Malformed("invalid character class range");
      bytes |= Range(low, high);
    }
    if (!Take("]")) return Malformed("missing ]");
    if (negated) return OneCharacter(Range(0, 127) & ~bytes, !others);
    return OneCharacter(bytes, others);
  }
  Result<unsigned char> ClassByte() {
    if (!Take("\\")) return static_cast<unsigned char>(text_[at_++]);
    if (!More()) return Malformed("trailing \\");
    return EscapedByte();
  }
  bool NamedClass(Bytes* bytes) {
    const Bytes digits = Range('0', '9'), upper = Range('A', 'Z'), lower = Range('a', 'z');
    const Bytes alpha = upper | lower, visible = Range('!', '~');
    const struct {
      const char* name;
      Bytes bytes;
    } classes[] = {{"[:alpha:]", alpha}, {"[:digit:]", digits},
                   {"[:alnum:]", alpha | digits}, {"[:upper:]", upper},
                   {"[:lower:]", lower}, {"[:space:]", Range('\t', '\r') | One(' ')},
                   {"[:punct:]", visible & ~(alpha | digits)},
                   {"[:xdigit:]", digits | Range('A', 'F') | Range('a', 'f')},
                   {"[:cntrl:]", Range(0, 31) | One(127)}, {"[:print:]", visible | One(' ')},
                   {"[:graph:]", visible}, {"[:blank:]", One(' ') | One('\t')}};
    for (const auto& one : classes) {
      if (!Take(one.name)) continue;
      *bytes = one.bytes;
      return true;
    }
    if (!Take("[:word:]")) return false;
    *bytes = WordBytes();
    return true;
  }

  const std::string& text_;
  size_t at_ = 0;
  int groups_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::unique_ptr<RegexNode>> ParseRegex(const std::string& pattern, int* groups) {
  Parser parser(pattern);
  ASSIGN_OR_RETURN(std::unique_ptr<RegexNode> node, parser.Parse());
  *groups = parser.groups();
  return node;
}

}  // namespace tfbuild
