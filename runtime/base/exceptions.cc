#include "base/exceptions.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/c_locale.h"
#include "base/stop.h"

namespace tfbuild {

Status StatusOfException() {
  try {
    throw;
  } catch (const Stopped& stopped) {
    return stopped.why();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::length_error& error) {  // more than a container can ever hold
    return ResourceExhausted("out of memory: ", error.what());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return ResourceExhausted("no more threads: ", ErrnoText(error.code().value()));
    }
    return Internal(error.what());
  } catch (const std::exception& error) {
    return Internal(error.what());
  } catch (...) {
    return Internal("an exception of unknown type");
  }
}

}  // namespace tfbuild
