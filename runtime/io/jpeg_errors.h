#pragma once

// libjpeg's way to say that it failed, as Status. Only for the files that call it.

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include "base/status.h"

namespace tfbuild {

// libjpeg leaves a failed call by longjmp, so calls are made through Try, and nothing that must be
// destroyed may live in between.
struct JpegErrors {
  jpeg_error_mgr manager = {};
  std::jmp_buf escape = {};
  char message[JMSG_LENGTH_MAX] = {};

  jpeg_error_mgr* Init() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr info) {
      // The manager is the first member, so that both are at one place.
      JpegErrors* errors = reinterpret_cast<JpegErrors*>(info->err);
      info->err->format_message(info, errors->message);
      std::longjmp(errors->escape, 1);
    };
    manager.output_message = [](j_common_ptr) {};
    return &manager;
  }

  // Whether libjpeg did what `call` asked of it.
  template <typename Call>
  bool Try(const Call& call) {
    if (setjmp(escape) != 0) return false;
    call();
    return true;
  }

  Status status(const char* doing) const { return InvalidArgument(doing, ": ", message); }
};

}  // namespace tfbuild
