#include <thread>

#include "tracing/traced.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;
using testing::AddCall;
using testing::collect;
using testing::MixedCall;
using testing::RaggedCall;
using testing::statistics_of;
using testing::TracedDataset;
using tracing::Outcome;
using tracing::parse_config;
using tracing::Tracing;

namespace {

model::InputKind kind_of(const model::Workload& workload, const std::string& input) {
  const auto* spec = model::find(workload.inputs, input);
  REQUIRE(spec != nullptr);
  return spec->kind;
}

std::size_t blobs_in(const TracedDataset& data) {
  std::size_t count = 0;
  const auto folder = data.builder.root() / "blob";
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    count += entry.is_regular_file() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("what is kept becomes a workload with axes, values and scalars") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  {
    MixedCall call(3);
    CHECK(collect(tracing, "mixed", call) == Outcome::kept);
    std::fill_n(call.x.data<float>(), 3, -1.0F);  // the program goes on with its memory
  }
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  const auto& workload = workloads[0];
  CHECK(workload.axes == model::Ordered<model::Integer>{{"n", 3}});
  CHECK(workload.uuid.size() == 36);
  CHECK(workload.uuid[14] == '4');
  CHECK(data.values<float>(workload, "x") == std::vector<float>{0, 0.5, 1});
  CHECK(data.values<std::int64_t>(workload, "ids") == std::vector<std::int64_t>{0, 1, 4});
  CHECK(data.values<std::uint8_t>(workload, "mask") == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(data.values<std::int32_t>(workload, "zero") == std::vector<std::int32_t>{11});
  CHECK(std::get<std::int64_t>(model::find(workload.inputs, "count")->scalar.value) == 7);
  CHECK(std::get<double>(model::find(workload.inputs, "scale")->scalar.value) == 0.5);
  CHECK(std::get<bool>(model::find(workload.inputs, "flag")->scalar.value));
  CHECK(model::find(workload.inputs, "x")->path ==
        "blob/workloads/test/mixed/mixed_" + workload.uuid + ".safetensors");
  CHECK(blobs_in(data) == 1);
  CHECK(statistics_of(tracing).at("bytes_held") == 0);
}

TEST_CASE("inputs that are not dumped are random, and scalars stay scalars") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_none"})"));
  CHECK(collect(tracing, "mixed", MixedCall(3)) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(kind_of(workloads[0], "x") == model::InputKind::random);
  CHECK(kind_of(workloads[0], "zero") == model::InputKind::random);
  CHECK(kind_of(workloads[0], "scale") == model::InputKind::scalar);
  CHECK(blobs_in(data) == 0);
}

TEST_CASE("the usual rules keep what each definition needs") {
  const TracedDataset data;
  Tracing tracing(data.load(), {});
  const RaggedCall call(2, 3, 5);
  CHECK(collect(tracing, "ragged", call) == Outcome::kept);
  CHECK(collect(tracing, "ragged", call) == Outcome::passed_over);
  CHECK(collect(tracing, "ragged", RaggedCall(2, 3, 6)) == Outcome::kept);
  CHECK(collect(tracing, "add", AddCall(4)) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("ragged");
  REQUIRE(workloads.size() == 2);  // in the order of arrival
  CHECK(data.values<std::int32_t>(workloads[0], "kv_indptr") == std::vector<std::int32_t>{0, 5, 10});
  CHECK(data.values<std::int32_t>(workloads[1], "kv_indptr") == std::vector<std::int32_t>{0, 6, 12});
  CHECK(kind_of(workloads[0], "q") == model::InputKind::random);
  CHECK(std::get<double>(model::find(workloads[0].inputs, "sm_scale")->scalar.value) == 0.125);
  CHECK(data.workloads("add").size() == 1);
  CHECK(blobs_in(data) == 2);
}

TEST_CASE("strided tensors on the CPU are kept contiguous, and outputs are allowed") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  AddCall call(6);
  std::int64_t shape[] = {3};
  std::int64_t strides[] = {2};
  for (auto* tensor : {&call.a, &call.b}) {
    tensor->view().shape = shape;
    tensor->view().strides = strides;
  }
  testing::HostTensor output(tensor::DType::kFloat32, {3});
  const fib_value values[] = {call.a.value(), call.b.value(), output.value()};
  CHECK(tracing.collect("add", values, 3, nullptr) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("add");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<float>(workloads[0], "a") == std::vector<float>{0, 2, 4});
}

TEST_CASE("calls that do not fit are counted, with the first reason") {
  const TracedDataset data;
  Tracing tracing(data.load(), {});
  AddCall call(4);
  CHECK(tracing.collect("add", call.values, 1, nullptr) == Outcome::wrong_arguments);
  call.a.view().ndim = 0;
  CHECK(collect(tracing, "add", call) == Outcome::wrong_arguments);
  std::int64_t negative[] = {-4};
  AddCall below(4);
  below.a.view().shape = negative;
  below.b.view().shape = negative;
  CHECK(collect(tracing, "add", below) == Outcome::wrong_arguments);
  const auto statistics = statistics_of(tracing).at("definitions").at("add");
  CHECK(statistics.at("wrong_arguments") == 3);
  CHECK(statistics.at("problem") == "expected 2 arguments (the inputs) or 3 (with the outputs), got 1");
  tracing.flush();
  CHECK(data.workloads("add").empty());
}

TEST_CASE("values that cannot be read fail, and count for no filter") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  AddCall call(4);
  void* memory = std::exchange(call.a.view().data, nullptr);
  CHECK(collect(tracing, "add", call) == Outcome::wrong_arguments);
  CHECK(statistics_of(tracing).at("definitions").at("add").at("problem") == "input \"a\" has no memory");
  call.a.view().data = memory;
  call.a.view().device_type = call.b.view().device_type = 10;  // ROCm
  CHECK(collect(tracing, "add", call) == Outcome::failed);
  call.a.view().device_type = call.b.view().device_type = tvm_ffi::kCpu;
  CHECK(collect(tracing, "add", call) == Outcome::kept);
  AddCall huge(4);
  std::int64_t shape[] = {std::int64_t{1} << 50};
  huge.a.view().shape = huge.b.view().shape = shape;
  CHECK(collect(tracing, "add", huge) == Outcome::failed);
}

TEST_CASE("a call with page-locked and pageable tensors is kept whole") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  MixedCall call(3);
  call.ids.view().device_type = 3;  // kDLCUDAHost
  call.ids.view().device_id = 1;
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<float>(workloads[0], "x") == std::vector<float>{0, 0.5, 1});
  CHECK(data.values<std::int64_t>(workloads[0], "ids") == std::vector<std::int64_t>{0, 1, 4});
  testing::expect_valid(data.builder.root());
}

TEST_CASE("a tensor on a device that cannot be read is no trouble where its values are not wanted") {
  const TracedDataset data;
  Tracing tracing(data.load(), parse_config(R"({"per_definition":{"mixed":{"input_dump_policy":["ids"]}}})"));
  MixedCall call(3);
  call.x.view().device_type = 10;  // ROCm
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<std::int64_t>(workloads[0], "ids") == std::vector<std::int64_t>{0, 1, 4});
  CHECK(kind_of(workloads[0], "x") == model::InputKind::random);
}

TEST_CASE("calls without elements make no workload") {
  const TracedDataset data;
  Tracing tracing(data.load(), {});
  CHECK(collect(tracing, "add", AddCall(0)) == Outcome::wrong_arguments);
  CHECK(statistics_of(tracing).at("definitions").at("add").at("problem") ==
        "axis \"n\" has no elements, and no workload has such");
  tracing.flush();
  CHECK(data.workloads("add").empty());
}

TEST_CASE("axes that no given argument shows, or that contradict their expression, are told") {
  TracedDataset data;
  data.builder.definition(
      "test", "grow",
      R"({"name":"grow","op_type":"test","axes":{"n":{"type":"var"},"m":{"type":"var"},"twice":{"type":"expr","expression":"2 * n"}},)"
      R"("inputs":{"x":{"shape":["n"],"dtype":"float32"},"z":{"shape":["twice"],"dtype":"float32"}},)"
      R"("outputs":{"y":{"shape":["m"],"dtype":"float32"}},"reference":"def run(x, z):\n    return x\n"})",
      {});
  Tracing tracing(data.load(), {});
  testing::HostTensor x(tensor::DType::kFloat32, {2}), z(tensor::DType::kFloat32, {4});
  testing::HostTensor y(tensor::DType::kFloat32, {3}), odd(tensor::DType::kFloat32, {5});
  const fib_value inputs[] = {x.value(), z.value(), y.value()};
  CHECK(tracing.collect("grow", inputs, 2, nullptr) == Outcome::wrong_arguments);
  CHECK(statistics_of(tracing).at("definitions").at("grow").at("problem") ==
        "an axis is in no input, and the outputs were left out");
  const fib_value wrong[] = {x.value(), odd.value(), y.value()};
  CHECK(tracing.collect("grow", wrong, 3, nullptr) == Outcome::failed);
  CHECK(tracing.collect("grow", inputs, 3, nullptr) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("grow");
  REQUIRE(workloads.size() == 1);
  CHECK(workloads[0].axes == model::Ordered<model::Integer>{{"n", 2}, {"m", 3}});
}

TEST_CASE("definitions without a rule, without a record or without a possible file are not traced") {
  TracedDataset data;
  auto float4 = nlohmann::ordered_json::parse(testing::kMixed);
  float4["name"] = "float4";
  float4["inputs"]["x"]["dtype"] = "float4_e2m1";
  data.builder.definition("test", "float4", float4.dump(), {});
  Tracing tracing(
      data.load(),
      parse_config(
          R"({"default":null,"per_definition":{"float4":{"input_dump_policy":"dump_all"},"no":{}}})"));
  CHECK(collect(tracing, "add", AddCall(4)) == Outcome::not_traced);
  CHECK(tracing.find("none") == nullptr);
  CHECK(collect(tracing, "none", AddCall(4)) == Outcome::not_traced);
  CHECK(collect(tracing, "float4", AddCall(4)) == Outcome::not_traced);
  const auto statistics = statistics_of(tracing);
  CHECK(statistics.at("unknown_definitions") == 1);
  CHECK(statistics.at("rules_without_definition") == nlohmann::json{"no"});
  CHECK(statistics.at("definitions").at("add").at("not_traced") == 1);
  CHECK(statistics.at("definitions").at("float4").at("problem") ==
        "the values of \"x\" cannot be kept: safetensors files have no float4_e2m1");
  CHECK_FALSE(statistics.at("definitions").contains("mixed"));
}

TEST_CASE("hostile names of definitions reach no other file") {
  dataset::Dataset loaded = TracedDataset().load();
  const testing::TemporaryFolder folder;
  loaded.root = folder.path();
  auto definition = loaded.definitions.at("add");
  definition.name = "../../add";
  loaded.definitions = {{definition.name, definition}};
  Tracing tracing(loaded, {});
  CHECK(collect(tracing, "../../add", AddCall(4)) == Outcome::not_traced);
  CHECK_THAT(statistics_of(tracing).at("definitions").at("../../add").at("problem").get<std::string>(),
             Catch::Matchers::Contains("cannot be a file or folder name"));
}

TEST_CASE("what does not fit into memory is counted and dropped, until there is room") {
  const TracedDataset data;
  Tracing tracing(data.load(),
                  parse_config(R"({"default":{"input_dump_policy":"dump_all"},"memory_bytes":5000})"));
  CHECK(collect(tracing, "add", AddCall(1000)) == Outcome::no_room);  // 8 kB, never
  CHECK(collect(tracing, "add", AddCall(10)) == Outcome::kept);
  tracing.flush();
  CHECK(collect(tracing, "add", AddCall(11)) == Outcome::kept);
  tracing.flush();
  CHECK(data.workloads("add").size() == 2);
  CHECK(statistics_of(tracing).at("definitions").at("add").at("no_room") == 1);
}

TEST_CASE("a dataset without a folder cannot be traced") {
  CHECK_THROWS_AS(Tracing(dataset::Dataset{}, {}), Error);
  dataset::Dataset gone;
  gone.root = "/nowhere/at/all";
  CHECK_THROWS_AS(Tracing(gone, {}), Error);
}

TEST_CASE("everything that was kept is written at the end, and the current folder does not matter") {
  const TracedDataset data;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(data.folder.path());
  {
    auto loaded = data.load();
    loaded.root = "data";
    Tracing tracing(loaded, {});
    std::filesystem::current_path(before);
    for (int i = 1; i <= 100; ++i) CHECK(collect(tracing, "mixed", MixedCall(i)) == Outcome::kept);
  }
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 100);
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(workloads[i].axes[0].second.value == static_cast<std::int64_t>(i + 1));
  CHECK(blobs_in(data) == 100);
}

TEST_CASE("many threads may call at once") {
  const TracedDataset data;
  Tracing tracing(data.load(),
                  parse_config(R"({"filter_policy":"keep_first_k_by_axes","filter_policy_kwargs":{"k":2}})"));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 300; ++turn) {
        const MixedCall call(1 + turn % 10);
        collect(tracing, "mixed", call);
        if (turn % 100 == 0) tracing.flush();
      }
    });
  for (auto& thread : threads) thread.join();
  tracing.flush();
  CHECK(data.workloads("mixed").size() == 20);
  const auto statistics = statistics_of(tracing).at("definitions").at("mixed");
  CHECK(statistics.at("kept") == 20);
  CHECK(statistics.at("written") == 20);
  CHECK(statistics.at("passed_over") == 1180);
}
