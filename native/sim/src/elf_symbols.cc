// elf_symbols.cc: reads .symtab of the file that an address was loaded from. dladdr knows exported
// names only, and kernels are seldom exported.
#include "elf_symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <fstream>
#include <iterator>
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

std::string symbol_at(const Bytes &file, uintptr_t value) {
  const auto *header = records<ElfW(Ehdr)>(file, 0, 1);
  if (header == nullptr) {
    return "";
  }
  const auto *sections = records<ElfW(Shdr)>(file, header->e_shoff, header->e_shnum);
  if (sections == nullptr) {
    return "";
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
      const bool function = (symbol.st_info & 0xf) == STT_FUNC;
      if (function && symbol.st_value == value && symbol.st_name < text.sh_size) {
        return names + symbol.st_name;
      }
    }
  }
  return "";
}

}  // namespace

std::string function_symbol(const void *address) {
  const Module module = module_of(address);
  std::ifstream stream(module.path, std::ios::binary);
  const Bytes file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return symbol_at(file, reinterpret_cast<uintptr_t>(address) - module.bias);
}

}  // namespace camp_sim
