// overhead.cc: prints what one execute costs by itself, in ns: the fastest of many batches of an
// operator whose launch does nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "fake_backend.hpp"
#include "fixture.hpp"

int main() {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  fake_backend::record = false;
  constexpr int batches = 200;
  constexpr int calls = 2000;
  double best_ns = 1e30;
  for (int batch = 0; batch < batches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      if (camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data) !=
          CAMP_STATUS_SUCCESS) {
        return 1;
      }
    }
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, elapsed.count() / calls);
  }
  std::printf("execute_ns %.1f\n", best_ns);
  return camp_operator_destroy(op) == CAMP_STATUS_SUCCESS ? 0 : 1;
}
