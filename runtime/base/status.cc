#include "base/status.h"

namespace tfbuild {

Status::Status(Code code, std::string message) : state_(new State{code, std::move(message)}) {}

Status::State* Status::Copy(const State& state) { return new State(state); }

void Status::Free(State* state) { delete state; }

const std::string& Status::message() const {
  static const std::string kEmpty;
  return ok() ? kEmpty : state_->message;
}

Status Status::Annotate(const std::string& where) const {
  return ok() ? Status() : Status(code(), StrCat(where, ": ", message()));
}

Status MakeError(Code code, std::initializer_list<TextPart> message) {
  return Status(code, StrCat(message));
}

}  // namespace tfbuild
