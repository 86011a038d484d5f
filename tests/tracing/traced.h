#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "support/dataset.h"
#include "support/temporary.h"
#include "support/tensors.h"
#include "tensor/safetensors.h"
#include "tracing/tracing.h"
#include "validate/validate.h"

namespace fib::testing {

// Attention over ragged sequences, as far as tracing sees it: floats, offsets, a scalar.
inline const char* const kRagged =
    R"({"name":"ragged","op_type":"gqa_ragged","axes":{"total_q":{"type":"var"},"total_kv":{"type":"var"},)"
    R"("len_indptr":{"type":"var"},"width":{"type":"const","value":2}},)"
    R"("inputs":{"q":{"shape":["total_q","width"],"dtype":"bfloat16"},)"
    R"("k":{"shape":["total_kv","width"],"dtype":"bfloat16"},)"
    R"("qo_indptr":{"shape":["len_indptr"],"dtype":"int32"},)"
    R"("kv_indptr":{"shape":["len_indptr"],"dtype":"int32"},"sm_scale":{"shape":null,"dtype":"float32"}},)"
    R"("outputs":{"y":{"shape":["total_q","width"],"dtype":"bfloat16"}},)"
    R"("reference":"def run(q, k, qo_indptr, kv_indptr, sm_scale):\n    return q\n"})";

// Every kind of input that a definition may have.
inline const char* const kMixed =
    R"({"name":"mixed","op_type":"test","axes":{"n":{"type":"var"}},)"
    R"("inputs":{"x":{"shape":["n"],"dtype":"float32"},"ids":{"shape":["n"],"dtype":"int64"},)"
    R"("bytes":{"shape":["n"],"dtype":"int8"},"mask":{"shape":["n"],"dtype":"bool"},)"
    R"("zero":{"shape":[],"dtype":"int32"},"count":{"shape":null,"dtype":"int32"},)"
    R"("scale":{"shape":null,"dtype":"float32"},"flag":{"shape":null,"dtype":"bool"}},)"
    R"("outputs":{"y":{"shape":["n"],"dtype":"float32"}},)"
    R"("reference":"def run(x, ids, bytes, mask, zero, count, scale, flag):\n    return x\n"})";

// A dataset with the definitions "ragged", "mixed" and "add" (c = a + b over float32[n]).
struct TracedDataset {
  TemporaryFolder folder;
  DatasetBuilder builder{folder.path() / "data"};

  TracedDataset() {
    builder.definition("gqa_ragged", "ragged", kRagged, {});
    builder.definition("test", "mixed", kMixed, {});
    builder.add_definition({});
  }
  [[nodiscard]] dataset::Dataset load() const { return dataset::load(builder.root()); }
  // The workloads of a definition, after a look at the whole dataset: nothing is wrong with it, but for a
  // torn last line where `torn` counts these.
  [[nodiscard]] std::vector<model::Workload> workloads(const std::string& definition,
                                                       std::size_t* torn = nullptr) const {
    const auto loaded = load();
    for (const auto& problem : loaded.problems) {
      if (torn != nullptr && problem.message.starts_with("torn record")) {
        ++*torn;
      } else {
        FAIL_CHECK(problem.file << ": " << problem.message);
      }
    }
    const auto found = loaded.workloads.find(definition);
    return found == loaded.workloads.end() ? std::vector<model::Workload>{} : found->second;
  }
  // The elements of an input that a workload has in a file.
  template <typename T>
  [[nodiscard]] std::vector<T> values(const model::Workload& workload, const std::string& input) const {
    const auto* spec = model::find(workload.inputs, input);
    REQUIRE(spec != nullptr);
    REQUIRE(spec->kind == model::InputKind::safetensors);
    const tensor::SafetensorsFile file(builder.root() / spec->path);
    const auto view = file.find(spec->tensor_key);
    REQUIRE(view);
    std::vector<T> values(view->bytes / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), view->data, view->bytes);
    return values;
  }
};

// A call of "ragged" for sequences of these lengths.
struct RaggedCall {
  HostTensor q, k, queries, keys;
  fib_value values[5];

  RaggedCall(std::int32_t sequences, std::int32_t query_tokens, std::int32_t key_tokens)
      : q(tensor::DType::kBFloat16, {sequences * query_tokens, 2}),
        k(tensor::DType::kBFloat16, {sequences * key_tokens, 2}),
        queries(tensor::DType::kInt32, {sequences + 1}),
        keys(tensor::DType::kInt32, {sequences + 1}),
        values{q.value(), k.value(), queries.value(), keys.value(), real(0.125)} {
    for (std::int32_t i = 0; i <= sequences; ++i) {
      queries.data<std::int32_t>()[i] = i * query_tokens;
      keys.data<std::int32_t>()[i] = i * key_tokens;
    }
  }
};

// A call of "mixed".
struct MixedCall {
  HostTensor x, ids, bytes, mask, zero{tensor::DType::kInt32, {}};
  fib_value values[8];

  explicit MixedCall(std::int64_t n)
      : x(tensor::DType::kFloat32, {n}),
        ids(tensor::DType::kInt64, {n}),
        bytes(tensor::DType::kInt8, {n}),
        mask(tensor::DType::kBool, {n}),
        values{x.value(),    ids.value(), bytes.value(), mask.value(),
               zero.value(), integer(7),  real(0.5),     boolean(true)} {
    for (std::int64_t i = 0; i < n; ++i) {
      x.data<float>()[i] = static_cast<float>(i) / 2;
      ids.data<std::int64_t>()[i] = i * i;
      mask.data<std::uint8_t>()[i] = i % 2 == 0;
    }
    *zero.data<std::int32_t>() = 11;
  }
};

// A call of "add".
struct AddCall {
  HostTensor a, b;
  fib_value values[2];

  explicit AddCall(std::int64_t n)
      : a(tensor::DType::kFloat32, {n}), b(tensor::DType::kFloat32, {n}), values{a.value(), b.value()} {
    for (std::int64_t i = 0; i < n; ++i) a.data<float>()[i] = static_cast<float>(i);
  }
};

// What `fib validate` finds wrong with the dataset, apart from definitions that say little: nothing, or as
// many blobs that no workload reads.
inline void expect_valid(const std::filesystem::path& root, std::size_t orphans = 0) {
  const auto report = validate::validate(root, {});
  std::size_t found_orphans = 0;
  const auto look_at = [&](const std::vector<validate::CheckResult>& checks) {
    for (const auto& check : checks) {
      if (check.name == "definition" || check.name == "baseline") continue;
      for (const auto& message : check.messages.value_or(validate::Messages{})) {
        INFO(check.name << ": " << message.text);
        if (check.name == "orphans" && ++found_orphans <= orphans) continue;
        CHECK(message.level == validate::Level::info);
      }
    }
  };
  for (const auto& definition : report.definitions) look_at(definition.checks);
  look_at(report.dataset);
}

template <typename Call>
tracing::Outcome collect(tracing::Tracing& tracing, const char* definition, const Call& call) {
  return tracing.collect(definition, call.values, std::size(call.values), nullptr);
}

inline nlohmann::json statistics_of(const tracing::Tracing& tracing) {
  return nlohmann::json::parse(tracing.statistics());
}

}  // namespace fib::testing
