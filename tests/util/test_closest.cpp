#include <catch2/catch.hpp>

#include "util/closest.h"

using namespace fib;

TEST_CASE("names that a user may have meant") {
  using util::closest;
  CHECK(util::edit_distance("kitten", "sitting") == 3);
  CHECK(util::edit_distance("", "abc") == 3);
  const std::vector<std::string> names{"gemm_n128", "gemm_n256", "rmsnorm_h4096", "rope"};
  CHECK(closest("gem_n128", names) == std::vector<std::string>{"gemm_n128"});
  CHECK(closest("gemm_n12", names) == std::vector<std::string>{"gemm_n128"});
  CHECK(closest("gemm_n15", names) == std::vector<std::string>{"gemm_n128", "gemm_n256"});
  CHECK(closest("norm", names) == std::vector<std::string>{"rmsnorm_h4096"});
  CHECK(closest("xyzzy", names).empty());
  CHECK(util::did_you_mean("gemm_n15", names) == "; did you mean \"gemm_n128\" or \"gemm_n256\"?");
  CHECK(util::did_you_mean("", names) == "");
  // No slip of a finger is so long, and to look for one would take hours.
  const std::string longest(256, 'a');
  CHECK(closest(longest.substr(1), {longest}) == std::vector<std::string>{longest});
  CHECK(closest(longest, {longest + "b"}).empty());
  CHECK(closest(longest + "b", {longest}).empty());
}
