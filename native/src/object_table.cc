// object_table.cc: a growing table of slots, looked up without a lock.
#include "object_table.hpp"

#include <atomic>
#include <mutex>

#include "operator_runtime/extension.hpp"

namespace camp::objects {

// State of a slot in one word, so that a look-up is one compare-and-swap:
//   bits 32..63 generation, 28..30 kind (0: not alive), 0..27 pins.
struct Slot {
  std::atomic<uint64_t> state;
  Object *object;
  Slot *next_free;
  uint32_t reuses;
  uint32_t index;
};

namespace {

// Token: bits 60..63 mark (no user-space address of x86-64 or AArch64 has it), 28..59 generation,
// 4..27 slot, 1..3 kind, 0 always 1.
constexpr uint64_t token_mark = 0xA;
constexpr unsigned slots_a_chunk_log2 = 10;
constexpr uint64_t slots_a_chunk = uint64_t{1} << slots_a_chunk_log2;
constexpr uint64_t max_chunks = uint64_t{1} << (24 - slots_a_chunk_log2);
constexpr uint64_t kind_mask = uint64_t{7} << 28;
constexpr uint64_t pin_mask = (uint64_t{1} << 28) - 1;
static_assert(sizeof(void *) == 8, "tokens need 64-bit pointers");

struct Token {
  uint64_t bits;

  explicit Token(const void *value) noexcept : bits(reinterpret_cast<uintptr_t>(value)) {}
  bool marked() const noexcept { return bits >> 60 == token_mark && (bits & 1) == 1; }
  uint64_t generation() const noexcept { return (bits >> 28) & 0xffffffffu; }
  uint64_t index() const noexcept { return (bits >> 4) & 0xffffffu; }
  uint64_t kind() const noexcept { return (bits >> 1) & 7; }
};

// Chunks are never freed: a stale token may name any slot at any time.
std::atomic<Slot *> chunks[max_chunks];
std::mutex mutex;  // guards the list of free slots and the count of all
Slot *free_slots = nullptr;
uint32_t slot_count = 0;
std::atomic<size_t> live{0};

// Differs between two copies of the runtime in one process, so that neither takes the other's
// tokens for its own.
uint32_t generation_salt() noexcept {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&chunks) >> 12) * 2654435761u;
}

uint64_t state_of(uint64_t generation, uint64_t kind) noexcept {
  return generation << 32 | kind << 28;
}

Slot *find(const Token token) noexcept {
  if (!token.marked()) return nullptr;
  Slot *chunk = chunks[token.index() >> slots_a_chunk_log2].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk + (token.index() & (slots_a_chunk - 1));
}

uint32_t generation_of(const Slot &slot) noexcept {
  return generation_salt() + slot.reuses;
}

// Called with the mutex held.
Slot *take_slot() {
  if (free_slots != nullptr) {
    Slot *slot = free_slots;
    free_slots = slot->next_free;
    return slot;
  }
  const uint64_t chunk = slot_count >> slots_a_chunk_log2;
  if (chunk >= max_chunks) {
    throw_error(CAMP_STATUS_OUT_OF_MEMORY, "more than %u objects", slot_count);
  }
  Slot *slots = chunks[chunk].load(std::memory_order_relaxed);
  if (slots == nullptr) {
    slots = new Slot[slots_a_chunk]();
    chunks[chunk].store(slots, std::memory_order_release);
  }
  Slot *slot = slots + (slot_count & (slots_a_chunk - 1));
  slot->index = slot_count++;
  return slot;
}

// Called once a life, by the thread that took the last hold of a slot no longer alive.
void reclaim(Slot *slot) noexcept {
  delete slot->object;
  slot->object = nullptr;
  live.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(mutex);
  if (slot->reuses == UINT32_MAX) return;  // retired: another use would repeat a token
  slot->reuses++;
  slot->state.store(state_of(generation_of(*slot), 0), std::memory_order_relaxed);
  slot->next_free = free_slots;
  free_slots = slot;
}

const char *kind_name(uint64_t kind) noexcept {
  switch (static_cast<Kind>(kind)) {
    case Kind::tensor:
      return "a tensor descriptor";
    case Kind::handle:
      return "a handle";
    case Kind::op:
      return "an operator";
    case Kind::event:
      return "an event";
    case Kind::graph:
      return "a graph";
  }
  return "an object";
}

}  // namespace

void *insert(Kind kind, std::unique_ptr<Object> object) {
  Slot *slot;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    slot = take_slot();
  }
  const uint64_t generation = generation_of(*slot);
  slot->object = object.release();
  live.fetch_add(1, std::memory_order_relaxed);
  slot->state.store(state_of(generation, static_cast<uint64_t>(kind)), std::memory_order_release);
  const uint64_t token = token_mark << 60 | generation << 28 | uint64_t{slot->index} << 4 |
                         static_cast<uint64_t>(kind) << 1 | 1;
  return reinterpret_cast<void *>(token);
}

Slot *pin(const void *value, Kind kind) noexcept {
  const Token token(value);
  Slot *slot = find(token);
  if (slot == nullptr) return nullptr;
  const uint64_t alive = state_of(token.generation(), static_cast<uint64_t>(kind));
  uint64_t state = slot->state.load(std::memory_order_relaxed);
  do {
    if ((state & ~pin_mask) != alive) return nullptr;
  } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                              std::memory_order_relaxed));
  return slot;
}

void unpin(Slot *slot) noexcept {
  const uint64_t before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & (kind_mask | pin_mask)) == 1) reclaim(slot);  // not alive, and the last pin
}

Object *object_of(Slot *slot) noexcept {
  return slot->object;
}

bool erase(const void *value, Kind kind) noexcept {
  const Token token(value);
  Slot *slot = find(token);
  if (slot == nullptr) return false;
  const uint64_t alive = state_of(token.generation(), static_cast<uint64_t>(kind));
  uint64_t state = slot->state.load(std::memory_order_relaxed);
  do {
    if ((state & ~pin_mask) != alive) return false;
  } while (!slot->state.compare_exchange_weak(state, state & ~kind_mask, std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
  if ((state & pin_mask) == 0) reclaim(slot);
  return true;
}

camp_status_t explain(const void *value, Kind kind) noexcept {
  const char *wanted = kind_name(static_cast<uint64_t>(kind));
  if (value == nullptr) return fail(CAMP_STATUS_INVALID_ARGUMENT, "NULL is not %s", wanted);
  const Token token(value);
  if (!token.marked()) {
    return fail(CAMP_STATUS_INVALID_OBJECT, "%p is not %s of this library", value, wanted);
  }
  if (token.kind() != static_cast<uint64_t>(kind)) {
    return fail(CAMP_STATUS_INVALID_OBJECT, "%p is %s, not %s", value, kind_name(token.kind()),
                wanted);
  }
  return fail(CAMP_STATUS_INVALID_OBJECT,
              "%p was %s that is destroyed, or belongs to another copy of this library", value,
              wanted);
}

bool is_token(const void *value) noexcept {
  return Token(value).marked();
}

size_t live_count() noexcept {
  return live.load(std::memory_order_relaxed);
}

}  // namespace camp::objects
