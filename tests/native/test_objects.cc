// test_objects.cc: wrong use of opaque pointers gives a status, whatever the pointer is.
#include <cstdint>
#include <set>
#include <vector>

#include "fixture.hpp"
#include "object_table.hpp"

namespace {

template <typename To, typename From>
To *as(From *pointer) {
  return reinterpret_cast<To *>(pointer);
}

// A value that is no object: must be refused by every function that takes one.
void refuse_everywhere(void *wrong) {
  Fixture fixture;
  camp_operator_t *made = nullptr;
  size_t bytes = 0;
  float milliseconds = 0;
  int device = 0;
  CHECK_STATUS(camp_handle_destroy(as<camp_handle_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(camp_handle_get(as<camp_handle_t>(wrong), &device, nullptr), INVALID_OBJECT);
  CHECK_STATUS(camp_tensor_descriptor_destroy(as<camp_tensor_descriptor_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(camp_operator_destroy(as<camp_operator_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(camp_operator_workspace_bytes(as<camp_operator_t>(wrong), &bytes), INVALID_OBJECT);
  CHECK_STATUS(camp_event_destroy(as<camp_event_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(camp_event_record(as<camp_event_t>(wrong), nullptr), INVALID_OBJECT);
  CHECK_STATUS(camp_event_synchronize(as<camp_event_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(
      camp_event_elapsed_ms(as<camp_event_t>(wrong), as<camp_event_t>(wrong), &milliseconds),
      INVALID_OBJECT);
  CHECK_STATUS(camp_graph_launch(as<camp_graph_t>(wrong), nullptr), INVALID_OBJECT);
  CHECK_STATUS(camp_graph_destroy(as<camp_graph_t>(wrong)), INVALID_OBJECT);
  CHECK_STATUS(camp_idle_create(&made, as<camp_handle_t>(wrong), fixture.x, fixture.x),
               INVALID_OBJECT);
  CHECK_STATUS(
      camp_idle_create(&made, fixture.handle, fixture.x, as<camp_tensor_descriptor_t>(wrong)),
      INVALID_OBJECT);
  CHECK_MESSAGE("idle: x: ");
  CHECK(made == nullptr);
  CHECK_STATUS(
      camp_idle_execute(as<camp_operator_t>(wrong), nullptr, 0, fixture.y_data, fixture.x_data),
      INVALID_OBJECT);
}

// Says when it goes.
struct Probe : camp::objects::Object {
  static constexpr camp::objects::Kind kind = camp::objects::Kind::event;
  explicit Probe(bool *g) : gone(g) {}
  ~Probe() override { *gone = true; }
  bool *gone;
};

}  // namespace

TEST(pointers_that_are_no_objects_are_refused) {
  int local = 0;
  std::vector<char> heap(64);
  refuse_everywhere(&local);
  refuse_everywhere(heap.data());
  refuse_everywhere(heap.data() + 1);
  refuse_everywhere(reinterpret_cast<void *>(uintptr_t{1}));
  refuse_everywhere(reinterpret_cast<void *>(UINTPTR_MAX));
  refuse_everywhere(reinterpret_cast<void *>(&refuse_everywhere));
}

TEST(null_objects_are_refused) {
  Fixture fixture;
  camp_operator_t *made = nullptr;
  size_t bytes = 0;
  CHECK_STATUS(camp_handle_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_tensor_descriptor_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_operator_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_operator_workspace_bytes(nullptr, &bytes), INVALID_ARGUMENT);
  CHECK_STATUS(camp_event_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_graph_launch(nullptr, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_graph_destroy(nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_idle_create(&made, nullptr, fixture.x, fixture.x), INVALID_ARGUMENT);
  CHECK_STATUS(camp_idle_create(&made, fixture.handle, nullptr, fixture.x), INVALID_ARGUMENT);
  CHECK_MESSAGE("y: ");
  CHECK_STATUS(camp_idle_create(nullptr, fixture.handle, fixture.x, fixture.x), INVALID_ARGUMENT);
  CHECK_STATUS(camp_idle_execute(nullptr, nullptr, 0, nullptr, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_handle_create(nullptr, 0, nullptr), INVALID_ARGUMENT);
}

TEST(an_object_of_another_type_is_refused_by_name) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  CHECK_STATUS(camp_handle_destroy(as<camp_handle_t>(op)), INVALID_OBJECT);
  CHECK_MESSAGE("is an operator, not a handle");
  CHECK_STATUS(camp_operator_destroy(as<camp_operator_t>(fixture.x)), INVALID_OBJECT);
  CHECK_STATUS(camp_tensor_descriptor_destroy(as<camp_tensor_descriptor_t>(fixture.handle)),
               INVALID_OBJECT);
  CHECK_STATUS(camp_idle_execute(as<camp_operator_t>(fixture.handle), nullptr, 0, nullptr, nullptr),
               INVALID_OBJECT);
  CHECK_STATUS(camp_stream_destroy(fixture.handle), INVALID_OBJECT);
  CHECK_STATUS(camp_stream_synchronize(fixture.handle), INVALID_OBJECT);
  camp_handle_t *other = nullptr;
  CHECK_STATUS(camp_handle_create(&other, 0, op), INVALID_OBJECT);
  CHECK(other == nullptr);
  CHECK_OK(camp_operator_destroy(op));  // all of the above left it alive
}

TEST(a_destroyed_object_is_refused) {
  Fixture fixture;
  camp_operator_t *op = fixture.idle();
  CHECK_OK(camp_operator_destroy(op));
  CHECK_STATUS(camp_operator_destroy(op), INVALID_OBJECT);
  CHECK_MESSAGE("destroyed");
  CHECK_STATUS(camp_idle_execute(op, nullptr, 0, fixture.y_data, fixture.x_data), INVALID_OBJECT);
}

TEST(a_stale_pointer_never_names_a_newer_object) {
  Fixture fixture;
  camp_operator_t *stale = fixture.idle();
  CHECK_OK(camp_operator_destroy(stale));
  std::set<camp_operator_t *> seen{stale};
  for (int i = 0; i < 1000; ++i) {
    camp_operator_t *op = fixture.idle();
    CHECK(seen.insert(op).second);
    CHECK_OK(camp_operator_destroy(op));
  }
  camp_operator_t *op = fixture.idle();
  CHECK_STATUS(camp_operator_destroy(stale), INVALID_OBJECT);
  CHECK_OK(camp_operator_destroy(op));
}

TEST(many_objects_live_at_once) {
  const size_t before = camp::objects::live_count();
  std::vector<camp_handle_t *> handles(5000);
  for (size_t i = 0; i < handles.size(); ++i) {
    CHECK_OK(camp_handle_create(&handles[i], static_cast<int>(i % 2), nullptr));
  }
  CHECK_EQUAL(camp::objects::live_count(), before + handles.size());
  for (size_t i = 0; i < handles.size(); ++i) {
    int device = -1;
    CHECK_OK(camp_handle_get(handles[i], &device, nullptr));
    CHECK_EQUAL(device, static_cast<int>(i % 2));
  }
  for (camp_handle_t *handle : handles)
    CHECK_OK(camp_handle_destroy(handle));
  CHECK_EQUAL(camp::objects::live_count(), before);
}

TEST(a_pinned_object_outlives_its_destroy) {
  bool gone = false;
  void *token = camp::objects::insert(Probe::kind, std::make_unique<Probe>(&gone));
  {
    const camp::objects::Pin<Probe> pin(token);
    CHECK(static_cast<bool>(pin));
    CHECK_OK(camp::objects::destroy<Probe>(token));
    CHECK(!gone);
    CHECK(!camp::objects::Pin<Probe>(token));
    CHECK_STATUS(camp::objects::destroy<Probe>(token), INVALID_OBJECT);
  }
  CHECK(gone);
}
