// elf_symbols.hpp: which function starts at an address.
#pragma once

#include <string>

namespace camp_sim {

// The mangled name of the function at `address`, such as "_Z4copyPfPKf", from the symbol table of
// the program or library that holds it; also of one that is not exported. Empty when unknown.
std::string function_symbol(const void *address);

}  // namespace camp_sim
