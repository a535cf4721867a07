// elf_symbols.cc: reads .symtab of the file that an address was loaded from. dladdr knows exported
// names only, and kernels are seldom exported.
#include "elf_symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace camp_sim {
namespace {

using Bytes = std::vector<char>;

// The module of an address: its file, and what was added to the addresses in it.
struct Module {
  std::string path;
  uintptr_t bias = 0;
};

Module module_of(const void *address) {
  Dl_info info;
  link_map *map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) == 0 ||
      map == nullptr) {
    return {};
  }
  // The program itself has no name there.
  const bool program = map->l_name == nullptr || map->l_name[0] == '\0';
  return {program ? "/proc/self/exe" : map->l_name, map->l_addr};
}

// The `count` records at `offset`; null where the file is too short for them.
template <typename T>
const T *records(const Bytes &file, uint64_t offset, uint64_t count) {
  const bool inside = offset <= file.size() && count <= (file.size() - offset) / sizeof(T);
  return inside ? reinterpret_cast<const T *>(file.data() + offset) : nullptr;
}

// Calls see(symbol, name) for every entry of .symtab until it returns false.
template <typename See>
void for_each_symbol(const Bytes &file, See see) {
  const auto *header = records<ElfW(Ehdr)>(file, 0, 1);
  if (header == nullptr) {
    return;
  }
  const auto *sections = records<ElfW(Shdr)>(file, header->e_shoff, header->e_shnum);
  if (sections == nullptr) {
    return;
  }
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr) &table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) {
      continue;
    }
    const uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto *symbols = records<ElfW(Sym)>(file, table.sh_offset, count);
    const ElfW(Shdr) &text = sections[table.sh_link];
    const char *names = records<char>(file, text.sh_offset, text.sh_size);
    if (symbols == nullptr || names == nullptr) {
      continue;
    }
    for (uint64_t at = 0; at < count; ++at) {
      const ElfW(Sym) &symbol = symbols[at];
      if (symbol.st_name < text.sh_size && !see(symbol, names + symbol.st_name)) {
        return;
      }
    }
  }
}

Bytes contents(const Module &module) {
  std::ifstream stream(module.path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// As the source names it, without its namespaces.
std::string short_name(const char *symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  const std::string name = status == 0 ? text.get() : symbol;
  const size_t last = name.rfind("::");
  return last == std::string::npos ? name : name.substr(last + 2);
}

}  // namespace

std::string function_symbol(const void *address) {
  const Module module = module_of(address);
  const uintptr_t value = reinterpret_cast<uintptr_t>(address) - module.bias;
  std::string found;
  for_each_symbol(contents(module), [&](const ElfW(Sym) &symbol, const char *name) {
    if ((symbol.st_info & 0xf) == STT_FUNC && symbol.st_value == value) {
      found = name;
    }
    return found.empty();
  });
  return found;
}

std::vector<VariableSymbol> variables_beside(const void *address) {
  const Module module = module_of(address);
  std::vector<VariableSymbol> variables;
  for_each_symbol(contents(module), [&](const ElfW(Sym) &symbol, const char *name) {
    if ((symbol.st_info & 0xf) == STT_OBJECT && symbol.st_size > 0 &&
        symbol.st_shndx != SHN_UNDEF) {
      variables.push_back({short_name(name), module.bias + symbol.st_value, symbol.st_size});
    }
    return true;
  });
  return variables;
}

}  // namespace camp_sim
