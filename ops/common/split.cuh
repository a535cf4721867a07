// split.cuh: cuts rows into parts where there are too few rows to fill a GPU with a block each.
#pragma once

#include <cstdint>

namespace camp {

// A row of `cols` elements as `parts` parts of `length` elements, the last one shorter but not
// empty; `parts` is 1 where a row is best left whole.
struct RowSplit {
  int64_t parts;
  int64_t length;
};

// Parts of all rows together: few enough for one block to add them up.
inline constexpr int64_t kMostParts = 512;

// The cut of each of `rows` rows, at most kMostParts in all. It depends on the shape alone, not on
// the GPU, so that results that depend on it have the same bits everywhere.
inline RowSplit split_row(int64_t rows, int64_t cols) {
  constexpr int64_t enough_rows = 64;     // from here on a block a row keeps a large GPU busy
  constexpr int64_t least_length = 4096;  // a shorter part is not worth a block
  constexpr int64_t step = 64;            // elements; every part keeps the phase of its row
  if (rows >= enough_rows || cols < 4 * least_length) return RowSplit{1, cols};
  const int64_t most = kMostParts / rows;
  const int64_t parts = cols / least_length < most ? cols / least_length : most;  // [4, most]
  const int64_t length = ((cols + parts - 1) / parts + step - 1) / step * step;
  return RowSplit{(cols + length - 1) / length, length};
}

}  // namespace camp
