#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "dataset/temporary_dataset.h"
#include "report/try_json.h"

using namespace fib;

namespace {

model::Trace result(const std::string& uuid, const std::string& witness) {
  return model::parse_trace(R"({"definition":"d","workload":)" + testing::workload_text(uuid) +
                            R"(,"solution":"s","evaluation":{"environment":{"hardware":"H"},)" +
                            R"("timestamp":"2026-01-01T00:00:00+00:00","status":"PASSED","correctness":{},)" +
                            R"("performance":{"latency_ms":1,"reference_latency_ms":1,"speedup_factor":1},)" +
                            R"("fib":{"run_id":"r","config":{},"witness":)" + witness + "}}}");
}

std::string digest_of(const std::vector<model::Trace>& traces, const std::string& count_work = "one") {
  const auto definition = model::parse_definition(R"({"name": "d", "op_type": "x",
      "axes": {"n": {"type": "var"}}, "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x):\n    return x\n"})");
  report::TryReport tried;
  tried.version = "1";
  tried.count_work = count_work;
  tried.solutions.push_back({&definition, traces});
  return nlohmann::json::parse(report::to_json(tried)).at("solutions").at(0).at("request_digest");
}

}  // namespace

TEST_CASE("a try whose work was to be counted is another question than one without, on whichever workload") {
  const std::string plain = R"({"clock":"coordinator"})";
  const std::string counted = R"({"clock":"coordinator","counters":{"calls":24,"busy_ms":1}})";
  const auto without = digest_of({result("v", plain), result("w", plain)});
  const auto first = digest_of({result("v", counted), result("w", plain)});
  CHECK(without == digest_of({result("v", plain), result("w", plain)}));
  CHECK(first != without);
  CHECK(first == digest_of({result("v", plain), result("w", counted)}));
  CHECK(first != digest_of({result("v", plain), result("w", counted)}, "each"));
  CHECK(without == digest_of({result("v", plain), result("w", plain)}, "each"));  // nothing could be counted
}
