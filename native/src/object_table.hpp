// object_table.hpp: the live objects behind the ABI's opaque pointers.
//
// What a caller holds is no address but a token: slot number, kind, and a generation that changes
// whenever the slot is reused. So a null, freed, twice freed, foreign or mistaken pointer is told
// apart without ever being dereferenced, even after its memory would have been reused. Looking one
// up takes no lock; while it is pinned, an object outlives a concurrent destroy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "operator_runtime/status.h"

namespace camp::objects {

enum class Kind : uint64_t { tensor = 1, handle = 2, op = 3, event = 4, graph = 5 };

struct Object {
  virtual ~Object() = default;
};

struct Slot;

// Takes the object in and gives its token; throws std::bad_alloc, or an Error when the table is
// full.
void *insert(Kind kind, std::unique_ptr<Object> object);

// The object's slot, held until unpin; null unless `token` is a live object of `kind`.
Slot *pin(const void *token, Kind kind) noexcept;
void unpin(Slot *slot) noexcept;
Object *object_of(Slot *slot) noexcept;

// Removes a live object of `kind`, freed when the last pin goes. False when it is none.
bool erase(const void *token, Kind kind) noexcept;

// Sets the message that says what is wrong with a token that pin or erase refused.
camp_status_t explain(const void *token, Kind kind) noexcept;

// Whether a value is (or was) one of this ABI's object pointers rather than an address.
bool is_token(const void *value) noexcept;

// Objects alive; for tests.
size_t live_count() noexcept;

// A pinned object of type T, which has `static constexpr Kind kind`.
template <typename T>
class Pin {
 public:
  explicit Pin(const void *token) noexcept : slot_(pin(token, T::kind)) {}
  ~Pin() {
    if (slot_ != nullptr) unpin(slot_);
  }
  Pin(const Pin &) = delete;
  Pin &operator=(const Pin &) = delete;

  explicit operator bool() const noexcept { return slot_ != nullptr; }
  T *operator->() const noexcept { return static_cast<T *>(object_of(slot_)); }
  T &operator*() const noexcept { return *static_cast<T *>(object_of(slot_)); }

 private:
  Slot *slot_;
};

// The common body of every destroy.
template <typename T>
camp_status_t destroy(const void *token) noexcept {
  return erase(token, T::kind) ? CAMP_STATUS_SUCCESS : explain(token, T::kind);
}

}  // namespace camp::objects
