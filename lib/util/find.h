#pragma once

namespace fib::util {

// The value of a key in a map, which stays the map's; null where the map has no such key.
template <typename Map, typename Key>
[[nodiscard]] const typename Map::mapped_type* find_or_null(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace fib::util
