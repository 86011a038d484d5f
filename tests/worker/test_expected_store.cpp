#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "worker/expected_store.h"

using namespace fib;
using worker::ExpectedStore;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40U;

// Keeps outputs that begin with this byte; where they lie.
const std::byte* keep(ExpectedStore& store, const ExpectedStore::Key& key, int byte, std::uint64_t bytes,
                      std::uint64_t budget = kNoLimit) {
  auto outputs = store.take(bytes, budget);
  outputs.memory.data()[0] = static_cast<std::byte>(byte);
  const std::byte* place = outputs.memory.data();
  store.keep(key, std::move(outputs));
  return place;
}

}  // namespace

TEST_CASE("outputs are found by workload and set, as long as they are kept") {
  ExpectedStore store;
  keep(store, {1, {"own", 0}}, 10, 64);
  keep(store, {1, {"", 0}}, 20, 64);
  keep(store, {2, {"own", 0}}, 30, 64);
  REQUIRE(store.find({1, {"own", 0}}) != nullptr);
  CHECK(*store.find({1, {"own", 0}}) == std::byte{10});
  CHECK(*store.find({1, {"", 0}}) == std::byte{20});
  CHECK(*store.find({2, {"own", 0}}) == std::byte{30});
  CHECK(store.find({2, {"", 0}}) == nullptr);
  store.drop({1, {"own", 0}});
  store.drop({1, {"own", 0}});  // it is gone
  CHECK(store.find({1, {"own", 0}}) == nullptr);
  CHECK(store.find({1, {"", 0}}) != nullptr);
}

TEST_CASE("at the end of an evaluation the sets of its solution are dropped, shared ones stay") {
  ExpectedStore store;
  keep(store, {1, {"own", 0}}, 1, 64);
  keep(store, {1, {"own", 1}}, 2, 64);
  keep(store, {1, {"", 1}}, 3, 64);
  keep(store, {2, {"own", 1}}, 4, 64);
  store.drop_own_sets(1);
  CHECK(store.find({1, {"own", 0}}) == nullptr);
  CHECK(store.find({1, {"own", 1}}) == nullptr);
  CHECK(store.find({1, {"", 1}}) != nullptr);
  CHECK(store.find({2, {"own", 1}}) != nullptr);
}

TEST_CASE("under a budget the oldest outputs go first, and one set always fits") {
  ExpectedStore store;
  for (std::uint64_t call = 0; call < 5; ++call) keep(store, {1, {"", call}}, 1, kPage, 3 * kPage);
  CHECK(store.find({1, {"", 0}}) == nullptr);
  CHECK(store.find({1, {"", 1}}) == nullptr);
  for (std::uint64_t call = 2; call < 5; ++call) CHECK(store.find({1, {"", call}}) != nullptr);
  // Larger ones take the place of several.
  keep(store, {2, {"", 0}}, 1, 2 * kPage, 3 * kPage);
  CHECK(store.find({1, {"", 3}}) == nullptr);
  CHECK(store.find({1, {"", 4}}) != nullptr);
  keep(store, {3, {"", 0}}, 1, 9 * kPage, 3 * kPage);
  CHECK(store.find({1, {"", 4}}) == nullptr);
  CHECK(store.find({2, {"", 0}}) == nullptr);
  CHECK(store.find({3, {"", 0}}) != nullptr);
}

TEST_CASE("the budget is one of outputs, however small they are") {
  ExpectedStore store;
  for (std::uint64_t call = 0; call < 10; ++call) keep(store, {1, {"", call}}, 1, 64, 640);
  for (std::uint64_t call = 0; call < 10; ++call) CHECK(store.find({1, {"", call}}) != nullptr);
  keep(store, {1, {"", 10}}, 1, 64, 640);
  CHECK(store.find({1, {"", 0}}) == nullptr);
}

TEST_CASE("memory of outputs that were dropped is used for the next ones of their size") {
  ExpectedStore store;
  std::set<const std::byte*> places;
  for (std::uint64_t call = 0; call < 100; ++call) {
    places.insert(keep(store, {1, {"own", call}}, 1, 5 * kPage));
    store.drop({1, {"own", call}});
  }
  CHECK(places.size() == 1);
  for (std::uint64_t call = 0; call < 100; ++call)
    places.insert(keep(store, {1, {"", call}}, 1, 5 * kPage, 4 * 5 * kPage));
  CHECK(places.size() == 4);
}

TEST_CASE("memory of another size is given up, and counts no longer") {
  ExpectedStore store;
  keep(store, {1, {"own", 0}}, 1, 3 * kPage);
  store.drop_own_sets(1);
  for (std::uint64_t call = 0; call < 3; ++call) keep(store, {2, {"", call}}, 1, kPage, 3 * kPage);
  for (std::uint64_t call = 0; call < 3; ++call) CHECK(store.find({2, {"", call}}) != nullptr);
}
