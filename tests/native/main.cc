// main.cc: runs every test linked into the program.
#include "check.hpp"

int main() {
  return check::run_all();
}
