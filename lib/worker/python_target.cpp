#include "worker/python_target.h"

#include <nlohmann/json.hpp>

#include "util/hash.h"
#include "worker/descendants.h"
#include "worker/packed_folder.h"

namespace fib::worker {
namespace {

using nlohmann::ordered_json;

ordered_json slots_json(const std::vector<eval::Slot>& slots, const std::byte* base) {
  ordered_json list = ordered_json::array();
  for (const auto& slot : slots) {
    list.push_back({{"name", slot.name},
                    {"dtype", tensor::name_of(slot.dtype)},
                    {"scalar", slot.scalar},
                    {"shape", slot.shape},
                    {"address", reinterpret_cast<std::uintptr_t>(base + slot.offset)},
                    {"bytes", slot.bytes}});
  }
  return list;
}

class PythonTarget : public Target {
 public:
  PythonTarget(const FibGuestCallbacks& callbacks, GuestClaims& claims, Stage& stage,
               const PythonDocument& document, std::filesystem::path jit_folder, const std::string& jit_files)
      : callbacks_(callbacks),
        claims_(claims),
        stage_(stage),
        returns_values_(document.returns_values),
        jit_folder_(std::move(jit_folder)),
        given_jit_files_(util::sha256_hex(jit_files)) {
    expect_success(callbacks_.load(document.to_json().c_str()), claims_);
  }

  void open(const Open& workload, const Buffers& buffers) override {
    layout_ = workload.layout;
    const ordered_json document = {{"inputs", slots_json(layout_.inputs, buffers.inputs)},
                                   {"outputs", slots_json(layout_.outputs, buffers.outputs)},
                                   {"scalars", reinterpret_cast<std::uintptr_t>(buffers.scalars)}};
    expect_success(callbacks_.open(document.dump().c_str()), claims_);
  }

  void prepare() override {
    expect_success(callbacks_.prepare(), claims_);
    if (stage_.watches_processes()) (void)watch(kLooks);
  }

  void call() override {
    claims_.outputs.clear();
    expect_success(callbacks_.call(), claims_);
    for (std::size_t i = 0; i < std::min(claims_.outputs.size(), layout_.outputs.size()); ++i) {
      if (fits(i)) stage_.touch_output(layout_.outputs[i], claims_.outputs[i].address);
    }
  }

  void forget() override { expect_success(callbacks_.forget(), claims_); }

  std::string jit_files() const override {
    std::string packed = pack_folder(jit_folder_, kMostJitBytes);
    return util::sha256_hex(packed) == given_jit_files_ ? std::string() : packed;
  }

  bool waits_for_processes() override { return watch(kLooks) == Descendants::kCameToRest; }

  // No Python runs here: what was not finished inside the timed call is not there.
  std::vector<eval::OutputClaim> collect() override {
    if (stage_.watches_processes()) (void)watch(1);
    std::vector<eval::OutputClaim> claims;
    if (!returns_values_) {
      for (const auto& slot : layout_.outputs) claims.push_back({slot.dtype, slot.shape});
      return claims;
    }
    for (std::size_t i = 0; i < claims_.outputs.size(); ++i) {
      const auto& [claim, address] = claims_.outputs[i];
      claims.push_back(claim);
      if (i >= layout_.outputs.size()) continue;
      if (fits(i)) stage_.take_output(layout_.outputs[i], address);
    }
    return claims;
  }

 private:
  static constexpr int kLooks = 50;

  static Descendants watch(int looks) {
    const auto seen = watch_descendants(looks);
    if (seen == Descendants::kAtWork)
      throw Error("processes of the solution keep running outside of its calls; they must sleep or end");
    return seen;
  }

  // Whether an output that the function returned has its slot's dtype and shape.
  [[nodiscard]] bool fits(std::size_t i) const {
    const auto& slot = layout_.outputs[i];
    const auto& claim = claims_.outputs[i].claim;
    return returns_values_ && slot.dtype == claim.dtype && slot.shape == claim.shape;
  }

  const FibGuestCallbacks& callbacks_;
  GuestClaims& claims_;
  Stage& stage_;
  bool returns_values_;
  std::filesystem::path jit_folder_;
  std::string given_jit_files_;  // their digest
  eval::Layout layout_;
};

}  // namespace

void expect_success(int result, GuestClaims& claims) {
  const std::string error = std::exchange(claims.error, {});
  if (result != 0) throw Error("{}", error.empty() ? "the guest failed without saying why" : error);
}

std::string PythonDocument::to_json() const {
  ordered_json files = ordered_json::array();
  for (const auto& source : sources) files.push_back({{"path", source.path}, {"content", source.content}});
  return ordered_json{
      {"sources", files}, {"module", module},   {"symbol", symbol},          {"extension", extension},
      {"inputs", inputs}, {"outputs", outputs}, {"returns", returns_values}, {"is_reference", is_reference}}
      .dump();
}

PythonDocument PythonDocument::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    PythonDocument document;
    for (const auto& file : json.at("sources")) {
      document.sources.push_back({file.at("path").get<std::string>(), file.at("content").get<std::string>()});
    }
    json.at("module").get_to(document.module);
    json.at("symbol").get_to(document.symbol);
    json.at("extension").get_to(document.extension);
    json.at("inputs").get_to(document.inputs);
    json.at("outputs").get_to(document.outputs);
    json.at("returns").get_to(document.returns_values);
    json.at("is_reference").get_to(document.is_reference);
    return document;
  } catch (const nlohmann::json::exception& error) {
    throw Error("the document of a Python solution is broken: {}", error.what());
  }
}

std::unique_ptr<Target> make_python_target(const FibGuestCallbacks& callbacks, GuestClaims& claims,
                                           Stage& stage, const PythonDocument& document,
                                           const std::filesystem::path& jit_folder,
                                           const std::string& jit_files) {
  return std::make_unique<PythonTarget>(callbacks, claims, stage, document, jit_folder, jit_files);
}

}  // namespace fib::worker
