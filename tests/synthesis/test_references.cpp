#include <chrono>
#include <cmath>
#include <cstring>

#include "eval/layout.h"
#include "reference/engine.h"
#include "synthesis/input_sets.h"
#include "synthesis/inputs.h"
#include "synthesis/proposals.h"
#include "synthesis/support.h"
#include "tensor/convert.h"

// The published references on what is proposed and made for them.
using namespace fib;
using namespace fib::testing;

namespace {

// A whole input set of a proposed workload.
struct Made {
  eval::Layout layout;
  std::vector<std::byte> buffer;
};

Made make(const model::Definition& definition, const model::Workload& workload, bool with_exponents) {
  Made made{eval::make_layout(definition, workload), {}};
  made.buffer.resize(made.layout.input_bytes);
  const auto names = synthesis::inputs_to_make(definition, workload, {});
  auto inputs = synthesis::make_inputs(definition, workload, names, {});
  if (!with_exponents) inputs.exponents.clear();
  const synthesis::InputSets sets(definition, inputs.workload, made.layout, {},
                                  {std::move(inputs.tensors), std::move(inputs.exponents)});
  sets.fill("seed", made.buffer.data(), 2);
  return made;
}

reference::Argument argument_of(const eval::Slot& slot, std::byte* data) {
  if (!slot.scalar) return reference::TensorArgument{slot.dtype, slot.shape, data};
  double real = 0;
  std::int64_t integer = 0;
  std::memcpy(&real, data, sizeof real);
  std::memcpy(&integer, data, sizeof integer);
  if (tensor::is_floating(slot.dtype)) return real;
  return integer;
}

std::size_t count_nan(const reference::OutputTensor& output) {
  const std::size_t count = output.bytes() / tensor::bytes_of(output.dtype(), 1);
  std::vector<float> values(count);
  tensor::to_float(output.dtype(), output.data(), values.data(), count);
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](float value) { return std::isnan(value); }));
}

// What is wrong with the reference's answer; empty: nothing.
std::string run(const model::Definition& definition, const model::Workload& workload,
                bool with_exponents = true) {
  try {
    Made made = make(definition, workload, with_exponents);
    std::vector<reference::Argument> arguments;
    for (const auto& slot : made.layout.inputs)
      arguments.push_back(argument_of(slot, made.buffer.data() + slot.offset));
    reference::Engine engine(definition.reference, {.threads = 2});
    std::vector<std::string> names;
    for (const auto& output : definition.outputs) names.push_back(output.name);
    const auto outputs = engine.run(arguments, names);
    if (outputs.size() != definition.outputs.size()) return "wrong number of outputs";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].shape() != made.layout.outputs[i].shape) return "wrong shape of " + names[i];
      if (count_nan(outputs[i]) > 0) return fmt::format("{} NaN in {}", count_nan(outputs[i]), names[i]);
    }
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the references of the published definitions answer on the smallest proposed workload") {
  constexpr auto kTime = std::chrono::seconds(90);
  const synthesis::ProposalLimits limits{std::uint64_t{350} << 20U};
  const auto begin = std::chrono::steady_clock::now();
  const auto definitions = real_definitions();
  std::size_t answered = 0;
  std::vector<std::string> not_supported;
  for (const auto& definition : definitions) {
    if (std::chrono::steady_clock::now() - begin > kTime) {
      WARN("stopped after " << kTime.count() << " s");
      return;
    }
    std::vector<model::Workload> workloads;
    try {
      workloads = synthesis::propose_workloads(definition, 1, limits);
    } catch (const Error& error) {  // weights of gigabytes
      CHECK_THAT(error.what(), Catch::Contains("MiB even at its smallest sizes"));
      CHECK((definition.op_type == "moe" || definition.op_type == "gemm"));
      continue;
    }
    const std::string problem = run(definition, workloads.at(0));
    if (problem.ends_with("is not supported by the native reference engine")) {
      not_supported.push_back(definition.name);
      continue;
    }
    INFO(definition.name << ": " << problem);
    CHECK(problem.empty());
    ++answered;
  }
  if (!not_supported.empty()) {
    WARN(not_supported.size() << " references need more than the engine has, " << not_supported[0]
                              << " for example");
  }
  if (!definitions.empty()) CHECK(answered >= 120);
}

TEST_CASE("gdn ends with numbers because its keys are made short") {
  for (const auto& definition : real_definitions()) {
    if (definition.name != "gdn_prefill_qk4_v8_d128_k_last") continue;
    const auto workload = synthesis::propose_workloads(definition, 3).at(2);
    CHECK(run(definition, workload).empty());
    CHECK_THAT(run(definition, workload, false), Catch::Contains("NaN in output"));
  }
}
