#include <algorithm>
#include <catch2/catch.hpp>

#include "arguments/signature.h"
#include "dataset/load.h"
#include "support/places.h"
#include "synthesis/meaning.h"
#include "tracing/presets.h"
#include "tracing/traced.h"

using namespace fib;
using Kind = tracing::FilterPolicy::Kind;

TEST_CASE("presets are by op type, and name no input that the definition lacks") {
  const auto ragged = tracing::preset_for(model::parse_definition(testing::kRagged));
  CHECK(ragged.dump.names == std::vector<std::string>{"qo_indptr", "kv_indptr"});
  CHECK(ragged.filter.kind == Kind::attention);
  CHECK(ragged.filter.k == 1);
  auto norm = model::parse_definition(testing::kRagged);
  norm.op_type = "rmsnorm";
  CHECK(tracing::preset_for(norm).dump.names.empty());
  CHECK(tracing::preset_for(norm).filter.kind == Kind::first_by_axes);
}

TEST_CASE("of other op types, indices and masks are kept, and no quantised numbers") {
  const auto rule = tracing::preset_for(model::parse_definition(testing::kMixed));
  CHECK(rule.dump.names == std::vector<std::string>{"ids", "mask", "zero"});
  CHECK(rule.filter.kind == Kind::first_by_axes);
}

// Whatever random integers are nonsense for has to be among the values that are kept.
TEST_CASE("presets keep all that workloads of the published dataset cannot do without") {
  const auto root = testing::source_folder() / "../shared/data/flashinfer_trace";
  if (!std::filesystem::exists(root)) {
    WARN("skipped: the published dataset is not there");
    return;
  }
  dataset::LoadOptions options;
  options.results = dataset::KeepResults::no;
  const auto published = dataset::load(root, options);
  CHECK(published.definitions.size() > 100);
  for (const auto& [name, definition] : published.definitions) {
    INFO(name);
    const auto rule = tracing::preset_for(definition);
    for (const auto& input : definition.inputs) {
      if (input.is_scalar()) continue;
      const auto meaning = synthesis::meaning_of(definition, input);
      const bool is_named =
          std::find(rule.dump.names.begin(), rule.dump.names.end(), input.name) != rule.dump.names.end();
      INFO(input.name);
      if (meaning) CHECK(is_named == synthesis::is_structural(*meaning));
    }
    const bool is_attention =
        definition.op_type.starts_with("gqa_") || definition.op_type.starts_with("mla_");
    CHECK((rule.filter.kind == Kind::attention) == is_attention);
    CHECK_NOTHROW(arguments::Signature(definition));
  }
}
