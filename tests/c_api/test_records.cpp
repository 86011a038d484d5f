#include <fib.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "c_api/text.h"

using nlohmann::json;

namespace {

const char* kSolution =
    R"({"sources":[{"path":"main.py","content":"def run(x):\n    return x\n"}],"name":"s","definition":"d",)"
    R"("author":"me","spec":{"language":"python","target_hardware":["cpu"],"entry_point":"main.py::run"},"extra":1})";

}  // namespace

TEST_CASE("a record is read and written as datasets hold it") {
  fib::testing::Text text;
  REQUIRE(fib_record_check(FIB_SOLUTION, kSolution, 0, text.out()) == FIB_OK);
  CHECK_THAT(text.str(), Catch::StartsWith(R"({"name":"s","definition":"d","author":"me","spec":)"));
  CHECK(json::parse(text.str()).at("extra") == 1);  // what is unknown is kept
  REQUIRE(fib_record_check(FIB_SOLUTION, kSolution, 1, text.out()) == FIB_OK);
  CHECK_FALSE(json::parse(text.str()).contains("extra"));
  CHECK(std::string(fib_last_error()).empty());
}

TEST_CASE("every field that is wrong is told") {
  fib::testing::Text text;
  CHECK(fib_record_check(FIB_DEFINITION, R"({"name":"","op_type":5})", 0, text.out()) == FIB_INVALID);
  CHECK_THAT(fib_last_error(),
             Catch::Contains("name: ") && Catch::Contains("op_type: ") && Catch::Contains("axes: "));
  CHECK(text.is_null());
  CHECK(fib_record_check(FIB_WORKLOAD, "{", 0, text.out()) == FIB_INVALID);
  CHECK(fib_record_check(static_cast<fib_record>(9), "{}", 0, text.out()) == FIB_INVALID);
  CHECK(fib_record_check(FIB_TRACE, nullptr, 0, text.out()) == FIB_INVALID);
  CHECK(std::string(fib_last_error()) == "json is null");
  CHECK(fib_record_check(FIB_TRACE, "{}", 0, nullptr) == FIB_INVALID);
}

TEST_CASE("a solution has its hashes") {
  fib::testing::Text text;
  REQUIRE(fib_solution_hashes(kSolution, text.out()) == FIB_OK);
  const auto hashes = json::parse(text.str());
  CHECK(hashes.at("upstream").get<std::string>().size() == 40);
  CHECK(hashes.at("content").get<std::string>().size() == 64);
  CHECK(hashes.at("package") == "s_" + hashes.at("upstream").get<std::string>().substr(0, 6));
  CHECK(hashes.at("unique_name") == "s_" + hashes.at("upstream").get<std::string>().substr(0, 8));
}
