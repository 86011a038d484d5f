#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("definition: nothing to say about a complete one") {
  CHECK(Checked().said("definition") == Lines{});
}

TEST_CASE("definition: missing descriptions are warnings, also null and empty ones") {
  Json definition = definition_json();
  definition["description"] = nullptr;
  definition["axes"]["M"].erase("description");
  definition["inputs"]["s"]["description"] = "";
  definition["outputs"]["B"].erase("description");
  CHECK(Checked(definition).said("definition") ==
        Lines{"warning: missing description", "warning: missing description: axes.M",
              "warning: missing description: inputs.s", "warning: missing description: outputs.B"});
}

TEST_CASE("definition: one that does not parse says why") {
  Json definition = definition_json();
  definition.erase("inputs");
  CHECK(Checked(definition).said("definition") == Lines{"error: parse error: inputs: Field required"});
}

TEST_CASE("definition: one without an op type can be used, which is worth a warning") {
  Json definition = definition_json();
  definition.erase("op_type");
  CHECK(Checked(definition).said("definition") == Lines{"warning: missing op_type"});
}
