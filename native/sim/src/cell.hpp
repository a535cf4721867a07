// cell.hpp: one remembered access in 64 bits, and the shadow of a 4-byte word.
//
// A word keeps up to three accesses, each with the bytes it touched, so two threads that write
// adjacent halves are not mistaken for a race, and a word costs 32 bytes of shadow: 8 a byte of
// data.
#pragma once

#include <atomic>
#include <cstdint>

namespace camp_sim {

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

  static Cell make(uint32_t byte_mask, bool write, bool atomic, uint32_t thread, uint32_t clock,
                   uint32_t block, uint32_t generation, uint32_t site) {
    return Cell{uint64_t{byte_mask} | uint64_t{write} << 4 | uint64_t{atomic} << 5 |
                uint64_t{thread} << 6 | uint64_t{clock} << 16 | uint64_t{block} << 30 |
                uint64_t{generation} << 48 | uint64_t{site} << 52};
  }
  bool empty() const { return bits == 0; }
  uint32_t byte_mask() const { return bits & 0xf; }
  bool write() const { return (bits >> 4 & 1) != 0; }
  bool atomic() const { return (bits >> 5 & 1) != 0; }
  uint32_t thread() const { return bits >> 6 & 0x3ff; }
  uint32_t clock() const { return bits >> 16 & max_clock; }
  uint32_t block() const { return bits >> 30 & (max_blocks - 1); }
  uint32_t generation() const { return bits >> 48 & (generations - 1); }
  uint32_t site() const { return static_cast<uint32_t>(bits >> 52); }
  // The block and the generation together tell whether two accesses are of one block of one launch.
  static constexpr uint64_t epoch_mask = ((uint64_t{1} << 22) - 1) << 30;
  static constexpr uint64_t generation_mask = uint64_t{generations - 1} << 48;
  static constexpr uint64_t owner_mask = epoch_mask | uint64_t{0x3ff} << 6;
};

// Blocks run on several host threads; a lost update costs a report, never a false one.
struct Word {
  std::atomic<uint64_t> cells[3];
  std::atomic<uint64_t>
      state;  // low 4 bits: bytes written so far; the rest: a stamp (shared memory)

  Cell load(int i) const { return Cell{cells[i].load(std::memory_order_relaxed)}; }
  void store(int i, Cell cell) { cells[i].store(cell.bits, std::memory_order_relaxed); }
};
static_assert(sizeof(Word) == 32, "8 bytes of shadow a byte of data");

}  // namespace camp_sim
