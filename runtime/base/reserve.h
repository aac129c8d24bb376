#pragma once

#include <cstddef>

#include "base/status.h"

namespace tfbuild {

// Address space that is kept free for what ends the process, or stays broken, where memory is
// refused: code that oneDNN generates and notes down once for the process, thread-local variables,
// teams and threads of OpenMP. Whoever is about to bring such a thing about, or to take memory that
// it may lack, asks first. To ask costs about a microsecond.

// Whether the reserve can be mapped now.
bool HasReserve();

// ResourceExhausted where it cannot.
Status CheckReserve();

// How many of `count` new threads fit beside the reserve, with what the system and malloc map for
// each: others that have asked for the reserve must find it while they start.
int ThreadsBesideReserve(int count);

// From now on the reserve has room for that many threads to be started again, as OpenMP does after
// a parallel region for which fewer of them were enough.
void ReserveThreads(int count);

// Lets malloc map now what it maps for the first memory of a thread: called by each thread before
// another one trusts in the reserve.
void MapThreadMemory();

}  // namespace tfbuild
