// test_device.cc: devices, memory, copies, streams and events, over a stand-in for CUDA.
#include <cuda_runtime.h>

#include <string>

#include "check.hpp"
#include "foreign.h"

TEST(without_a_device_the_count_is_0) {
  int count = -1;
  fake_cuda::device_count = 0;
  CHECK_OK(camp_device_count(&count));
  CHECK_EQUAL(count, 0);
  camp_handle_t *handle = nullptr;
  CHECK_STATUS(camp_handle_create(&handle, 0, nullptr), NO_DEVICE);
  void *pointer = nullptr;
  CHECK_STATUS(camp_memory_alloc(0, 16, &pointer), NO_DEVICE);
  CHECK(handle == nullptr && pointer == nullptr);
  fake_cuda::device_count = 2;
  CHECK_OK(camp_device_count(&count));
  CHECK_EQUAL(count, 2);
  CHECK_STATUS(camp_device_count(nullptr), INVALID_ARGUMENT);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST(a_device_out_of_range_is_refused) {
  camp_device_info_t info;
  camp_stream_t stream = nullptr;
  camp_event_t *event = nullptr;
  for (const int device : {-1, 2, 1000}) {
    CHECK_STATUS(camp_device_get_info(device, &info), NO_DEVICE);
    CHECK_STATUS(camp_device_synchronize(device), NO_DEVICE);
    CHECK_STATUS(camp_stream_create(device, &stream), NO_DEVICE);
    CHECK_STATUS(camp_event_create(device, &event), NO_DEVICE);
    CHECK_STATUS(camp_memory_free(device, nullptr), NO_DEVICE);
  }
}

TEST(device_info_is_filled) {
  camp_device_info_t info;
  std::memset(&info, 0xff, sizeof info);
  CHECK_OK(camp_device_get_info(1, &info));
  CHECK_EQUAL(std::string(info.name), std::string(127, 'n'));
  CHECK_EQUAL(info.compute_major, 75);  // the stand-in answers with the attribute's number
  CHECK_EQUAL(info.compute_minor, 76);
  CHECK_EQUAL(info.multiprocessors, 16);
  CHECK_EQUAL(info.shared_bytes_per_block_optin, 97u);
  CHECK_EQUAL(info.memory_clock_khz, 0);  // refused by the stand-in
  CHECK_EQUAL(info.memory_bus_width_bits, 37);
  CHECK_EQUAL(info.memory_bytes, fake_cuda::memory_bytes.load());
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK_EQUAL(fake_cuda::current_device, 1);
  CHECK_STATUS(camp_device_get_info(0, nullptr), INVALID_ARGUMENT);
}

TEST(memory_is_allocated_and_freed_once) {
  const long before = fake_cuda::allocations;
  void *pointer = nullptr;
  CHECK_OK(camp_memory_alloc(1, 64, &pointer));
  CHECK(pointer != nullptr);
  CHECK_STATUS(camp_memory_free(0, pointer), INVALID_ARGUMENT);  // of device 1
  CHECK_STATUS(camp_memory_free(1, static_cast<char *>(pointer) + 4), INVALID_OBJECT);
  CHECK_OK(camp_memory_free(1, pointer));
  CHECK_STATUS(camp_memory_free(1, pointer), INVALID_OBJECT);
  int local = 0;
  CHECK_STATUS(camp_memory_free(0, &local), INVALID_OBJECT);
  CHECK_OK(camp_memory_free(0, nullptr));
  CHECK_EQUAL(fake_cuda::allocations, before);
}

TEST(no_bytes_are_no_allocation) {
  int local = 0;
  void *pointer = &local;
  CHECK_OK(camp_memory_alloc(0, 0, &pointer));
  CHECK(pointer == nullptr);
  CHECK_OK(camp_memory_copy(nullptr, nullptr, 0, CAMP_COPY_HOST_TO_DEVICE, nullptr));
  CHECK_OK(camp_memory_set(nullptr, 1, 0, nullptr));
}

TEST(exhausted_memory_is_a_status) {
  void *pointer = nullptr;
  CHECK_STATUS(camp_memory_alloc(0, fake_cuda::memory_bytes + 1, &pointer), OUT_OF_MEMORY);
  CHECK_MESSAGE("device 0");
  CHECK(pointer == nullptr);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK_STATUS(camp_memory_alloc(0, 16, nullptr), INVALID_ARGUMENT);
}

TEST(copies_stay_inside_their_allocation) {
  const int source[4] = {1, 2, 3, 4};
  int back[4] = {};
  void *pointer = nullptr;
  CHECK_OK(camp_memory_alloc(0, sizeof source, &pointer));
  char *bytes = static_cast<char *>(pointer);
  CHECK_OK(camp_memory_copy(pointer, source, sizeof source, CAMP_COPY_HOST_TO_DEVICE, nullptr));
  CHECK_OK(camp_memory_copy(back, pointer, sizeof back, CAMP_COPY_DEVICE_TO_HOST, nullptr));
  CHECK_EQUAL(back[3], 4);
  CHECK_OK(camp_memory_copy(bytes, bytes + 8, 8, CAMP_COPY_DEVICE_TO_DEVICE, nullptr));
  CHECK_OK(camp_memory_copy(back, pointer, sizeof back, CAMP_COPY_DEVICE_TO_HOST, nullptr));
  CHECK_EQUAL(back[0], 3);
  CHECK_OK(camp_memory_set(bytes + 12, 0xff, 4, nullptr));
  CHECK_OK(camp_memory_copy(back, pointer, sizeof back, CAMP_COPY_DEVICE_TO_HOST, nullptr));
  CHECK_EQUAL(back[3], -1);

  CHECK_STATUS(camp_memory_copy(pointer, source, 17, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               INVALID_ARGUMENT);
  CHECK_MESSAGE("16 bytes by 1");
  CHECK_STATUS(camp_memory_copy(bytes + 8, source, 12, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_copy(back, bytes + 4, 16, CAMP_COPY_DEVICE_TO_HOST, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_set(pointer, 0, 17, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_set(pointer, 0, SIZE_MAX, nullptr), INVALID_ARGUMENT);
  CHECK_OK(camp_memory_free(0, pointer));
}

TEST(copies_refuse_wrong_arguments) {
  int host = 0;
  void *pointer = nullptr;
  CHECK_OK(camp_memory_alloc(0, sizeof host, &pointer));
  // The direction is wrong: the host side is device memory.
  CHECK_STATUS(camp_memory_copy(&host, pointer, 4, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_copy(pointer, &host, 4, CAMP_COPY_DEVICE_TO_HOST, nullptr),
               INVALID_ARGUMENT);
  CHECK_MESSAGE("device memory");
  CHECK_STATUS(camp_memory_copy(nullptr, &host, 4, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_copy(pointer, nullptr, 4, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_memory_set(nullptr, 0, 4, nullptr), INVALID_ARGUMENT);
  for (const int kind : {-1, 3, 77}) {
    CHECK_STATUS(foreign_copy(pointer, &host, 4, kind), INVALID_ARGUMENT);
  }
  CHECK_OK(camp_memory_free(0, pointer));
}

TEST(streams_are_destroyed_once) {
  camp_stream_t stream = nullptr;
  CHECK_STATUS(camp_stream_create(0, nullptr), INVALID_ARGUMENT);
  CHECK_OK(camp_stream_create(1, &stream));
  CHECK_OK(camp_stream_synchronize(stream));
  CHECK_OK(camp_stream_synchronize(nullptr));
  CHECK_OK(camp_stream_destroy(stream));
  CHECK_STATUS(camp_stream_destroy(stream), INVALID_OBJECT);
  CHECK_STATUS(camp_stream_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_EQUAL(fake_cuda::streams, 0);
}

TEST(events_time_what_was_recorded) {
  camp_event_t *start = nullptr;
  camp_event_t *end = nullptr;
  float milliseconds = -1;
  CHECK_STATUS(camp_event_create(0, nullptr), INVALID_ARGUMENT);
  CHECK_OK(camp_event_create(0, &start));
  CHECK_OK(camp_event_create(0, &end));
  CHECK_STATUS(camp_event_elapsed_ms(start, end, &milliseconds), INVALID_ARGUMENT);
  CHECK_MESSAGE("never recorded");
  CHECK_STATUS(camp_event_synchronize(start), INVALID_ARGUMENT);
  fake_cuda::clock_ms = 1.5F;
  CHECK_OK(camp_event_record(start, nullptr));
  fake_cuda::clock_ms = 4.0F;
  CHECK_OK(camp_event_record(end, nullptr));
  CHECK_OK(camp_event_synchronize(end));
  CHECK_OK(camp_event_elapsed_ms(start, end, &milliseconds));
  CHECK_EQUAL(milliseconds, 2.5F);
  CHECK_STATUS(camp_event_elapsed_ms(start, end, nullptr), INVALID_ARGUMENT);
  CHECK_OK(camp_event_destroy(start));
  CHECK_STATUS(camp_event_destroy(start), INVALID_OBJECT);
  CHECK_OK(camp_event_destroy(end));
  CHECK_EQUAL(fake_cuda::events, 0);
}

TEST(a_lost_device_is_a_status_everywhere) {
  void *pointer = nullptr;
  CHECK_OK(camp_memory_alloc(0, 16, &pointer));
  fake_cuda::sticky = cudaErrorIllegalAddress;
  int host = 0;
  int count = 0;
  CHECK_STATUS(camp_device_count(&count), KERNEL_FAULT);
  CHECK_STATUS(camp_device_synchronize(0), KERNEL_FAULT);
  CHECK_MESSAGE("cudaErrorIllegalAddress");
  CHECK_STATUS(camp_stream_synchronize(nullptr), KERNEL_FAULT);
  CHECK_STATUS(camp_memory_copy(pointer, &host, 4, CAMP_COPY_HOST_TO_DEVICE, nullptr),
               KERNEL_FAULT);
  fake_cuda::sticky = cudaErrorUnknown;
  CHECK_STATUS(camp_stream_synchronize(nullptr), DEVICE_ERROR);
  fake_cuda::sticky = 0;
  (void)cudaGetLastError();
  CHECK_OK(camp_memory_free(0, pointer));
}
