#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "worker/doors.h"
#include "worker/expected_store.h"

using namespace fib;
using worker::ExpectedStore;
using worker::OutputsAt;
using Place = ExpectedStore::Place;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40U;

// Memory of which a copy is a number; the device has room for so many bytes.
class FakeMemory : public worker::OutputsMemory {
 public:
  explicit FakeMemory(std::uint64_t room = 0) : room_(room), all_(room) {}

  std::uint64_t device_bytes() const override { return all_; }

  std::unique_ptr<worker::OutputsCopy> on_host(std::uint64_t bytes) override {
    return std::make_unique<Copy>(*this, false, bytes);
  }
  std::unique_ptr<worker::OutputsCopy> on_device(std::uint64_t bytes) override {
    if (bytes > room_) return nullptr;
    return std::make_unique<Copy>(*this, true, bytes);
  }

  std::uint64_t host_bytes = 0;  // of copies that are there

 private:
  class Copy : public worker::OutputsCopy {
   public:
    Copy(FakeMemory& memory, bool on_device, std::uint64_t bytes)
        : on_device_(on_device), bytes_(bytes), left_(on_device ? memory.room_ : memory.host_bytes) {
      left_ += on_device ? -bytes_ : bytes_;
    }
    ~Copy() override { left_ += on_device_ ? bytes_ : -bytes_; }
    void take(const OutputsAt& outputs) override {
      content_ =
          outputs.host == nullptr ? static_cast<char>(outputs.device) : static_cast<char>(*outputs.host);
    }
    OutputsAt at() const override {
      if (on_device_) return {nullptr, static_cast<std::uint64_t>(content_)};
      return {reinterpret_cast<const std::byte*>(&content_)};
    }

   private:
    bool on_device_;
    std::uint64_t bytes_;
    std::uint64_t& left_;
    char content_ = 0;
  };

  std::uint64_t room_;
  std::uint64_t all_;
};

void keep(ExpectedStore& store, const ExpectedStore::Key& key, char content, std::uint64_t bytes,
          std::uint64_t budget = kNoLimit, Place place = Place::kHost) {
  const auto byte = static_cast<std::byte>(content);
  store.keep(key, {&byte}, bytes, place, budget);
}

// "host c" or "device c" of outputs that hold c; "gone".
std::string found(const ExpectedStore& store, const ExpectedStore::Key& key) {
  const auto* copy = store.find(key);
  if (copy == nullptr) return "gone";
  const auto at = copy->at();
  return at.host == nullptr ? std::string("device ") + static_cast<char>(at.device)
                            : std::string("host ") + static_cast<char>(*at.host);
}

}  // namespace

TEST_CASE("outputs are found by workload and set, as long as they are kept") {
  FakeMemory memory;
  ExpectedStore store(memory);
  keep(store, {1, {"own", 0}}, 'a', 64);
  keep(store, {1, {"", 0}}, 'b', 64);
  keep(store, {2, {"own", 0}}, 'c', 64);
  CHECK(found(store, {1, {"own", 0}}) == "host a");
  CHECK(found(store, {1, {"", 0}}) == "host b");
  CHECK(found(store, {2, {"own", 0}}) == "host c");
  CHECK(found(store, {2, {"", 0}}) == "gone");
  store.drop({1, {"own", 0}});
  store.drop({1, {"own", 0}});  // it is gone
  CHECK(found(store, {1, {"own", 0}}) == "gone");
  CHECK(found(store, {1, {"", 0}}) == "host b");
  CHECK(memory.host_bytes == 128);
}

TEST_CASE("at the end of an evaluation the sets of its solution are dropped, shared ones stay") {
  FakeMemory memory;
  ExpectedStore store(memory);
  keep(store, {1, {"own", 0}}, 'a', 64);
  keep(store, {1, {"own", 1}}, 'b', 64);
  keep(store, {1, {"", 1}}, 'c', 64);
  keep(store, {2, {"own", 1}}, 'd', 64);
  store.drop_own_sets(1);
  CHECK(found(store, {1, {"own", 0}}) == "gone");
  CHECK(found(store, {1, {"own", 1}}) == "gone");
  CHECK(found(store, {1, {"", 1}}) == "host c");
  CHECK(found(store, {2, {"own", 1}}) == "host d");
}

TEST_CASE("under a budget the oldest outputs go first, and one set always fits") {
  FakeMemory memory;
  ExpectedStore store(memory);
  for (std::uint64_t call = 0; call < 5; ++call) keep(store, {1, {"", call}}, 'a', kPage, 3 * kPage);
  CHECK(found(store, {1, {"", 0}}) == "gone");
  CHECK(found(store, {1, {"", 1}}) == "gone");
  for (std::uint64_t call = 2; call < 5; ++call) CHECK(found(store, {1, {"", call}}) == "host a");
  // Larger ones take the place of several.
  keep(store, {2, {"", 0}}, 'b', 2 * kPage, 3 * kPage);
  CHECK(found(store, {1, {"", 3}}) == "gone");
  CHECK(found(store, {1, {"", 4}}) == "host a");
  keep(store, {3, {"", 0}}, 'c', 9 * kPage, 3 * kPage);
  CHECK(found(store, {1, {"", 4}}) == "gone");
  CHECK(found(store, {2, {"", 0}}) == "gone");
  CHECK(found(store, {3, {"", 0}}) == "host c");
  CHECK(memory.host_bytes == 9 * kPage);
}

TEST_CASE("where the device's memory is full, its oldest outputs move to the host's") {
  FakeMemory memory(3 * kPage);
  ExpectedStore store(memory);
  const auto place = Place::kDevice;
  for (std::uint64_t call = 0; call < 4; ++call)
    keep(store, {1, {"", call}}, static_cast<char>('a' + call), kPage, kNoLimit, place);
  CHECK(found(store, {1, {"", 0}}) == "host a");
  CHECK(found(store, {1, {"", 1}}) == "device b");
  CHECK(found(store, {1, {"", 3}}) == "device d");
  keep(store, {2, {"", 0}}, 'e', 2 * kPage, kNoLimit, place);
  CHECK(found(store, {1, {"", 1}}) == "host b");
  CHECK(found(store, {1, {"", 2}}) == "host c");
  CHECK(found(store, {1, {"", 3}}) == "device d");
  CHECK(found(store, {2, {"", 0}}) == "device e");
  store.drop({1, {"", 3}});
  keep(store, {2, {"", 1}}, 'f', kPage, kNoLimit, place);
  CHECK(found(store, {2, {"", 0}}) == "device e");
  CHECK(found(store, {2, {"", 1}}) == "device f");
}

TEST_CASE("what the device has no room for at all is kept on the host, as is what is to be read there") {
  FakeMemory memory(3 * kPage);
  ExpectedStore store(memory);
  keep(store, {2, {"", 0}}, 'c', kPage, kNoLimit, Place::kDevice);
  keep(store, {1, {"", 0}}, 'a', 4 * kPage, kNoLimit, Place::kDevice);
  CHECK(found(store, {1, {"", 0}}) == "host a");
  CHECK(found(store, {2, {"", 0}}) == "device c");  // nothing moved for it in vain
  keep(store, {1, {"", 1}}, 'b', kPage, kNoLimit, Place::kHost);
  CHECK(found(store, {1, {"", 1}}) == "host b");
}

TEST_CASE("the budget counts what lies on the device too") {
  FakeMemory memory(kNoLimit);
  ExpectedStore store(memory);
  for (std::uint64_t call = 0; call < 4; ++call)
    keep(store, {1, {"", call}}, 'a', kPage, 3 * kPage, Place::kDevice);
  CHECK(found(store, {1, {"", 0}}) == "gone");
  CHECK(found(store, {1, {"", 1}}) == "device a");
}

TEST_CASE("the CPU's memory of outputs that were dropped is used for the next ones of their size") {
  const auto cpu = worker::make_cpu_judge_device(1);
  ExpectedStore store(*cpu);
  std::set<const std::byte*> places;
  const auto keep_one = [&](const ExpectedStore::Key& key, std::uint64_t budget) {
    const std::string outputs(5 * kPage, 'x');
    store.keep(key, {reinterpret_cast<const std::byte*>(outputs.data())}, 5 * kPage, Place::kHost, budget);
    REQUIRE(found(store, key) == "host x");
    places.insert(store.find(key)->at().host);
  };
  for (std::uint64_t call = 0; call < 100; ++call) {
    keep_one({1, {"own", call}}, kNoLimit);
    store.drop({1, {"own", call}});
  }
  CHECK(places.size() == 1);
  for (std::uint64_t call = 0; call < 100; ++call) keep_one({1, {"", call}}, 4 * 5 * kPage);
  CHECK(places.size() == 4);
}

TEST_CASE("a pool keeps memory of the size that was asked for last") {
  int made = 0;
  worker::MemoryPool<int> pool([&](std::uint64_t bytes) {
    ++made;
    return std::make_unique<int>(static_cast<int>(bytes));
  });
  auto first = pool.take(8);
  auto second = pool.take(8);
  CHECK(made == 2);
  pool.give_back(std::move(first), 8);
  CHECK(*pool.take(8) == 8);
  CHECK(made == 2);
  CHECK(*pool.take(16) == 16);
  CHECK(made == 3);
  pool.give_back(std::move(second), 8);  // nobody asks for this size any more
  CHECK(*pool.take(16) == 16);
  CHECK(made == 4);
  CHECK(*pool.take(8) == 8);
  CHECK(made == 5);
}
