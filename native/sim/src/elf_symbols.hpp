// elf_symbols.hpp: functions and variables by name, also those that are not exported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace camp_sim {

// The mangled name of the function at `address`, such as "_Z4copyPfPKf", from the symbol table of
// the program or library that holds it; also of one that is not exported. Empty when unknown.
std::string function_symbol(const void *address);

struct VariableSymbol {
  std::string name;  // without its namespaces
  uintptr_t address = 0;
  size_t bytes = 0;
};

// The variables of the program or library that holds `address`; empty when it has no symbol table.
std::vector<VariableSymbol> variables_beside(const void *address);

}  // namespace camp_sim
