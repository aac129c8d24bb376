// Objects of the program's lifetime stay until the process ends: threads of ours may still use them
// then. The shared libraries are linked with --wrap=__cxa_atexit (LEAKED_OBJECTS in bazel/flow.bzl), so
// that what would register a destructor, of an object anywhere in them, comes here.
extern "C" {

__attribute__((visibility("default"))) int __wrap___cxa_atexit(void (*)(void*), void*, void*);

int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"
