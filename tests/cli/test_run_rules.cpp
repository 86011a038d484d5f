#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "tensor/safetensors.h"

// Definitions that are not judged element by element, from the plan to the trace.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using nlohmann::ordered_json;

namespace {

ordered_json axis(int value = 0) {
  if (value == 0) return {{"type", "var"}};
  return {{"type", "const"}, {"value", value}};
}

ordered_json tensor_of(std::vector<std::string> shape, const std::string& dtype) {
  return {{"shape", shape}, {"dtype", dtype}};
}

std::string workload_line(const std::string& definition, const ordered_json& axes,
                          const ordered_json& inputs) {
  return ordered_json{{"definition", definition},
                      {"workload", {{"axes", axes}, {"inputs", inputs}, {"uuid", "w"}}},
                      {"solution", nullptr},
                      {"evaluation", nullptr}}
      .dump();
}

// Samples of one of the eight most probable of 64 tokens. The reference draws nothing: nobody
// looks at what it gives.
void add_sampling(FibRun& run, int rows) {
  const std::string name = "top_k_sampling_from_probs_v64";
  const ordered_json definition = {
      {"name", name},
      {"op_type", "sampling"},
      {"axes", {{"batch_size", axis()}, {"vocab_size", axis(64)}}},
      {"inputs",
       {{"probs", tensor_of({"batch_size", "vocab_size"}, "float32")},
        {"top_k", {{"shape", nullptr}, {"dtype", "int32"}}}}},
      {"outputs", {{"samples", tensor_of({"batch_size"}, "int64")}}},
      {"reference", "import torch\n\ndef run(probs, top_k):\n    return torch.argmax(probs, dim=-1)\n"}};
  const ordered_json inputs = {{"probs", {{"type", "random"}}},
                               {"top_k", {{"type", "scalar"}, {"value", 8}}}};
  run.dataset.definition("sampling", name, definition.dump(2),
                         {workload_line(name, {{"batch_size", rows}}, inputs)});
}

// A sampler whose statement `draw` makes a random number u in [0, 1), and which keeps `kept` tokens.
std::string sampler(const std::string& draw, const std::string& kept = "top_k") {
  return R"(
    #include <algorithm>
    #include <cstdint>
    #include <random>
    #include <vector>
    static std::mt19937_64 generator(std::random_device{}());
    extern "C" void run(const float* probs, int top_k, int64_t* samples, int64_t rows) {
      for (int64_t row = 0; row < rows; ++row) {
        const float* p = probs + row * 64;
        std::vector<int> order(64);
        for (int i = 0; i < 64; ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](int a, int b) { return p[a] > p[b]; });
        order.resize()" +
         kept + R"();
        double sum = 0;
        for (int token : order) sum += p[token];
        double u = 0;
        )" +
         draw + R"(
        samples[row] = order.back();
        double below = 0;
        for (int token : order) {
          below += p[token] / sum;
          if (u < below) { samples[row] = token; break; }
        }
      }
    })";
}

const std::string kDraws = "u = std::uniform_real_distribution<double>()(generator);";

const std::string kSampling = "top_k_sampling_from_probs_v64";

nlohmann::json only_evaluation(const FibRun& run) {
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  return nlohmann::json::parse(traces[0].text).at("evaluation");
}

// What the sampler makes of the usual 180 calls, and of the further ones that its rule asks for: a busy
// machine may need more time for them than is usual.
nlohmann::json sampled(const std::string& source, std::vector<std::string> options = {}, int rows = 3) {
  FibRun run;
  add_sampling(run, rows);
  run.dataset.solution("one", "alice", source, kSampling);
  if (std::find(options.begin(), options.end(), "--call-budget") == options.end())
    options.insert(options.end(), {"--call-budget", "60"});
  const auto result = run.run(options);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return only_evaluation(run);
}

// A small top-k indexer: one row of ten tokens in pages 2, 0 and 3, of which the three best are asked for.
void add_indexer(FibRun& run) {
  const std::string name = "dsa_topk_indexer_small";
  const std::string reference = R"(import torch

def run(q_index_fp8, k_index_cache_fp8, weights, seq_lens, block_table):
    num_pages, page_size, _, width = k_index_cache_fp8.shape
    head_dim = width - 4
    flat = k_index_cache_fp8.view(torch.uint8).view(num_pages, page_size * width)
    keys = flat[:, :page_size * head_dim].contiguous().view(num_pages, page_size, head_dim)
    keys = keys.view(torch.float8_e4m3fn).to(torch.float32)
    scale = flat[:, page_size * head_dim:].contiguous().view(num_pages, page_size, 4).view(torch.float32)
    keys = keys * scale
    q = q_index_fp8.to(torch.float32)
    result = torch.full((q.shape[0], 3), -1, dtype=torch.int32)
    for b in range(q.shape[0]):
        seq_len = int(seq_lens[b].item())
        pages = block_table[b, :(seq_len + page_size - 1) // page_size].to(torch.long)
        tokens = keys[pages].reshape(-1, head_dim)[:seq_len]
        scores = (torch.relu(q[b] @ tokens.T) * weights[b][:, None]).sum(dim=0)
        _, best = torch.topk(scores, min(3, seq_len))
        result[b, :min(3, seq_len)] = (pages[best // page_size] * page_size + best % page_size).to(torch.int32)
    return result
)";
  const ordered_json definition = {
      {"name", name},
      {"op_type", "dsa_paged"},
      {"axes",
       {{"batch_size", axis()},
        {"heads", axis(2)},
        {"head_dim", axis(8)},
        {"page_size", axis(4)},
        {"topk", axis(3)},
        {"max_num_pages", axis()},
        {"num_pages", axis()},
        {"one", axis(1)},
        {"width", axis(12)}}},
      {"inputs",
       {{"q_index_fp8", tensor_of({"batch_size", "heads", "head_dim"}, "float8_e4m3fn")},
        {"k_index_cache_fp8", tensor_of({"num_pages", "page_size", "one", "width"}, "int8")},
        {"weights", tensor_of({"batch_size", "heads"}, "float32")},
        {"seq_lens", tensor_of({"batch_size"}, "int32")},
        {"block_table", tensor_of({"batch_size", "max_num_pages"}, "int32")}}},
      {"outputs", {{"topk_indices", tensor_of({"batch_size", "topk"}, "int32")}}},
      {"reference", reference}};
  const std::vector<std::int32_t> lengths = {10};
  const std::vector<std::int32_t> pages = {2, 0, 3};
  fs::create_directories(run.dataset.root() / "blob");
  tensor::write_safetensors(run.dataset.root() / "blob/a.safetensors",
                            {{"l", tensor::DType::kInt32, {1}, lengths.data()},
                             {"p", tensor::DType::kInt32, {1, 3}, pages.data()}});
  const auto blob = [](const char* key) {
    return ordered_json{{"type", "safetensors"}, {"path", "blob/a.safetensors"}, {"tensor_key", key}};
  };
  run.dataset.definition("dsa_paged", name, definition.dump(2),
                         {workload_line(name, {{"batch_size", 1}, {"max_num_pages", 3}, {"num_pages", 5}},
                                        {{"seq_lens", blob("l")}, {"block_table", blob("p")}})});
}

// An indexer that knows every token's score, and then does `choose` with the tokens by falling score.
std::string indexer(const std::string& choose) {
  return R"(
    #include <algorithm>
    #include <cmath>
    #include <cstdint>
    #include <cstring>
    #include <vector>
    static float decode(uint8_t code) {
      const int exponent = code >> 3 & 15;
      const float mantissa = (code & 7) / 8.0f;
      const float value = exponent == 0 ? std::ldexp(mantissa, -6) : std::ldexp(1 + mantissa, exponent - 7);
      return code & 128 ? -value : value;
    }
    extern "C" void run(const uint8_t* q, const uint8_t* cache, const float* weights, const int32_t* lengths,
                        const int32_t* table, int32_t* out, int64_t rows, int64_t slots, int64_t pages) {
      for (int64_t row = 0; row < rows; ++row) {
        std::vector<std::pair<float, int32_t>> best;
        for (int32_t token = 0; token < lengths[row]; ++token) {
          const int32_t page = table[row * slots + token / 4];
          const uint8_t* base = cache + page * 48;
          float scale;
          std::memcpy(&scale, base + 32 + token % 4 * 4, 4);
          float score = 0;
          for (int h = 0; h < 2; ++h) {
            float dot = 0;
            for (int d = 0; d < 8; ++d)
              dot += decode(q[(row * 2 + h) * 8 + d]) * decode(base[token % 4 * 8 + d]) * scale;
            score += weights[row * 2 + h] * std::max(0.0f, dot);
          }
          best.push_back({-score, page * 4 + token % 4});
        }
        std::sort(best.begin(), best.end());
        int32_t* o = out + row * 3;
        )" +
         choose + R"(
      }
    })";
}

nlohmann::json indexed(const std::string& choose) {
  FibRun run;
  add_indexer(run);
  run.dataset.solution("one", "alice", indexer(choose), "dsa_topk_indexer_small");
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return only_evaluation(run);
}

}  // namespace

TEST_CASE("a sampler with a random generator of its own passes") {
  const auto evaluation = sampled(sampler(kDraws));
  INFO(evaluation.at("log"));
  CHECK(evaluation.at("status") == "PASSED");
  CHECK(evaluation.at("fib").at("rule") == "sampling");
  const auto& extra = evaluation.at("correctness").at("extra");
  CHECK(extra.at("samples") > 3500);  // some rows are open at the border
  CHECK(extra.at("p_value") >= 1e-6);
  CHECK(extra.at("distance") < extra.at("distance_limit"));
  // 4000 samples of three rows: more calls than the 180 of the trials, which alone are timed.
  CHECK(evaluation.at("fib").at("sets") >= 1334);
  CHECK(evaluation.at("fib").at("n") == 150);
  CHECK(evaluation.at("performance").at("latency_ms") > 0);
  CHECK(evaluation.at("performance").at("reference_latency_ms") > 0);
  CHECK(evaluation.at("fib").at("reference").at("n") == 3);
}

TEST_CASE("samplers that are not random, or not as asked for, are wrong") {
  const auto fails = [](const std::string& source, const std::string& why) {
    const auto evaluation = sampled(source);
    INFO(evaluation.at("log"));
    CHECK(evaluation.at("status") == "INCORRECT_NUMERICAL");
    CHECK_THAT(evaluation.at("log").get<std::string>(), Catch::Contains(why));
    return evaluation;
  };
  fails(sampler(";"), "do not have the distribution asked for");
  fails(sampler(kDraws + "u *= u;"), "do not have the distribution asked for");
  fails(sampler("std::mt19937_64 fresh(7 + row); fresh.discard(9); u = "
                "std::uniform_real_distribution<double>()(fresh);"),
        "all calls: output \"samples\"");
  fails(sampler("std::uint32_t bits; __builtin_memcpy(&bits, p, 4); std::mt19937_64 fresh(bits); u = "
                "std::uniform_real_distribution<double>()(fresh);"),
        "are the same again where the inputs are");
  const auto outside = fails(sampler(kDraws, "2 * top_k"), "which cannot be drawn");
  CHECK(outside.at("correctness").at("max_absolute_error") == "Infinity");
  fails(
      "#include <cstdint>\nextern \"C\" void run(const float*, int, int64_t* s, int64_t n) { "
      "for (int i = 0; i < n; ++i) s[i] = 64; }",
      "which is no token: V is 64");
  fails("extern \"C\" void run() {}", "3 of 3 elements were never written");
}

TEST_CASE("a sampler that draws only when its calls are no longer timed is wrong") {
  const std::string counts = "static int calls = 0; if (++calls > 185) " + kDraws + " else u = 0.999;";
  const auto evaluation = sampled(sampler(counts), {}, 1);
  INFO(evaluation.at("log"));
  CHECK(evaluation.at("status") == "INCORRECT_NUMERICAL");
  CHECK(evaluation.at("correctness").at("extra").at("samples") <= 180);
}

TEST_CASE("calls for the distribution's sake end with the budget") {
  const auto evaluation = sampled(sampler("usleep(20000);" + kDraws).insert(0, "#include <unistd.h>\n"),
                                  few({"--call-budget", "1.5"}));
  CHECK(evaluation.at("status") == "PASSED");
  CHECK(evaluation.at("fib").at("sets") < 60);
  CHECK(evaluation.at("correctness").at("extra").at("samples") < 200);
}

TEST_CASE("an indexer is judged by the scores of what it chose") {
  const auto right = indexed("for (int i = 0; i < 3; ++i) o[i] = best[2 - i].second;");
  INFO(right.at("log"));
  CHECK(right.at("status") == "PASSED");
  CHECK(right.at("fib").at("rule") == "dsa-indexer");
  const auto wrong = [](const std::string& choose, const std::string& why) {
    const auto evaluation = indexed(choose);
    CHECK(evaluation.at("status") == "INCORRECT_NUMERICAL");
    CHECK_THAT(evaluation.at("log").get<std::string>(), Catch::Contains(why));
  };
  wrong("for (int i = 0; i < 3; ++i) o[i] = best[9 - i].second;", "scores differ in batch [0]");
  wrong("for (int i = 0; i < 3; ++i) o[i] = best[0].second;", "duplicate indices in batch [0]");
  wrong("for (int i = 0; i < 3; ++i) o[i] = 4 + i;", "out-of-range indices in batch [0]: 4 at place 0");
  wrong("o[0] = best[0].second; o[1] = best[1].second; o[2] = -1;", "scores differ in batch [0]");
  wrong("(void)o;", "2 of 3 elements were never written");
}

TEST_CASE("fp8 experts may miss a twentieth of their elements, and the trace says how many matched") {
  FibRun run;
  const auto tensor = tensor_of({"n"}, "float32");
  const ordered_json definition = {{"name", "moe_fp8_block_scale_small"},
                                   {"op_type", "test"},
                                   {"axes", {{"n", axis()}}},
                                   {"inputs", {{"a", tensor}, {"b", tensor}}},
                                   {"outputs", {{"c", tensor}}},
                                   {"reference", "def run(a, b):\n    return a + b\n"}};
  run.dataset.definition("test", "moe_fp8_block_scale_small", definition.dump(2),
                         {workload_line("moe_fp8_block_scale_small", {{"n", 100}}, ordered_json::object())});
  const std::string source = R"(extern "C" void run(const float* a, const float* b, float* c, long n) {
      for (long i = 0; i < n; ++i) c[i] = a[i] + b[i] + (i % 25 == 0 ? 9 : 0);
    })";
  run.dataset.solution("one", "alice", source, "moe_fp8_block_scale_small");
  REQUIRE(run.run(few()).exit_code == 0);
  const auto evaluation = only_evaluation(run);
  CHECK(evaluation.at("status") == "PASSED");
  CHECK(evaluation.at("fib").at("rule") == "low-bit");
  CHECK(evaluation.at("correctness").at("extra").at("matched_ratio") == 0.96);
  REQUIRE(run.run(few({"--required-matched-ratio", "1"})).exit_code == 0);
  const auto strict = nlohmann::json::parse(read_traces(run.dataset.root()).at(1).text).at("evaluation");
  CHECK(strict.at("status") == "INCORRECT_NUMERICAL");
  CHECK(strict.at("correctness").at("extra").at("matched_ratio") == 0.96);
}

TEST_CASE("a wrong answer where the reference chose among equals says so") {
  FibRun run;
  const auto all_are = [](const std::string& value) {
    return "#include <cstdint>\nextern \"C\" void run(const float*, float* c, int64_t n) {\n"
           "  for (int64_t i = 0; i < n; ++i) c[i] = " +
           value + ";\n}\n";
  };
  const auto add = [&](const std::string& name, const std::string& chosen_from) {
    const ordered_json definition = {
        {"name", name},
        {"op_type", "test"},
        {"axes", {{"n", axis()}}},
        {"inputs", {{"a", tensor_of({"n"}, "float32")}}},
        {"outputs", {{"c", tensor_of({"n"}, "float32")}}},
        {"reference", "import torch\n\ndef run(a):\n    _, chosen = torch.topk(" + chosen_from +
                          ", 3)\n    c = torch.zeros_like(a)\n    c[chosen] = 1\n    return c\n"}};
    run.dataset.definition("test", name, definition.dump(2),
                           {workload_line(name, {{"n", 100}}, {{"a", {{"type", "random"}}}})});
    run.dataset.solution("none_of_" + name, "test", all_are("0"), name);
  };
  add("tied", "a * 0");
  run.dataset.solution("all_of_tied", "test", all_are("1"), "tied");
  add("ranked", "torch.arange(a.shape[0])");
  REQUIRE(run.run(few()).exit_code == 0);
  for (const auto& trace : read_traces(run.dataset.root())) {
    INFO(trace.solution << ": " << trace.log);
    CHECK(trace.status == "INCORRECT_NUMERICAL");
    CHECK((trace.log.find("; a solution that takes others differs\n") != std::string::npos) ==
          (trace.solution != "none_of_ranked"));
  }
}
