#include "emulation/names.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <vector>

// What compilers call for a thread-local variable of another library.
struct TlsIndex {
  size_t module;
  size_t offset;
};
extern "C" void* __tls_get_addr(TlsIndex* index);

namespace emulation {
namespace {

// A shared library, or the program.
struct Module {
  std::string path;
  uintptr_t base = 0;
  size_t tls_module = 0;
  size_t tls_bytes = 0;
  std::map<uintptr_t, std::string> functions;  // by address
};

std::vector<char> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The functions of a library's symbol table, local ones too. Empty where it has been stripped.
std::map<uintptr_t, std::string> ReadFunctions(const std::string& path, uintptr_t base) {
  std::map<uintptr_t, std::string> functions;
  const std::vector<char> file = ReadFile(path);
  if (file.size() < sizeof(Elf64_Ehdr)) return functions;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file.data() + header->e_shoff);
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(file.data() + sections[i].sh_offset);
    const char* names = file.data() + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC || symbols[k].st_shndx == SHN_UNDEF) {
        continue;
      }
      functions[base + symbols[k].st_value] = names + symbols[k].st_name;
    }
  }
  return functions;
}

struct Search {
  uintptr_t address;
  Module* found;
};

int LookInto(dl_phdr_info* info, size_t, void* data) {
  const Search& search = *static_cast<Search*>(data);
  bool holds = false;
  size_t tls_bytes = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_TLS) tls_bytes = part.p_memsz;
    if (part.p_type != PT_LOAD) continue;
    holds = holds || (search.address >= begin && search.address < begin + part.p_memsz);
  }
  if (!holds) return 0;
  const std::string name = info->dlpi_name;
  *search.found = {name.empty() ? "/proc/self/exe" : name, info->dlpi_addr, info->dlpi_tls_modid,
                   tls_bytes, {}};
  return 1;
}

const Module& ModuleOf(const void* kernel) {
  static auto* modules = new std::map<uintptr_t, Module>;  // by base
  Module found;
  Search search{reinterpret_cast<uintptr_t>(kernel), &found};
  dl_iterate_phdr(LookInto, &search);
  const auto [place, is_new] = modules->emplace(found.base, found);
  if (is_new) place->second.functions = ReadFunctions(found.path, found.base);
  return place->second;
}

void Erase(const std::string& word, std::string* text) {
  for (size_t at = text->find(word); at != std::string::npos; at = text->find(word)) {
    text->erase(at, word.size());
  }
}

// "SoftmaxKernel<float>" of the mangled name.
std::string Plain(const std::string& mangled) {
  int status = 0;
  char* readable = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 ? readable : mangled;
  std::free(readable);
  Erase("(anonymous namespace)::", &text);
  Erase("tfbuild::", &text);
  if (text.rfind("void ", 0) == 0) text.erase(0, 5);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == '(' && depth == 0) return text.substr(0, i);
  }
  return text;
}

std::set<const void*>& Launched() {
  static auto* launched = new std::set<const void*>;
  return *launched;
}

const void*& LastLaunched() {
  static const void* kernel = nullptr;
  return kernel;
}

std::FILE* FileOfCopies() {
  const char* path = std::getenv("EMULATION_COPIES");
  return path == nullptr ? nullptr : std::fopen(path, "w");
}

// Lines "ran NAME" and "idle NAME" for all functions of libraries that have kernels.
void WriteCoverage() {
  std::FILE* file = std::fopen(std::getenv("EMULATION_COVERAGE"), "a");
  if (file == nullptr) return;
  std::set<const Module*> modules;
  for (const void* kernel : Launched()) modules.insert(&ModuleOf(kernel));
  for (const Module* module : modules) {
    for (const auto& [address, name] : module->functions) {
      const bool ran = Launched().count(reinterpret_cast<const void*>(address)) > 0;
      std::fprintf(file, "%s %s\n", ran ? "ran" : "idle", Plain(name).c_str());
    }
  }
  std::fclose(file);
}

}  // namespace

std::string KernelName(const void* kernel) {
  const Module& module = ModuleOf(kernel);
  const auto found = module.functions.find(reinterpret_cast<uintptr_t>(kernel));
  return found == module.functions.end() ? "a kernel without a name" : Plain(found->second);
}

void NoteKernel(const void* kernel) {
  LastLaunched() = kernel;
  if (Launched().empty() && std::getenv("EMULATION_COVERAGE") != nullptr) {
    std::atexit(WriteCoverage);
  }
  Launched().insert(kernel);
}

void NoteCopy(const void* data, size_t bytes) {
  static std::FILE* const file = FileOfCopies();
  if (file == nullptr) return;
  uint64_t digest = 14695981039346656037u;  // FNV-1a
  for (size_t i = 0; i < bytes; ++i) {
    digest = (digest ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
  }
  const void* kernel = LastLaunched();
  std::fprintf(file, "%016llx %zu bytes after %s\n", static_cast<unsigned long long>(digest), bytes,
               kernel == nullptr ? "no kernel" : KernelName(kernel).c_str());
}

SharedMemory SharedMemoryOf(const void* kernel) {
  const Module& module = ModuleOf(kernel);
  if (module.tls_bytes == 0) return {nullptr, 0};
  TlsIndex begin{module.tls_module, 0};
  return {__tls_get_addr(&begin), module.tls_bytes};
}

}  // namespace emulation
