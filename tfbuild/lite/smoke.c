/* Runs models through TensorFlow Lite's C interface, as a program of a user would.
 *
 * smoke MODEL OUTPUT [MODEL OUTPUT ...]: each model's inputs are filled from its own generator,
 * and its outputs written to the file OUTPUT. A line for each model says how that went:
 *
 *   ok TYPE:BYTES[,TYPE:BYTES]... | refused WHY
 *
 * The numbers of inputs are a linear congruential generator's, so that another program can make the
 * same ones: see probes/lite_reference.py.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/c/c_api.h"

static uint32_t state;

static uint32_t next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

/* 0 where the type is one that the generator cannot fill. */
static int fill(TfLiteTensor* tensor) {
  unsigned char* data = TfLiteTensorData(tensor);
  size_t bytes = TfLiteTensorByteSize(tensor);
  size_t i;
  switch (TfLiteTensorType(tensor)) {
    case kTfLiteFloat32:
      for (i = 0; i < bytes / 4; ++i) {
        float value = (float)(next() % 2001) / 1000.0f - 1.0f;
        memcpy(data + 4 * i, &value, 4);
      }
      return 1;
    case kTfLiteUInt8:
    case kTfLiteInt8:
      for (i = 0; i < bytes; ++i) data[i] = (unsigned char)(next() % 100);
      return 1;
    case kTfLiteBool:
      for (i = 0; i < bytes; ++i) data[i] = (unsigned char)(next() % 2);
      return 1;
    case kTfLiteInt32:
      for (i = 0; i < bytes / 4; ++i) {
        int32_t value = (int32_t)(next() % 3);
        memcpy(data + 4 * i, &value, 4);
      }
      return 1;
    case kTfLiteInt64:
      for (i = 0; i < bytes / 8; ++i) {
        int64_t value = (int64_t)(next() % 3);
        memcpy(data + 8 * i, &value, 8);
      }
      return 1;
    default:
      return 0;
  }
}

static const char* run(TfLiteInterpreter* interpreter, FILE* output, char* said, size_t room) {
  int32_t i, count;
  size_t used = 0;
  if (TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) return "allocation";
  count = TfLiteInterpreterGetInputTensorCount(interpreter);
  for (i = 0; i < count; ++i) {
    if (!fill(TfLiteInterpreterGetInputTensor(interpreter, i))) return "type of an input";
  }
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return "invocation";
  count = TfLiteInterpreterGetOutputTensorCount(interpreter);
  for (i = 0; i < count; ++i) {
    const TfLiteTensor* tensor = TfLiteInterpreterGetOutputTensor(interpreter, i);
    size_t bytes = TfLiteTensorByteSize(tensor);
    const void* data = TfLiteTensorData(tensor);
    if (TfLiteTensorType(tensor) == kTfLiteString) return "type of an output";
    if (bytes && (!data || fwrite(data, 1, bytes, output) != bytes)) return "output";
    used += (size_t)snprintf(said + used, room - used, "%s%d:%lu", i ? "," : "",
                             (int)TfLiteTensorType(tensor), (unsigned long)bytes);
    if (used >= room) return "number of outputs";
  }
  return NULL;
}

static void quiet(void* unused, const char* format, va_list args) {
  (void)unused, (void)format, (void)args;
}

static const char* try_model(const char* path, FILE* output, char* said, size_t room) {
  const char* why = "options";
  TfLiteInterpreterOptions* options;
  TfLiteInterpreter* interpreter = NULL;
  TfLiteModel* model = TfLiteModelCreateFromFile(path);
  if (!model) return "model";
  options = TfLiteInterpreterOptionsCreate();
  if (options) {
    TfLiteInterpreterOptionsSetNumThreads(options, 1);
    TfLiteInterpreterOptionsSetErrorReporter(options, quiet, NULL);
    interpreter = TfLiteInterpreterCreate(model, options);
    why = interpreter ? run(interpreter, output, said, room) : "interpreter";
  }
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return why;
}

int main(int argc, char** argv) {
  static char said[16384];
  int i;
  printf("version %s\n", TfLiteVersion());
  fflush(stdout);
  for (i = 1; i + 1 < argc; i += 2) {
    const char* why;
    FILE* output = fopen(argv[i + 1], "wb");
    if (!output) return 1;
    state = 1;
    said[0] = '\0';
    why = try_model(argv[i], output, said, sizeof said);
    if (fclose(output) != 0) return 1;
    if (why) {
      printf("refused %s\n", why);
    } else {
      printf("ok %s\n", said);
    }
    fflush(stdout);
  }
  return 0;
}
