#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("solution: counts those that parse") {
  const Checked files;
  CHECK(files.said("solution") == Lines{"info: no solutions"});
  files.solution("bob", "s");
  files.files.write("solutions/bob/op/d/t.json", "{");
  const Lines said = files.said("solution");
  REQUIRE(said.size() == 2);
  CHECK(said[0] == "info: 1 solutions");
  CHECK_THAT(said[1], Catch::StartsWith("error: t: parse error: "));
}

TEST_CASE("solution: fields that the path contradicts") {
  const Checked files;
  files.write_solution("solutions/bob/op/d/s.json", "eve", "t", "python", "main.py", "e");
  CHECK(files.said("solution") == Lines{"info: 1 solutions", "error: s: definition field 'e' != 'd'",
                                        "error: s: author field 'eve' != path 'bob'",
                                        "error: s: name field 't' != path 's'"});
}

TEST_CASE("solution: an unknown language is an error upstream only") {
  const Checked files;
  files.solution("bob", "s", "hip", "a.hip");
  CHECK(files.said("solution") == Lines{"info: 1 solutions"});
  CHECK(files.said("solution", kUpstream).at(0) == "info: 0 solutions");
}
