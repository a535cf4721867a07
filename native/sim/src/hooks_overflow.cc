// hooks_overflow.cc: what a compiler calls with -fsanitize=signed-integer-overflow. An index that
// was computed in int wraps to a wrong place without a trace; here the arithmetic itself is told.
#include <cstdint>
#include <string>

#include "state.hpp"
#include "ubsan.hpp"

#define HOOK extern "C" CAMP_SIM_API

namespace {

using namespace camp_sim;

struct OverflowData {
  SourceLocation location;
  const TypeDescriptor *type;
};

__extension__ typedef __int128 Wide;

// A warning: hardware wraps around, and a hash or a random number may well want that. Where an
// index came of it the access that goes astray is the fault, and the grader tells this as its
// cause.
void on_overflow(const OverflowData *data, const std::string &expression, const void *pc) {
  const CodeSite site = site_of(data->location, pc);
  if (fault_log().bump("integer_overflow", site, {})) {
    return;
  }
  Fault fault;
  if (const Worker *worker = worker_in_kernel(this_worker())) {
    fault = worker->fault_here("integer_overflow", "OOB", site);
  } else {
    fault.kind = "integer_overflow";
    fault.verdict = "OOB";
    fault.site = site;
  }
  fault.severity = Severity::warning;
  fault.message = expression + " overflows " + data->type->name;
  fault.advice =
      "Compute indices in 64 bits, as in int64_t{row} * cols + column, and with unsigned what is "
      "meant to wrap around.";
  fault_log().add(std::move(fault));
}

void on_binary(char op, void *data, void *left, void *right, const void *pc) {
  const auto *overflow = static_cast<const OverflowData *>(data);
  const TypeDescriptor &type = *overflow->type;
  if (type.bits() > 64) {
    return;  // the operands came by reference
  }
  const InsideIfKernel inside;
  const int64_t a = widened(type, reinterpret_cast<uintptr_t>(left));
  const int64_t b = widened(type, reinterpret_cast<uintptr_t>(right));
  const Wide exact = op == '*' ? Wide{a} * b : op == '+' ? Wide{a} + b : Wide{a} - b;
  std::string text = std::to_string(a) + ' ' + op + ' ' + std::to_string(b);
  if (op != '/' && exact >= INT64_MIN && exact <= INT64_MAX) {
    text += " = " + std::to_string(static_cast<int64_t>(exact));
  }
  on_overflow(overflow, text, pc);
}

}  // namespace

HOOK void __ubsan_handle_mul_overflow(void *data, void *left, void *right) {
  on_binary('*', data, left, right, __builtin_return_address(0));
}
HOOK void __ubsan_handle_add_overflow(void *data, void *left, void *right) {
  on_binary('+', data, left, right, __builtin_return_address(0));
}
HOOK void __ubsan_handle_sub_overflow(void *data, void *left, void *right) {
  on_binary('-', data, left, right, __builtin_return_address(0));
}
HOOK void __ubsan_handle_negate_overflow(void *data, void *value) {
  on_binary('-', data, nullptr, value, __builtin_return_address(0));
}
// Also called for a division by zero where that is instrumented; here it is INT_MIN / -1 alone.
HOOK void __ubsan_handle_divrem_overflow(void *data, void *left, void *right) {
  on_binary('/', data, left, right, __builtin_return_address(0));
}
