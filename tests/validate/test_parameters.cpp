#include "validate/support.h"

using namespace fib::testing;

namespace {

Lines said_of(const std::string& parameters) {
  Json definition = definition_json();
  definition["reference"] = "def run(" + parameters + "):\n    return A\n";
  return Checked(definition).said("parameters");
}

}  // namespace

TEST_CASE("parameters: the inputs in order, and what may follow them") {
  for (const std::string parameters :
       {"A, s", "A, s, eps=1", "A, s, *, eps=1", "A, s=1", "A, *rest", "*all"}) {
    CHECK(said_of(parameters) == Lines{});
  }
}

TEST_CASE("parameters: too few or too many") {
  const std::string rest = ", but the inputs are ['A', 's']; it must take one for each";
  CHECK(said_of("A") == Lines{"error: the reference's run takes ['A']" + rest});
  CHECK(said_of("A, s, x") == Lines{"error: the reference's run takes ['A', 's', 'x']" + rest});
  CHECK(said_of("A, s, *, x") ==
        Lines{"error: the reference's run takes ['x'] by name only; inputs are passed by position"});
}

TEST_CASE("parameters: another order, or other names") {
  CHECK(said_of("s, A") ==
        Lines{"warning: parameter 1 of the reference's run is 's', but input 1 is 'A'; fib passes "
              "inputs by name here, other tools by position: bring both in the same order"});
  CHECK(said_of("s, x") ==
        Lines{"warning: parameter 1 of the reference's run is 's', but input 1 is 'A'; inputs are "
              "passed by position: bring both in the same order"});
  CHECK(said_of("A, scale") ==
        Lines{"warning: parameter 2 of the reference's run is 'scale', but input 2 is 's'; "
              "inputs are passed by position: give both the same name"});
}
