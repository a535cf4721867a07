// test_concurrency.cc: objects used, made and destroyed by several threads at once; also compiled
// with the thread sanitizer.
#include <cuda_runtime.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fake_backend.hpp"
#include "fixture.hpp"

namespace {

constexpr int thread_count = 4;
constexpr int rounds = 2000;

template <typename Body>
void on_threads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

}  // namespace

TEST(one_operator_runs_on_many_threads) {
  Fixture fixture;
  camp_operator_t *op = fixture.scaled_sum(1.0);
  fake_backend::record = false;
  std::atomic<int> right{0};
  on_threads([&](int) {
    alignas(16) float workspace[2];
    float y[2];
    for (int i = 0; i < rounds; ++i) {
      const camp_status_t status =
          camp_scaled_sum_execute(op, workspace, sizeof workspace, y, fixture.x_data);
      if (status == CAMP_STATUS_SUCCESS && y[0] == 6.0F && y[1] == 15.0F) ++right;
    }
  });
  fake_backend::record = true;
  CHECK_EQUAL(right, thread_count * rounds);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(operators_of_one_handle_and_of_several_run_on_many_threads) {
  Fixture shared;
  camp_handle_t *other = nullptr;
  CHECK_OK(camp_handle_create(&other, 1, nullptr));
  camp_operator_t *ops[4] = {shared.scaled_sum(0.5), shared.scaled_sum(1.0), nullptr, nullptr};
  CHECK_OK(camp_scaled_sum_create(&ops[2], other, shared.sums, shared.x, 2.0));
  CHECK_OK(camp_scaled_sum_create(&ops[3], other, shared.sums, shared.x, 4.0));
  const float factors[4] = {0.5F, 1.0F, 2.0F, 4.0F};
  fake_backend::record = false;
  std::atomic<int> right{0};
  on_threads([&](int index) {
    alignas(16) float workspace[2];
    float y[2];
    for (int i = 0; i < rounds; ++i) {
      const int turn = (i + index) % 4;  // every thread runs every operator
      const camp_status_t status =
          camp_scaled_sum_execute(ops[turn], workspace, sizeof workspace, y, shared.x_data);
      if (status == CAMP_STATUS_SUCCESS && y[0] == 6.0F * factors[turn]) ++right;
    }
  });
  fake_backend::record = true;
  CHECK_EQUAL(right, thread_count * rounds);
  for (camp_operator_t *op : ops)
    CHECK_OK(camp_operator_destroy(op));
  CHECK_OK(camp_handle_destroy(other));
}

TEST(a_destroy_races_with_executes_and_wins_once) {
  fake_backend::record = false;
  for (int round = 0; round < 50; ++round) {
    Fixture fixture;
    camp_operator_t *op = fixture.scaled_sum(1.0);
    std::atomic<int> destroyed{0};
    std::atomic<int> wrong{0};
    on_threads([&](int index) {
      alignas(16) float workspace[2];
      float y[2];
      for (int i = 0; i < 50; ++i) {
        const camp_status_t status =
            camp_scaled_sum_execute(op, workspace, sizeof workspace, y, fixture.x_data);
        if (status != CAMP_STATUS_SUCCESS && status != CAMP_STATUS_INVALID_OBJECT) ++wrong;
        if (i == 10 + index && camp_operator_destroy(op) == CAMP_STATUS_SUCCESS) ++destroyed;
      }
    });
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(wrong, 0);
  }
  fake_backend::record = true;
}

TEST(objects_come_and_go_on_many_threads) {
  std::atomic<int> right{0};
  on_threads([&](int index) {
    for (int i = 0; i < rounds; ++i) {
      camp_handle_t *handle = nullptr;
      int device = -1;
      if (camp_handle_create(&handle, index % 2, nullptr) == CAMP_STATUS_SUCCESS &&
          camp_handle_get(handle, &device, nullptr) == CAMP_STATUS_SUCCESS && device == index % 2 &&
          camp_handle_destroy(handle) == CAMP_STATUS_SUCCESS &&
          camp_handle_destroy(handle) == CAMP_STATUS_INVALID_OBJECT) {
        ++right;
      }
    }
  });
  CHECK_EQUAL(right, thread_count * rounds);
}

TEST(memory_comes_and_goes_on_many_threads) {
  std::atomic<int> right{0};
  on_threads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      void *pointer = nullptr;
      if (camp_memory_alloc(0, 32, &pointer) == CAMP_STATUS_SUCCESS &&
          camp_memory_set(pointer, 1, 32, nullptr) == CAMP_STATUS_SUCCESS &&
          camp_memory_free(0, pointer) == CAMP_STATUS_SUCCESS) {
        ++right;
      }
    }
  });
  CHECK_EQUAL(right, thread_count * rounds);
}

TEST(a_graph_is_launched_by_one_thread_at_a_time) {
  camp_stream_t stream = nullptr;
  camp_graph_t *graph = nullptr;
  CHECK_OK(camp_stream_create(0, &stream));
  CHECK_OK(camp_graph_begin(stream));
  CHECK_OK(camp_graph_end(stream, &graph));
  fake_backend::record = false;
  std::atomic<int> right{0};
  on_threads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      if (camp_graph_launch(graph, stream) == CAMP_STATUS_SUCCESS) ++right;
    }
  });
  fake_backend::record = true;
  CHECK_EQUAL(right, thread_count * rounds);
  CHECK_EQUAL(fake_cuda::most_launching, 1);
  CHECK_OK(camp_graph_destroy(graph));
  CHECK_OK(camp_stream_destroy(stream));
}
