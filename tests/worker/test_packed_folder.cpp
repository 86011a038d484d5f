#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"
#include "worker/packed_folder.h"

namespace fs = std::filesystem;
using namespace fib;
using worker::pack_folder;
using worker::unpack_folder;

namespace {

constexpr std::size_t kLimit = 1000;

std::string packed_file(const std::string& path) {
  std::string packed;
  const auto file = nlohmann::json::array({path, nlohmann::json::binary({1, 2})});
  nlohmann::json::to_cbor(nlohmann::json::array({file}), packed);
  return packed;
}

}  // namespace

TEST_CASE("a folder's files come out as they went in, whatever their bytes") {
  const testing::TemporaryFolder from;
  const testing::TemporaryFolder to;
  const std::string bytes("\0\xff\n", 3);
  util::write_file_atomic(from.path() / "a/b/kernel.cubin", bytes);
  util::write_file_atomic(from.path() / "empty", "");
  const auto packed = pack_folder(from.path(), kLimit);
  unpack_folder(packed, to.path() / "new");
  CHECK(util::read_file(to.path() / "new/a/b/kernel.cubin") == bytes);
  CHECK(util::read_file(to.path() / "new/empty").empty());
  CHECK(pack_folder(to.path() / "new", kLimit) == packed);
}

TEST_CASE("links are not followed, and what is too much is left out as a whole") {
  const testing::TemporaryFolder folder;
  const fs::path packed_one = folder.path() / "one";
  CHECK(pack_folder(packed_one, kLimit).empty());  // it is not there
  fs::create_directories(packed_one);
  CHECK(pack_folder(packed_one, kLimit).empty());
  util::write_file_atomic(folder.path() / "outside/secret", "secret");
  fs::create_symlink(folder.path() / "outside", packed_one / "folder");
  fs::create_symlink(folder.path() / "outside/secret", packed_one / "file");
  CHECK(pack_folder(packed_one, kLimit).empty());
  util::write_file_atomic(packed_one / "large", std::string(kLimit - 30, 'x'));
  CHECK_FALSE(pack_folder(packed_one, kLimit).empty());
  util::write_file_atomic(packed_one / "small", "xx");
  CHECK(pack_folder(packed_one, kLimit).empty());
}

TEST_CASE("packed files that are broken, or lead out of the folder, are refused") {
  const testing::TemporaryFolder folder;
  const fs::path below = folder.path() / "below";
  unpack_folder(packed_file("a/b"), below);
  for (const char* path : {"../out", "a/../../out", "/tmp/fib-out", ""})
    CHECK_THROWS_AS(unpack_folder(packed_file(path), below), Error);
  CHECK_FALSE(fs::exists(folder.path() / "out"));
  const std::string whole = packed_file("c");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(unpack_folder(whole.substr(0, size), below), Error);
  CHECK_THROWS_AS(unpack_folder("\x81\x01", below), Error);  // [1]
}
