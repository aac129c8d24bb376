#pragma once

#include "base/status.h"

namespace tfbuild {

// Functions that call themselves, or each other, as deep as the data of a program are nested, ask this
// in each call: ResourceExhausted where the stack of the calling thread is used up, but for what the
// functions need that they call at last. A stack's size is asked for once in each thread.
Status CheckStackRoom();
bool HasStackRoom();

}  // namespace tfbuild
