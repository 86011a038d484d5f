#include "fuzz/targets.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "compile/launch_plan.h"
#include "dataset/load.h"
#include "dataset/row_reader.h"
#include "dataset/trace_head.h"
#include "tensor/safetensors_header.h"
#include "util/expression.h"
#include "worker/judge_messages.h"
#include "worker/keeper_messages.h"
#include "worker/messages.h"
#include "worker/worker_messages.h"

namespace fib::fuzz {
namespace {

using nlohmann::json;

void require(bool holds, const char* what) {
  if (!holds) throw Contradiction(what);
}

// What is written is read back as the same.
template <typename Parse>
void check_round_trip(std::string_view text, model::Mode mode, Parse&& parse) {
  const std::string once = to_json(parse(text, mode), mode);
  require(to_json(parse(once, mode), mode) == once, "a document is not what was written of it");
}

std::string definition_json(const model::Definition& d, model::Mode mode) {
  return model::to_json(d, model::json::Form::compact, mode);
}

// The first byte chooses model and mode.
void read_model(std::string_view input) {
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input[0]);
  const auto mode = (choice & 4U) != 0 ? model::Mode::upstream : model::Mode::lenient;
  const std::string_view text = input.substr(1);
  try {
    switch (choice & 3U) {
      case 0: {
        const std::string once = definition_json(model::parse_definition(text, mode), mode);
        require(definition_json(model::parse_definition(once, mode), mode) == once, "a definition changes");
        break;
      }
      case 1: {
        const auto solution = model::parse_solution(text, mode);
        const std::string once = model::to_json(solution, model::json::Form::compact, mode);
        const auto again = model::parse_solution(once, mode);
        require(model::to_json(again, model::json::Form::compact, mode) == once, "a solution changes");
        require(model::content_sha256(again) == model::content_sha256(solution),
                "a solution's content changes");
        break;
      }
      case 2:
        check_round_trip(text, mode, model::parse_workload);
        break;
      default:
        // Upstream writes what it cannot read: infinities as null.
        if (mode == model::Mode::lenient)
          check_round_trip(text, mode, model::parse_trace);
        else
          (void)model::parse_trace(text, mode);
    }
  } catch (const Error&) {
  }
}

// Equal names are the same object, since both rows are of one pool.
bool same(const dataset::TraceRow& one, const dataset::TraceRow& other) {
  const auto& a = *one.evaluation;
  const auto& b = *other.evaluation;
  const auto numbers = [](const dataset::RowEvaluation& e) {
    const auto errors = e.correctness.value_or(dataset::RowCorrectness{-1, -1});
    const auto times = e.performance.value_or(dataset::RowPerformance{-1, -1, -1});
    return std::array{errors.max_relative_error, errors.max_absolute_error, times.latency_ms,
                      times.reference_latency_ms, times.speedup_factor};
  };
  return one.definition == other.definition && one.solution == other.solution &&
         one.workload == other.workload && a.status == b.status && a.device == b.device &&
         a.hardware == b.hardware && a.timestamp == b.timestamp && numbers(a) == numbers(b);
}

void read_jsonl(std::string_view input) {
  std::size_t bytes = 0;
  dataset::RowPool pool;
  dataset::RowReader rows(pool);
  for (const auto& line : dataset::split_lines(input)) {
    bytes += line.text.size();
    const auto head = dataset::read_trace_head(line.text);
    const auto row = rows.read(line.text);
    try {
      const auto trace = model::parse_trace(line.text);
      if (row) require(same(*row, pool.row(trace)), "a trace has another row than the model makes of it");
      if (!trace.is_workload()) (void)rows.learn(line.text, trace);
      require(head.has_value(), "a trace has no head");
      require(head->definition == trace.definition, "a head names another definition than its trace");
      require(head->is_workload() == trace.is_workload(),
              "a head takes a trace for a workload, or a workload for a trace");
      require(model::json::is_object_text(line.text), "a trace is no object");
    } catch (const Error&) {
      require(!row.has_value(), "a line that the model refuses has a row");
    }
  }
  require(bytes <= input.size(), "lines are longer than their text");
}

void read_safetensors(std::string_view input) {
  try {
    const auto bytes = std::as_bytes(std::span(input.data(), input.size()));
    const auto header = tensor::parse_safetensors_header(bytes);
    for (const auto& [name, entry] : header.entries) {
      require(entry.begin <= entry.end && header.size + entry.end <= input.size(),
              "a tensor lies outside of its file");
    }
  } catch (const Error&) {
  }
}

const model::Definition& fixed_definition() {
  static const auto definition = model::parse_definition(
      R"({"name":"d","op_type":"o","axes":{"n":{"type":"var"},"k":{"type":"const","value":128}},)"
      R"("inputs":{"a":{"shape":["n","k"],"dtype":"float32"},"s":{"shape":null,"dtype":"float32"}},)"
      R"("outputs":{"c":{"shape":["n"],"dtype":"float32"}},"reference":"def run(a, s):\n    return a\n"})");
  return definition;
}

// An expression, and the same text as a launch plan.
void read_launch(std::string_view input) {
  const model::AxisValues axes{{"n", 1000}, {"k", 128}};
  try {
    const auto expression = util::Expression::parse(input);
    const auto again = util::Expression::parse(expression.text());
    require(again.names() == expression.names(), "an expression's text has other names");
    require(again.evaluate(axes) == expression.evaluate(axes), "an expression's text has another value");
  } catch (const Error&) {
  }
  const auto launch = json::parse(input, nullptr, false);
  if (launch.is_discarded()) return;
  try {
    const json solution = {{"name", "s"},
                           {"definition", "d"},
                           {"author", "a"},
                           {"spec",
                            {{"language", "cuda"},
                             {"target_hardware", {"cuda"}},
                             {"entry_point", "a.cu::run"},
                             {"launch", launch},
                             {"workspace", {{"w", "4 * n"}}}}},
                           {"sources", {{{"path", "a.cu"}, {"content", "x"}}}}};
    const auto parsed = model::parse_solution(solution.dump(-1, ' ', false, json::error_handler_t::replace));
    const auto plan = compile::parse_launch_plan(parsed, fixed_definition());
    const auto resolved = compile::resolve(plan, std::vector<std::string>(plan.launches.size(), "run"), axes);
    require(resolved.launches.size() == plan.launches.size(), "a plan loses launches");
  } catch (const Error&) {
  }
}

// Both ends agree: what is decoded is encoded to something that decodes to the same.
template <typename Message>
void check_message(const std::string& payload) {
  const std::string once = Message::decode(payload).encode();
  require(Message::decode(once).encode() == once, "a message changes");
}

using CheckMessage = void (*)(const std::string&);
const std::vector<CheckMessage>& messages() {
  using namespace worker;
  static const std::vector<CheckMessage> all = {
      check_message<Hello>,          check_message<WorkerError>, check_message<UseDevice>,
      check_message<Load>,           check_message<Loaded>,      check_message<Open>,
      check_message<CallRequest>,    check_message<Done>,        check_message<Collected>,
      check_message<SetRequest>,     check_message<KnowsAnswer>, check_message<LookedAround>,
      check_message<DeviceState>,    check_message<JudgeOpened>, check_message<Attached>,
      check_message<Attach>,         check_message<Number>,      check_message<Verdict>,
      check_message<Spawn>,          check_message<Spawned>,     check_message<Exited>,
      check_message<CompareRequest>, check_message<Concluded>,   check_message<DifferRequest>,
      check_message<Differed>,       check_message<Start>,       check_message<Packed>,
      check_message<CallsRequest>,   check_message<SetsRequest>, check_message<Called>,
      check_message<Confine>,        check_message<CopiesTimed>, check_message<Counted>};
  return all;
}

// The first byte chooses the message.
void read_message(std::string_view input) {
  if (input.empty()) return;
  const std::size_t which = static_cast<unsigned char>(input[0]) % messages().size();
  try {
    messages()[which](std::string(input.substr(1)));
  } catch (const Error&) {
  }
}

std::vector<std::string> model_seeds() {
  const std::string definition = model::to_json(fixed_definition(), model::json::Form::compact);
  const std::string solution =
      R"({"name":"s","definition":"d","author":"a","spec":{"language":"cuda","target_hardware":["cuda"],)"
      R"("entry_point":"a.cu::run","dependencies":["cublas"],"destination_passing_style":true,"binding":null,)"
      R"("compile_options":{"cuda_cflags":["-O3"]}},"sources":[{"path":"a.cu","content":"x"}],"description":"y"})";
  const std::string workload =
      R"({"axes":{"n":7},"inputs":{"a":{"type":"random"},"s":{"type":"scalar","value":0.5},)"
      R"("b":{"type":"safetensors","path":"./blob/x.safetensors","tensor_key":"k"}},"uuid":"u"})";
  std::vector<std::string> seeds;
  for (const char mode : {'\0', '\4'}) {
    seeds.push_back(std::string(1, mode) + definition);
    seeds.push_back(std::string(1, static_cast<char>(mode | 1)) + solution);
    seeds.push_back(std::string(1, static_cast<char>(mode | 2)) + workload);
  }
  return seeds;
}

const std::string kTrace =
    R"({"definition":"d","workload":{"axes":{"n":7},"inputs":{"a":{"type":"random"}},"uuid":"u"},"solution":"s",)"
    R"("evaluation":{"status":"PASSED","environment":{"hardware":"H","libs":{"fib":"1"}},"timestamp":"t","log":"",)"
    R"("correctness":{"max_relative_error":"NaN","max_absolute_error":1e-3,"extra":{"x":[1.50]}},)"
    R"("performance":{"latency_ms":0.1,"reference_latency_ms":1,"speedup_factor":Infinity},"fib":{"n":3}},"new":1})";

const std::vector<std::string> kJsonFragments = {"{",
                                                 "}",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 ":",
                                                 "null",
                                                 "true",
                                                 "NaN",
                                                 "-Infinity",
                                                 "1e400",
                                                 "-0.0",
                                                 "1e-7",
                                                 "\\u0000",
                                                 "\\ud800",
                                                 "\"\"",
                                                 "\"a\":",
                                                 "\"name\":",
                                                 "\"solution\":",
                                                 "\"evaluation\":",
                                                 "\"definition\":",
                                                 "{}",
                                                 "99999999999999999999",
                                                 "\xff",
                                                 "\xef\xbb\xbf",
                                                 "\n",
                                                 "def run():\n",
                                                 "\"axes\":",
                                                 "\"languages\":[\"cuda_cpp\"]"};

std::string safetensors(const std::string& header, std::size_t bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xffU);
  return file + header + std::string(bytes, 'x');
}

std::vector<Target> make_targets() {
  const std::string workload_line =
      R"({"definition":"d","workload":{"axes":{"n":7},"inputs":{},"uuid":"u"},"solution":null,"evaluation":null})";
  std::vector<std::string> model = model_seeds();
  model.push_back('\3' + kTrace);
  worker::Open open;
  open.plan.launches.emplace_back();
  open.plan.workspaces = {16};
  return {
      {"models", read_model, std::move(model), kJsonFragments},
      {"jsonl",
       read_jsonl,
       {kTrace + "\n" + workload_line + "\n", workload_line + "\n\n" + kTrace,
        kTrace + "\n" + kTrace + "\n" + kTrace},
       kJsonFragments},
      {"safetensors",
       read_safetensors,
       {safetensors(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"__metadata__":{"x":"y"}})",
                    16),
        safetensors(
            R"({"a":{"dtype":"U16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"I8","shape":[],"data_offsets":[4,5]}})",
            5)},
       {"\"F32\"", "[0,0]", "18446744073709551615", "-1", "\"shape\":", "\"__metadata__\":", "{", "}"}},
      {"launch",
       read_launch,
       {"4 * ceil_div(n, 256) - -k % 7", "min(n, max(k, 3)) / 2",
        R"x([{"kernel":"run<4>","grid":["ceil_div(n, 256)",2],"block":256,"cluster":[2],"shared_memory":"4 * k","args":["a","s","c","w","n"],"cooperative":true}])x"},
       {"ceil_div(", "min(", "max(", "(", ")", "-", "%", "/", "9223372036854775807", "n", "k",
        "\"grid\":", "[", "]", "\"args\":", "0"}},
      {"protocol",
       read_message,
       {std::string(1, '\0') + worker::Hello{"0123"}.encode(), std::string(1, '\3') + worker::Load{}.encode(),
        std::string(1, '\5') + open.encode(), std::string(1, '\7') + worker::Done{}.encode(),
        std::string(1, '\x08') + worker::Collected{false, {{}, {}}}.encode(),
        std::string(1, '\x10') + worker::Verdict{}.encode(),
        std::string(1, '\x18') + worker::Start{}.encode(),
        std::string(1, '\x1d') + worker::Confine{}.encode(),
        std::string(1, '\x11') + worker::Spawn{1, {"a", "b"}, {"A=1"}, "/", 0}.encode()},
       {std::string("\xff\xff\xff\xff", 4), std::string("\x00\x00\x00\x80", 4),
        std::string("\x01\x00\x00\x00", 4), std::string(8, '\0'),
        std::string("\x00\x00\x00\x00\x00\x00\xf0\x7f", 8)}},
  };
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = make_targets();
  return all;
}

}  // namespace fib::fuzz
