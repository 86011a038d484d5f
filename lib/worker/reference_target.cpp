#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "reference/engine.h"
#include "tensor/convert.h"
#include "worker/target.h"

namespace fib::worker {
namespace {

using reference::Argument;

// A scalar slot's 8 bytes (a double for floating dtypes, else an int64) as the Python number it stands for.
Argument scalar_argument(const eval::Slot& slot, const std::byte* data) {
  double real = 0;
  std::int64_t integer = 0;
  std::memcpy(&real, data, sizeof real);
  std::memcpy(&integer, data, sizeof integer);
  if (tensor::is_floating(slot.dtype)) return real;
  if (slot.dtype == tensor::DType::kBool) return integer != 0;
  return integer;
}

class ReferenceTarget : public Target {
 public:
  ReferenceTarget(std::string_view source, const std::vector<std::string>& inputs,
                  std::vector<std::string> outputs, const reference::EngineOptions& options)
      : engine_(source, options), output_names_(std::move(outputs)) {
    engine_.bind_by_name(inputs);
  }

  [[nodiscard]] std::string engine() const { return engine_.description(); }

  void open(const Open& workload, const Buffers& buffers) override {
    layout_ = workload.layout;
    inputs_ = buffers.inputs;
    outputs_ = buffers.outputs;
  }

  void prepare() override {
    results_.clear();
    arguments_.clear();
    for (const auto& slot : layout_.inputs) {
      std::byte* data = inputs_ + slot.offset;
      if (slot.scalar) {
        arguments_.push_back(scalar_argument(slot, data));
      } else {
        arguments_.push_back(reference::TensorArgument{slot.dtype, slot.shape, data});
      }
    }
  }

  void call() override { results_ = engine_.run(arguments_, output_names_); }

  std::vector<eval::OutputClaim> collect() override {
    std::vector<eval::OutputClaim> claims;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const auto& result = results_[i];
      if (i < layout_.outputs.size() && result.is_scalar() && layout_.outputs[i].shape.empty()) {
        claims.push_back(take_number(layout_.outputs[i], result));
        continue;
      }
      claims.push_back({result.dtype(), result.shape()});
      if (i >= layout_.outputs.size()) continue;
      const auto& slot = layout_.outputs[i];
      if (slot.dtype != result.dtype() || slot.shape != result.shape()) continue;
      std::memcpy(outputs_ + slot.offset, result.data(), slot.bytes);
    }
    return claims;
  }

  [[nodiscard]] std::uint64_t tied_rows() const override {
    return static_cast<std::uint64_t>(engine_.tied_rows());
  }

 private:
  // A Python number has the dtype that it is wanted in.
  eval::OutputClaim take_number(const eval::Slot& slot, const reference::OutputTensor& number) {
    if (number.dtype() == slot.dtype) {
      std::memcpy(outputs_ + slot.offset, number.data(), slot.bytes);
    } else {
      double value = 0;
      tensor::to_double(number.dtype(), number.data(), &value, 1);
      tensor::from_double(slot.dtype, &value, outputs_ + slot.offset, 1);
    }
    return {slot.dtype, {}};
  }

  reference::Engine engine_;
  std::vector<std::string> output_names_;
  eval::Layout layout_;
  std::byte* inputs_ = nullptr;
  std::byte* outputs_ = nullptr;
  std::vector<Argument> arguments_;
  std::vector<reference::OutputTensor> results_;
};

}  // namespace

std::unique_ptr<Target> make_reference_target(const std::string& document, unsigned threads,
                                              std::shared_ptr<ops::Gpu> gpu, std::string& engine) {
  reference::EngineOptions options{.threads = static_cast<int>(threads)};
  options.gpu = std::move(gpu);
  try {
    const auto json = nlohmann::json::parse(document);
    auto target = std::make_unique<ReferenceTarget>(
        json.at("source").get<std::string>(), json.at("inputs").get<std::vector<std::string>>(),
        json.at("outputs").get<std::vector<std::string>>(), options);
    engine = target->engine();
    return target;
  } catch (const nlohmann::json::exception& error) {
    throw Error("the reference's document is broken: {}", error.what());
  }
}

}  // namespace fib::worker
