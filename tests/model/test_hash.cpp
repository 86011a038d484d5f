#include <catch2/catch.hpp>

#include "util/hash.h"

using namespace fib;

TEST_CASE("digests have their known values") {
  CHECK(util::sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(util::sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a digest over parts tells their borders") {
  const auto hash = [](std::initializer_list<std::string_view> parts) {
    util::Sha256 sha;
    for (const auto part : parts) sha.add(part);
    return sha.hex();
  };
  CHECK(hash({"ab", "c"}) != hash({"a", "bc"}));
  CHECK(hash({"ab", ""}) != hash({"ab"}));
  CHECK(hash({"ab"}) == hash({"ab"}));
  CHECK(hash({"a"}) == util::sha256_hex(std::string_view("\1\0\0\0\0\0\0\0a", 9)));
}
