#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "apply/trust.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;

TEST_CASE("accepted solutions are kept in a file of the user's own") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-trust-");
  const auto file = folder.path() / "new" / "trusted.txt";
  CHECK(apply::read_trust(file).empty());
  const apply::TrustList list = {{std::string(64, 'a'), "first one"}, {std::string(64, 'b'), ""}};
  apply::write_trust(file, list);
  CHECK(apply::read_trust(file) == list);
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);
}

TEST_CASE("a line that is no hash is an error with its number") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-trust-");
  const auto file = folder.path() / "trusted.txt";
  util::write_new_file(file, "# a comment\n\n" + std::string(63, 'a') + " short\n");
  CHECK_THROWS_WITH(apply::read_trust(file), file.string() + ":3: begins with no SHA-256 of a solution");
}
