"""A small tree that is laid out as TensorFlow Lite is, with a library that only adds."""

from pathlib import Path

CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(tensorflow-lite C CXX)
option(TFLITE_ENABLE_GPU "Enable GPU" OFF)
option(TFLITE_ENABLE_XNNPACK "Enable XNNPACK" ON)
find_package(absl REQUIRED)
if(NOT CMAKE_SYSTEM_PROCESSOR OR CMAKE_SYSTEM_PROCESSOR MATCHES "x86")
  find_package(NEON_2_SSE REQUIRED)
endif()
find_package(ml_dtypes REQUIRED)
if(TFLITE_ENABLE_GPU)
  find_package(opencl_headers REQUIRED)
else()
  find_package(ruy REQUIRED)
endif()
if(SYSTEM_PTHREADPOOL)
  find_library(PTHREADPOOL_LIB pthreadpool REQUIRED)
endif()
"""
# The same, as far as a machine without any of those libraries can build it.
PLAIN_CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(tensorflow-lite C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(ml_dtypes)
add_library(tensorflow-lite SHARED core/c/c_api.c)
target_include_directories(tensorflow-lite PRIVATE ../..)
target_link_libraries(tensorflow-lite PRIVATE ml_dtypes)
"""
MODULES = {
    "Findabsl.cmake": "include(abseil-cpp)\n",
    "abseil-cpp.cmake": """\
OverridableFetchContent_Declare(
  abseil-cpp
  GIT_REPOSITORY https://example.org/abseil
  GIT_TAG 20230125.2
)
""",
}
VERSION = """\
#define TF_MAJOR_VERSION 2
#define TF_MINOR_VERSION 14
#define TF_PATCH_VERSION 1
#define TF_VERSION_SUFFIX "{suffix}"
"""
HEADER = """\
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "tensorflow/lite/core/c/c_api_types.h"
TFL_CAPI_EXPORT extern const char* TfLiteVersion(void);
TFL_CAPI_EXPORT extern TfLiteModel* TfLiteModelCreateFromFile(
    const char* model_path);
TFL_CAPI_EXPORT extern void TfLiteModelDelete(TfLiteModel* model);
TFL_CAPI_EXPORT extern TfLiteInterpreterOptions*
TfLiteInterpreterOptionsCreate(void);
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions* options);
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsSetNumThreads(
    TfLiteInterpreterOptions* options, int32_t threads);
TFL_CAPI_EXPORT extern void TfLiteInterpreterOptionsSetErrorReporter(
    TfLiteInterpreterOptions* options,
    void (*reporter)(void* user_data, const char* format, va_list args), void* user_data);
TFL_CAPI_EXPORT extern TfLiteInterpreter* TfLiteInterpreterCreate(
    const TfLiteModel* model, const TfLiteInterpreterOptions* options);
TFL_CAPI_EXPORT extern void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter* i);
TFL_CAPI_EXPORT extern int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter* i);
TFL_CAPI_EXPORT extern TfLiteTensor* TfLiteInterpreterGetInputTensor(
    const TfLiteInterpreter* i, int32_t index);
TFL_CAPI_EXPORT extern TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter* i);
TFL_CAPI_EXPORT extern int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter* i);
TFL_CAPI_EXPORT extern const TfLiteTensor* TfLiteInterpreterGetOutputTensor(
    const TfLiteInterpreter* i, int32_t index);
TFL_CAPI_EXPORT extern TfLiteType TfLiteTensorType(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT extern size_t TfLiteTensorByteSize(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT extern void* TfLiteTensorData(const TfLiteTensor* tensor);
"""
TYPES = """\
#pragma once
#define TFL_CAPI_EXPORT __attribute__((visibility("default")))
typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;
typedef enum {
  kTfLiteFloat32 = 1, kTfLiteInt32 = 2, kTfLiteUInt8 = 3, kTfLiteInt64 = 4, kTfLiteString = 5,
  kTfLiteBool = 6, kTfLiteInt8 = 9
} TfLiteType;
typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
typedef struct TfLiteTensor TfLiteTensor;
"""
# A model is a file that begins with TOY; it gives twice its three inputs. One that begins with
# DIE ends the process.
LIBRARY = """\
#include "tensorflow/lite/c/c_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct TfLiteModel { char kind[4]; };
struct TfLiteTensor { float data[3]; };
static struct TfLiteModel model;
static struct TfLiteTensor input, output;
static int one;
const char* TfLiteVersion(void) { return "2.14.1"; }
TfLiteModel* TfLiteModelCreateFromFile(const char* path) {
  FILE* file = fopen(path, "rb");
  size_t count = file ? fread(model.kind, 1, 3, file) : 0;
  if (file) fclose(file);
  if (count == 3 && !strncmp(model.kind, "DIE", 3)) abort();
  return count == 3 && !strncmp(model.kind, "TOY", 3) ? &model : NULL;
}
void TfLiteModelDelete(TfLiteModel* unused) { (void)unused; }
TfLiteInterpreterOptions* TfLiteInterpreterOptionsCreate(void) {
  return (TfLiteInterpreterOptions*)&one;
}
void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions* options) { (void)options; }
void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions* options, int32_t threads) {
  (void)options, (void)threads;
}
void TfLiteInterpreterOptionsSetErrorReporter(
    TfLiteInterpreterOptions* options, void (*r)(void*, const char*, va_list), void* user_data) {
  (void)options, (void)r, (void)user_data;
}
TfLiteInterpreter* TfLiteInterpreterCreate(
    const TfLiteModel* m, const TfLiteInterpreterOptions* o) {
  return (void)m, (void)o, (TfLiteInterpreter*)&one;
}
void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter) { (void)interpreter; }
TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter* i) { return (void)i, kTfLiteOk; }
int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter* i) { return (void)i, 1; }
TfLiteTensor* TfLiteInterpreterGetInputTensor(const TfLiteInterpreter* i, int32_t index) {
  return (void)i, (void)index, &input;
}
TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter* i) {
  int at;
  for (at = 0; at < 3; ++at) output.data[at] = 2 * input.data[at];
  return (void)i, kTfLiteOk;
}
int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter* i) { return (void)i, 1; }
const TfLiteTensor* TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter* i, int32_t index) {
  return (void)i, (void)index, &output;
}
TfLiteType TfLiteTensorType(const TfLiteTensor* tensor) { return (void)tensor, kTfLiteFloat32; }
size_t TfLiteTensorByteSize(const TfLiteTensor* tensor) { return sizeof tensor->data; }
void* TfLiteTensorData(const TfLiteTensor* tensor) { return (void*)tensor->data; }
"""


def lite_tree(folder: Path, *, cmake: str = CMAKE, suffix: str = "") -> Path:
    """The tree, written below folder."""
    files = {
        "LICENSE": "a licence\n",
        "tensorflow/core/public/version.h": VERSION.format(suffix=suffix),
        "tensorflow/lite/CMakeLists.txt": cmake,
        "tensorflow/lite/c/c_api.h": '#include "tensorflow/lite/core/c/c_api.h"\n',
        "tensorflow/lite/core/c/c_api.h": HEADER,
        "tensorflow/lite/core/c/c_api_types.h": TYPES,
        "tensorflow/lite/core/c/c_api.c": LIBRARY,
        "tensorflow/lite/testdata/double.bin": "TOY\n",
        "tensorflow/lite/testdata/broken.bin": "no model\n",
        **{f"tensorflow/lite/tools/cmake/modules/{n}": text for n, text in MODULES.items()},
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
