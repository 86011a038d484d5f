#include <set>
#include <sstream>

#include "model/constraint.h"
#include "model/trace.h"
#include "python/parser.h"
#include "support/places.h"
#include "synthesis/inputs.h"
#include "synthesis/known_values.h"
#include "synthesis/proposals.h"
#include "synthesis/support.h"

// The published dataset: every integer input of every definition.
using namespace fib;
using namespace fib::testing;

TEST_CASE("every integer input of the published definitions has a rule") {
  for (const auto& definition : real_definitions()) {
    for (const auto& input : definition.inputs) {
      INFO(definition.name << ": " << input.name);
      CHECK(synthesis::meaning_of(definition, input).has_value() == synthesis::is_integer(input));
    }
  }
}

TEST_CASE("all constraints of the published definitions hold for what is made, at three sizes") {
  for (const auto& definition : real_definitions()) {
    const auto workloads = synthesis::propose_workloads(definition, 3, {std::uint64_t{1} << 40U});
    INFO(definition.name);
    CHECK(workloads.size() == 3);
    for (const auto& workload : workloads) {
      const auto axes = model::axis_values(definition, workload.axes);
      const auto made = make_all(definition, axes, workload.uuid);
      const synthesis::KnownValues known(definition, axes, made);
      for (const auto& text : definition.constraints.value_or(std::vector<std::string>{})) {
        INFO(text);
        const auto judgement = model::judge_constraint(*python::parse_expression(text), known);
        INFO(judgement.comparison);
        CHECK(judgement.verdict == model::ConstraintVerdict::holds);
      }
      for (const auto& input : definition.inputs) {
        const auto rule = synthesis::meaning_of(definition, input);
        if (!rule || *rule == synthesis::Meaning::bytes) continue;  // random in every call
        const auto shape = model::shape_of(input, axes).value_or(std::vector<std::int64_t>{});
        std::size_t count = 1;
        for (const auto size : shape) count *= static_cast<std::size_t>(size);
        CHECK(made.at(input.name).size() == count);
        CHECK(synthesis::to_bytes(made.at(input.name), input.dtype).size() >= count);
      }
    }
  }
}

TEST_CASE("inputs are made for every published workload, none of whose blobs was published") {
  namespace fs = std::filesystem;
  const fs::path root = testing::source_folder() / "../shared/data/flashinfer_trace/workloads";
  std::size_t made = 0;
  for (const auto& definition : real_definitions()) {
    const fs::path file = root / definition.op_type / (definition.name + ".jsonl");
    if (!fs::exists(file)) continue;
    std::istringstream lines(util::read_file(file));
    for (std::string line; std::getline(lines, line);) {
      const auto workload = model::parse_trace(line).workload;
      std::set<std::string> missing;
      for (const auto& [name, spec] : workload.inputs) {
        if (spec.kind == model::InputKind::safetensors) missing.insert(name);
      }
      const auto names = synthesis::inputs_to_make(definition, workload, missing);
      INFO(definition.name << " " << workload.uuid);
      CHECK(names.size() == missing.size());
      const auto axes = model::axis_values(definition, workload.axes);
      if (axes.contains("num_pages") && axes.at("num_pages") == 0) {  // two of them, with two indices each
        CHECK_THROWS_WITH(synthesis::make_inputs(definition, workload, names, {}),
                          Catch::Contains("there are no pages to choose from"));
        continue;
      }
      const auto inputs = synthesis::make_inputs(definition, workload, names, {});
      for (const auto& [name, bytes] : inputs.tensors) {
        std::size_t expected = 4;  // all are int32
        const auto shape = model::shape_of(input_named(definition, name), axes);
        for (const auto size : shape.value()) expected *= static_cast<std::size_t>(size);
        CHECK(bytes.size() == expected);
      }
      made += inputs.tensors.size();
    }
  }
  if (fs::exists(root)) CHECK(made > 0);
}
