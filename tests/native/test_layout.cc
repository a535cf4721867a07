// test_layout.cc: what tensor descriptors take, and the sizes that follow.
#include <climits>
#include <cstdint>

#include "fixture.hpp"
#include "foreign.h"
#include "layout.hpp"

namespace {

constexpr int64_t huge = int64_t{1} << 40;

camp_status_t try_describe(camp_dtype_t dtype, std::initializer_list<int64_t> shape,
                           const int64_t *strides = nullptr) {
  camp_tensor_descriptor_t *descriptor = nullptr;
  const camp_status_t status =
      camp_tensor_descriptor_create(&descriptor, dtype, shape.size(), shape.begin(), strides);
  CHECK((descriptor != nullptr) == (status == CAMP_STATUS_SUCCESS));
  if (descriptor != nullptr) CHECK_OK(camp_tensor_descriptor_destroy(descriptor));
  return status;
}

camp::Layout layout(std::initializer_list<int64_t> shape, const int64_t *strides = nullptr,
                    camp_dtype_t dtype = CAMP_DTYPE_F32) {
  return camp::make_layout(dtype, shape.size(), shape.begin(), strides);
}

}  // namespace

TEST(descriptors_refuse_what_cannot_be) {
  camp_tensor_descriptor_t *out = nullptr;
  const int64_t shape[] = {2, 3};
  CHECK_STATUS(camp_tensor_descriptor_create(nullptr, CAMP_DTYPE_F32, 2, shape, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_tensor_descriptor_create(&out, CAMP_DTYPE_F32, 2, nullptr, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_tensor_descriptor_create(&out, CAMP_DTYPE_F32, 9, shape, nullptr),
               INVALID_ARGUMENT);
  CHECK_STATUS(camp_tensor_descriptor_create(&out, CAMP_DTYPE_F32, SIZE_MAX, shape, nullptr),
               INVALID_ARGUMENT);
  CHECK(out == nullptr);
  for (const int value : {-1, 7, INT_MAX}) {
    CHECK_STATUS(foreign_describe(&out, value, 2, shape), UNSUPPORTED_DTYPE);
  }
  CHECK_STATUS(try_describe(CAMP_DTYPE_F32, {2, -1}), INVALID_ARGUMENT);
  CHECK_MESSAGE("-1 of axis 1");
  const int64_t negative[] = {1, -3};
  CHECK_STATUS(try_describe(CAMP_DTYPE_F32, {2, 3}, negative), INVALID_ARGUMENT);
}

TEST(descriptors_refuse_sizes_past_64_bits) {
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {INT64_MAX}), SUCCESS);
  CHECK_STATUS(try_describe(CAMP_DTYPE_F16, {INT64_MAX}), OVERFLOW);
  CHECK_STATUS(try_describe(CAMP_DTYPE_F64, {INT64_MAX / 8}), SUCCESS);
  CHECK_STATUS(try_describe(CAMP_DTYPE_F64, {INT64_MAX / 8 + 1}), OVERFLOW);
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {huge, huge}), OVERFLOW);
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {huge, 0, huge}), OVERFLOW);
  const int64_t wide[] = {INT64_MAX, 1};
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {2, 1}, wide), OVERFLOW);  // one past the last element
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {3, 1}, wide), OVERFLOW);
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {1, 1}, wide), SUCCESS);
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {0, 3}, wide), SUCCESS);
  const int64_t both[] = {INT64_MAX / 2, INT64_MAX / 2};
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {2, 2}, both), SUCCESS);
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {2, 3}, both), OVERFLOW);
  const int64_t broadcast[] = {0, 0};
  CHECK_STATUS(try_describe(CAMP_DTYPE_U8, {huge, huge}, broadcast), OVERFLOW);
  CHECK_STATUS(try_describe(CAMP_DTYPE_F64, {INT64_MAX / 8}, broadcast), SUCCESS);
  CHECK_STATUS(try_describe(CAMP_DTYPE_F64, {INT64_MAX / 4}, broadcast), OVERFLOW);
}

TEST(contiguous_strides_are_row_major) {
  const camp::Layout l = layout({2, 3, 4});
  CHECK_EQUAL(l.strides[0], 12);
  CHECK_EQUAL(l.strides[1], 4);
  CHECK_EQUAL(l.strides[2], 1);
  CHECK_EQUAL(l.elements, 24);
  CHECK_EQUAL(l.extent_bytes, 96);
  CHECK(l.contiguous);
}

TEST(rank_0_is_one_element) {
  const camp::Layout l = camp::make_layout(CAMP_DTYPE_F64, 0, nullptr, nullptr);
  CHECK_EQUAL(l.elements, 1);
  CHECK_EQUAL(l.extent_bytes, 8);
  CHECK(l.contiguous);
}

TEST(an_empty_tensor_has_no_bytes) {
  const int64_t strides[] = {7, 1};
  for (const camp::Layout &l : {layout({0}), layout({5, 0, 3}), layout({0, 3}, strides)}) {
    CHECK_EQUAL(l.elements, 0);
    CHECK_EQUAL(l.extent_bytes, 0);
    CHECK(l.contiguous);
  }
}

TEST(strides_give_extent_and_contiguity) {
  const int64_t padded[] = {8, 1};
  CHECK_EQUAL(layout({3, 5}, padded).extent_bytes, (2 * 8 + 5) * 4);
  CHECK(!layout({3, 5}, padded).contiguous);
  CHECK(layout({1, 5}, padded).contiguous);  // the only row may have any stride
  const int64_t transposed[] = {1, 3};
  CHECK_EQUAL(layout({3, 5}, transposed).extent_bytes, 60);
  CHECK(!layout({3, 5}, transposed).contiguous);
  const int64_t row[] = {0, 1};
  CHECK_EQUAL(layout({1000, 5}, row).extent_bytes, 20);
  CHECK_EQUAL(layout({1000, 5}, row).elements, 5000);
  CHECK(!layout({1000, 5}, row).contiguous);
}

TEST(shared_elements_are_found) {
  const int64_t broadcast[] = {0, 1};
  const int64_t transposed[] = {1, 3};
  const int64_t padded[] = {8, 1};
  const int64_t overlapping[] = {4, 1};
  CHECK(camp::addresses_once(layout({3, 5})));
  CHECK(camp::addresses_once(layout({3, 5}, transposed)));
  CHECK(camp::addresses_once(layout({3, 5}, padded)));
  CHECK(camp::addresses_once(layout({1, 5}, broadcast)));
  CHECK(camp::addresses_once(layout({0, 5}, overlapping)));
  CHECK(!camp::addresses_once(layout({2, 5}, broadcast)));
  CHECK(!camp::addresses_once(layout({3, 5}, overlapping)));
  CHECK(camp::addresses_once(camp::make_layout(CAMP_DTYPE_F32, 0, nullptr, nullptr)));
}
