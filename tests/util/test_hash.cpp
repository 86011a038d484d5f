#include <catch2/catch.hpp>

#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

using namespace fib;

TEST_CASE("a file is hashed in pieces as its content is as a whole") {
  const testing::TemporaryFolder folder;
  for (const std::size_t bytes : {0U, 5U, 1U << 20U, (3U << 20U) + 7}) {
    std::string content(bytes, 'x');
    if (bytes > 3) content[bytes / 2] = 'y';
    util::write_file_atomic(folder.path() / "file", content);
    CHECK(util::sha256_of_file(folder.path() / "file") == util::sha256_hex(content));
  }
  CHECK_THROWS_AS(util::sha256_of_file(folder.path() / "missing"), Error);
  CHECK_THROWS_AS(util::sha256_of_file(folder.path()), Error);
}
