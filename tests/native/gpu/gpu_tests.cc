// gpu_tests.cc: the runtime over NVIDIA's driver: launches, streams, events, refused launches, and
// last of all a fault, after which nothing on the device works.
#include <chrono>
#include <string>
#include <vector>

#include "check.hpp"

CAMP_API const camp_operator_vtable_t camp_probe_vtable;

namespace {

constexpr int64_t n = 1000;

enum Act { fill, refused, stray, nothing };

struct Probe {
  camp_handle_t *handle = nullptr;
  camp_operator_t *op = nullptr;
  void *y = nullptr;
  int device;

  Probe(Act act, int on_device = 0, camp_stream_t stream = nullptr) : device(on_device) {
    camp_tensor_descriptor_t *vector = nullptr;
    CHECK_OK(camp_tensor_descriptor_create(&vector, CAMP_DTYPE_F32, 1, &n, nullptr));
    CHECK_OK(camp_handle_create(&handle, device, stream));
    CHECK_OK(camp_memory_alloc(device, n * sizeof(float), &y));
    camp_attribute_value_t value;
    value.i64 = act;
    const camp_tensor_descriptor_t *const tensors[] = {vector};
    CHECK_OK(camp_probe_vtable.create(&op, handle, tensors, &value));
    CHECK_OK(camp_tensor_descriptor_destroy(vector));
  }
  // Does not check the free, which fails on a lost device.
  ~Probe() {
    CHECK_OK(camp_operator_destroy(op));
    CHECK_OK(camp_handle_destroy(handle));
    (void)camp_memory_free(device, y);
  }
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  camp_status_t execute() const { return camp_probe_vtable.execute(op, nullptr, 0, &y); }
};

// Whether all of y is 7, after a launch on `stream` of the probe's device.
void check_filled(const Probe &probe, camp_stream_t stream) {
  std::vector<float> back(n, 0.0F);
  CHECK_OK(camp_memory_set(probe.y, 0, n * sizeof(float), stream));
  CHECK_OK(probe.execute());
  CHECK_OK(
      camp_memory_copy(back.data(), probe.y, n * sizeof(float), CAMP_COPY_DEVICE_TO_HOST, stream));
  CHECK_OK(camp_stream_synchronize(stream));
  CHECK(back == std::vector<float>(n, 7.0F));
}

}  // namespace

TEST(the_device_is_described) {
  camp_device_info_t info;
  CHECK_OK(camp_device_get_info(0, &info));
  std::printf("device %s, compute %d.%d, %d SMs, %zu bytes of L2, memory %d kHz x %d bits\n",
              info.name, info.compute_major, info.compute_minor, info.multiprocessors,
              info.l2_bytes, info.memory_clock_khz, info.memory_bus_width_bits);
  CHECK(info.name[0] != '\0');
  CHECK(info.compute_major >= 5);
  CHECK(info.multiprocessors > 0);
  CHECK_EQUAL(info.max_threads_per_block, 1024);
  CHECK(info.shared_bytes_per_block_optin >= info.shared_bytes_per_block);
  CHECK(info.memory_bytes > size_t{1} << 28);
  CHECK_EQUAL(std::string(camp_backend_name()), "nvidia");
}

TEST(an_operator_runs_on_either_kind_of_stream) {
  check_filled(Probe(fill), nullptr);
  camp_stream_t stream = nullptr;
  CHECK_OK(camp_stream_create(0, &stream));
  check_filled(Probe(fill, 0, stream), stream);
  CHECK_OK(camp_stream_destroy(stream));
}

TEST(an_operator_runs_on_its_own_device) {
  int count = 0;
  CHECK_OK(camp_device_count(&count));
  for (int device = 0; device < count; ++device) {
    camp_stream_t stream = nullptr;
    CHECK_OK(camp_stream_create(device, &stream));
    const Probe probe(fill, device, stream);
    CHECK_OK(camp_device_synchronize(0));  // device 0 is current from here on
    check_filled(probe, stream);
    CHECK_OK(camp_stream_destroy(stream));
  }
}

TEST(events_time_a_launch) {
  const Probe probe(fill);
  camp_event_t *start = nullptr;
  camp_event_t *end = nullptr;
  float milliseconds = -1;
  CHECK_OK(camp_event_create(0, &start));
  CHECK_OK(camp_event_create(0, &end));
  CHECK_OK(camp_event_record(start, nullptr));
  CHECK_OK(probe.execute());
  CHECK_OK(camp_event_record(end, nullptr));
  CHECK_OK(camp_event_elapsed_ms(start, end, &milliseconds));
  CHECK(milliseconds >= 0 && milliseconds < 1000);
  CHECK_OK(camp_event_destroy(start));
  CHECK_OK(camp_event_destroy(end));
}

TEST(a_refused_launch_is_reported_once) {
  const Probe probe(refused);
  CHECK_STATUS(probe.execute(), LAUNCH_FAILED);
  CHECK_MESSAGE("probe: the device refused the launch");
  CHECK_MESSAGE("(cudaErrorInvalid");  // ...Value or ...Configuration, by version of the driver
  check_filled(Probe(fill), nullptr);
}

TEST(memory_that_does_not_fit_is_a_status) {
  void *pointer = nullptr;
  CHECK_STATUS(camp_memory_alloc(0, size_t{1} << 50, &pointer), OUT_OF_MEMORY);
  check_filled(Probe(fill), nullptr);
}

TEST(an_execute_that_launches_nothing_is_cheap) {
  const Probe probe(nothing);
  double best_ns = 1e30;
  for (int batch = 0; batch < 200; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
      if (probe.execute() != CAMP_STATUS_SUCCESS) CHECK(false);
    }
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    best_ns = elapsed.count() / 1000 < best_ns ? elapsed.count() / 1000 : best_ns;
  }
  std::printf("execute_ns %.1f\n", best_ns);
  CHECK(best_ns < 300);
}

TEST(z_last_a_fault_is_told_from_a_refused_launch) {
  const Probe probe(stray);
  CHECK_OK(probe.execute());  // asynchronous: the kernel has not run yet
  CHECK_STATUS(camp_stream_synchronize(nullptr), KERNEL_FAULT);
  CHECK_MESSAGE("illegal memory access");
  CHECK_STATUS(probe.execute(), KERNEL_FAULT);
  CHECK_MESSAGE("probe: ");
}
