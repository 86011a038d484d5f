#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/run_support.h"
#include "tensor/safetensors.h"

// `fib run --synthesize-missing`: inputs in place of blobs that are not there.
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using Json = nlohmann::ordered_json;

namespace {

// Sums each sequence of x, and prints what it was given: "offsets 0 3 7 x <first>".
const std::string kSums = R"(
#include <cstdio>
extern "C" void run(const float* x, const int* kv_indptr, float* sums, long num_seqs, long, long) {
  std::printf("offsets");
  for (long i = 0; i <= num_seqs; ++i) std::printf(" %d", kv_indptr[i]);
  std::printf(" x %a\n", static_cast<double>(x[0]));
  std::fflush(stdout);
  for (long i = 0; i < num_seqs; ++i) {
    double sum = 0;
    for (int j = kv_indptr[i]; j < kv_indptr[i + 1]; ++j) sum += static_cast<double>(x[j]);
    sums[i] = static_cast<float>(sum);
  }
})";

Json blob(const std::string& key, const std::string& path = "blob/missing.safetensors") {
  return {{"type", "safetensors"}, {"path", path}, {"tensor_key", key}};
}

// Sums over 5 sequences of 40 numbers together. `offsets` is the name of the integer input.
void add_sums(FibRun& run, const Json& x, const Json& indptr, const std::string& offsets = "kv_indptr") {
  const auto tensor = [](const char* axis, const char* dtype) {
    return Json{{"shape", {axis}}, {"dtype", dtype}};
  };
  const Json var = {{"type", "var"}};
  Json definition = {
      {"name", "sums"},
      {"op_type", "test"},
      {"axes", {{"num_seqs", var}, {"len_indptr", var}, {"total_kv", var}}},
      {"inputs", {{"x", tensor("total_kv", "float32")}, {offsets, tensor("len_indptr", "int32")}}},
      {"outputs", {{"sums", tensor("num_seqs", "float32")}}},
      {"constraints", Json::array({"len_indptr == num_seqs + 1"})}};
  if (offsets == "kv_indptr") definition["constraints"].push_back("total_kv == kv_indptr[-1].item()");
  definition["reference"] =
      "import torch\n\ndef run(x, p):\n    sums = torch.zeros(p.shape[0] - 1)\n"
      "    for i in range(p.shape[0] - 1):\n"
      "        sums[i] = x[int(p[i].item()):int(p[i + 1].item())].sum()\n    return sums\n";
  const Json workload = {{"axes", {{"num_seqs", 5}, {"len_indptr", 6}, {"total_kv", 40}}},
                         {"inputs", {{"x", x}, {offsets, indptr}}},
                         {"uuid", "w"}};
  const Json line = {
      {"definition", "sums"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}};
  run.dataset.definition("test", "sums", definition.dump(), {line.dump()})
      .solution("one", "alice", kSums, "sums");
}

struct Seen {
  std::set<std::string> offsets;  // distinct over all calls
  std::set<std::string> firsts;
};

Seen seen_in(const std::string& log) {
  Seen seen;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto x = line.find(" x ");
    if (!line.starts_with("offsets") || x == std::string::npos) continue;
    seen.offsets.insert(line.substr(0, x));
    seen.firsts.insert(line.substr(x));
  }
  return seen;
}

Json fib_of(const TraceLine& trace) { return Json::parse(trace.text).at("evaluation").at("fib"); }

}  // namespace

TEST_CASE("a workload whose blob is missing is not done, and the message names the way out") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, blob("kv_indptr"));
  const auto result = run.run(few());
  CHECK(result.exit_code == 1);
  CHECK(read_traces(run.dataset.root()).empty());
  CHECK_THAT(result.err,
             Catch::Contains("input \"kv_indptr\": its file blob/missing.safetensors was not found; "
                             "inputs are made in place of missing files with: fib run "
                             "--synthesize-missing"));
  CHECK_THAT(result.err, !Catch::Contains("makes inputs of"));
}

TEST_CASE("--synthesize-missing makes indices that fit, the same in all calls and runs, and says so") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, blob("kv_indptr"));
  const auto result = run.run(few({"--synthesize-missing"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             Catch::Contains("--synthesize-missing makes inputs of 1 of 1 workloads: 1 whose blobs "
                             "are missing, 0 that would be random without meaning"));
  REQUIRE(run.run(few({"--synthesize-missing"})).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  Seen all;
  for (const auto& trace : traces) {
    INFO(trace.log);
    CHECK(trace.status == "PASSED");
    CHECK(fib_of(trace).at("synthesized") == Json{"kv_indptr"});
    CHECK(fib_of(trace).at("config").at("synthesize_missing") == true);
    CHECK_THAT(trace.log, Catch::Contains("inputs made by --synthesize-missing: kv_indptr\n"));
    const Seen seen = seen_in(trace.log);
    CHECK(seen.firsts.size() > 3);  // floats are new in every call
    all.offsets.insert(seen.offsets.begin(), seen.offsets.end());
  }
  REQUIRE(all.offsets.size() == 1);
  CHECK_THAT(*all.offsets.begin(), Catch::StartsWith("offsets 0 ") && Catch::EndsWith(" 40"));
  // The workload itself stays as it is.
  CHECK(Json::parse(traces[0].text).at("workload").at("inputs").at("kv_indptr").at("type") == "safetensors");
}

TEST_CASE("floats of missing blobs are random, and --dry-run warns too") {
  FibRun run;
  add_sums(run, blob("x"), blob("kv_indptr"));
  const auto dry = run.run({"--dry-run", "--synthesize-missing"});
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.err, Catch::Contains("of 1 of 1 workloads: 2 whose blobs are missing"));
  CHECK(run.run(few({"--synthesize-missing"})).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(fib_of(traces[0]).at("synthesized") == Json{"x", "kv_indptr"});
  CHECK(fib_of(traces[0]).at("inputs_fixed") == false);
  CHECK(seen_in(traces[0].log).firsts.size() > 3);
}

TEST_CASE("random indices are the format's random numbers, unless the option is given") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, {{"type", "random"}});
  const auto nonsense = run.run(few());
  CHECK_THAT(nonsense.err, !Catch::Contains("--synthesize-missing"));
  const auto before = read_traces(run.dataset.root());
  for (const auto& trace : before) CHECK_FALSE(fib_of(trace).contains("synthesized"));
  const auto result = run.run(few({"--synthesize-missing"}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::Contains("0 whose blobs are missing, 1 that would be random"));
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == before.size() + 1);
  CHECK(traces.back().status == "PASSED");
  CHECK(seen_in(traces.back().log).offsets.size() == 1);
}

TEST_CASE("blobs that are there are used, and what is made beside them fits them") {
  FibRun run;
  add_sums(run, blob("x"), blob("kv_indptr", "blob/there.safetensors"));
  const std::vector<std::int32_t> offsets = {0, 1, 2, 3, 4, 40};
  std::filesystem::create_directories(run.dataset.root() / "blob");
  tensor::write_safetensors(run.dataset.root() / "blob/there.safetensors",
                            {{"kv_indptr", tensor::DType::kInt32, {6}, offsets.data()}});
  CHECK(run.run(few({"--synthesize-missing"})).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(fib_of(traces[0]).at("synthesized") == Json{"x"});
  CHECK(seen_in(traces[0].log).offsets == std::set<std::string>{"offsets 0 1 2 3 4 40"});
}

TEST_CASE("a blob that is a Git LFS pointer has no data either") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, blob("kv_indptr"));
  util::write_file_atomic(run.dataset.root() / "blob/missing.safetensors",
                          "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n");
  CHECK(run.run(few({"--synthesize-missing"})).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
}

TEST_CASE("integers of which nothing is known are not made") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, blob("magic"), "magic");
  const auto result = run.run(few({"--synthesize-missing"}));
  CHECK(result.exit_code == 1);
  CHECK(read_traces(run.dataset.root()).empty());
  CHECK_THAT(result.err,
             Catch::Contains("nothing is known of what the int32 elements of input \"magic\" mean"));
}

TEST_CASE("--resume tells traces with made inputs from others") {
  FibRun run;
  add_sums(run, {{"type", "random"}}, blob("kv_indptr"));
  REQUIRE(run.run(few({"--synthesize-missing"})).exit_code == 0);
  CHECK_THAT(run.run(few({"--synthesize-missing", "--resume"})).out, Catch::Contains("nothing to run"));
  CHECK(run.run(few({"--resume"})).exit_code == 1);
  CHECK(read_traces(run.dataset.root()).size() == 1);
}
