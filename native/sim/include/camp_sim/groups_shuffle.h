// groups_shuffle.h: shuffles of values of any size, which groups offer and warps do not.
#pragma once

#include <type_traits>

#include "camp_sim/memory.h"
#include "camp_sim/warp.h"

namespace camp_sim {

// Calls shuffle(word) for each 8-byte part of `value`.
template <typename T, typename Shuffle>
CAMP_SIM_NO_SANITIZE T shuffle_in_words(T value, Shuffle shuffle) {
  static_assert((std::is_trivially_copyable_v<T> || has_hinted_access<T>) && sizeof(T) <= 32,
                "groups shuffle trivially copyable values of up to 32 bytes");
  if constexpr (sizeof(T) <= 8) {
    return shuffle(value);
  } else {
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (uint64_t &word : words)
      word = shuffle(word);
    __builtin_memcpy(static_cast<void *>(&value), words, sizeof(T));
    return value;
  }
}

template <typename T>
CAMP_SIM_NO_SANITIZE T shuffle_value(unsigned mask, T value, int lane, int width, Site site) {
  return shuffle_in_words(value, [=](auto word) CAMP_SIM_NO_SANITIZE {
    return __shfl_sync(mask, word, lane, width, site);
  });
}
template <typename T>
CAMP_SIM_NO_SANITIZE T shuffle_up_value(unsigned mask, T value, unsigned delta, int width,
                                        Site site) {
  return shuffle_in_words(value, [=](auto word) CAMP_SIM_NO_SANITIZE {
    return __shfl_up_sync(mask, word, delta, width, site);
  });
}
template <typename T>
CAMP_SIM_NO_SANITIZE T shuffle_down_value(unsigned mask, T value, unsigned delta, int width,
                                          Site site) {
  return shuffle_in_words(value, [=](auto word) CAMP_SIM_NO_SANITIZE {
    return __shfl_down_sync(mask, word, delta, width, site);
  });
}
template <typename T>
CAMP_SIM_NO_SANITIZE T shuffle_xor_value(unsigned mask, T value, int lane_mask, int width,
                                         Site site) {
  return shuffle_in_words(value, [=](auto word) CAMP_SIM_NO_SANITIZE {
    return __shfl_xor_sync(mask, word, lane_mask, width, site);
  });
}

}  // namespace camp_sim
