// cell.hpp: one remembered access in 64 bits, and the shadow of a 4-byte word.
//
// A word keeps up to three accesses, each with the bytes it touched, so two threads that write
// adjacent halves are not mistaken for a race, and a word costs 32 bytes of shadow: 8 a byte of
// data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace camp_sim {

// block_atomic: atomic only among the threads of its block (the _block functions).
enum class AccessKind : uint8_t { read, write, atomic, block_atomic };

struct Cell {
  uint64_t bits = 0;  // 0: empty

  // Field widths; a launch with more blocks or barriers than fit is not checked across them.
  static constexpr unsigned thread_bits = 10;
  static constexpr unsigned clock_bits = 14;
  static constexpr unsigned block_bits = 18;
  static constexpr unsigned generation_bits = 4;
  static constexpr unsigned site_bits = 12;
  static constexpr uint32_t max_clock = (1u << clock_bits) - 1;
  static constexpr uint64_t max_blocks = uint64_t{1} << block_bits;
  static constexpr uint32_t generations = 1u << generation_bits;
  static constexpr uint32_t max_sites = 1u << site_bits;

  static constexpr unsigned site_shift = 6;
  static constexpr unsigned thread_shift = site_shift + site_bits;
  static constexpr unsigned clock_shift = thread_shift + thread_bits;
  static constexpr unsigned block_shift = clock_shift + clock_bits;
  static constexpr unsigned generation_shift = block_shift + block_bits;
  static_assert(generation_shift + generation_bits == 64);

  static constexpr uint64_t write_bit = 1u << 4;
  static constexpr uint64_t atomic_bit = 1u << 5;
  // Generation, block and clock are the upper bits, in this order: accesses of one block of one
  // launch since some clock are a range of numbers.
  static constexpr uint64_t epoch(uint32_t generation, uint32_t block, uint32_t clock) {
    return uint64_t{generation} << generation_shift | uint64_t{block} << block_shift |
           uint64_t{clock} << clock_shift;
  }
  static constexpr uint64_t kind_bits(AccessKind kind) {
    constexpr uint64_t bits_of[] = {0, write_bit, write_bit | atomic_bit, atomic_bit};
    return bits_of[static_cast<size_t>(kind)];
  }
  // `who`: generation, block, clock and thread.
  static Cell make(uint64_t who, uint32_t byte_mask, AccessKind kind, uint32_t site) {
    return Cell{who | uint64_t{site} << site_shift | kind_bits(kind) | byte_mask};
  }
  bool empty() const { return bits == 0; }
  uint32_t byte_mask() const { return bits & 0xf; }
  bool write() const { return (bits & (write_bit | atomic_bit)) != 0; }
  bool atomic() const { return (bits & atomic_bit) != 0; }
  bool block_atomic() const { return (bits & (write_bit | atomic_bit)) == atomic_bit; }
  uint32_t site() const { return bits >> site_shift & (max_sites - 1); }
  uint32_t thread() const { return bits >> thread_shift & ((1u << thread_bits) - 1); }
  uint32_t clock() const { return bits >> clock_shift & max_clock; }
  uint32_t block() const { return bits >> block_shift & (max_blocks - 1); }
  static constexpr uint64_t generation_mask = ~uint64_t{0} << generation_shift;
  static constexpr uint64_t epoch_mask = ~uint64_t{0} << block_shift;  // generation and block
  static constexpr uint64_t clock_mask = uint64_t{max_clock} << clock_shift;
  static constexpr uint64_t owner_mask = epoch_mask | uint64_t{(1u << thread_bits) - 1}
                                                          << thread_shift;
};

// Blocks run on several host threads; a lost update costs a report, never a false one.
struct Word {
  std::atomic<uint64_t> cells[3];
  std::atomic<uint64_t>
      state;  // low 4 bits: bytes written so far; the rest: a stamp (shared memory)

  static constexpr uint64_t all_written = 0xf;  // `state` in global memory

  Cell load(int i) const { return Cell{cells[i].load(std::memory_order_relaxed)}; }
  void store(int i, Cell cell) { cells[i].store(cell.bits, std::memory_order_relaxed); }
};
static_assert(sizeof(Word) == 32, "8 bytes of shadow a byte of data");

// The remembered accesses that may matter to one that happens now: those in [from, from + span).
struct Horizon {
  uint64_t from;
  uint64_t span;
};

// The usual case, decided without a closer look: no other thread's remembered access conflicts with
// `now`, a plain access of the whole word. It is remembered then; false where the closer look is
// needed.
inline bool remember_alone(Word &word, Cell now, Horizon horizon) {
  int free = -1;    // a slot whose access matters no more
  int reader = -1;  // a slot with another thread's read, the least to lose
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const Cell before = word.load(i);
    if (before.bits - horizon.from >= horizon.span) {
      free = i;
    } else if (((before.bits ^ now.bits) & Cell::owner_mask) != 0) {
      if (before.write() || now.write()) {
        return false;
      }
      reader = i;
    } else if (now.write() || !before.write()) {
      // Our own, at least as weak: superseded, unless it says the same.
      constexpr uint64_t same = Cell::clock_mask | Cell::write_bit | Cell::atomic_bit | 0xf;
      if (((before.bits ^ now.bits) & same) == 0) {
        return true;
      }
      free = i;
    } else if (((before.bits ^ now.bits) & Cell::clock_mask) == 0 && before.byte_mask() == 0xf &&
               !before.atomic()) {
      return true;  // our own write says more than this read
    }
  }
  const int slot = free >= 0 ? free : reader;
  if (slot < 0) {
    return false;
  }
  word.store(slot, now);
  return true;
}

}  // namespace camp_sim
