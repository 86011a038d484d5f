#include "bench/reference_runner.h"

#include <nlohmann/json.hpp>

#include "eval/evaluator.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

constexpr std::int64_t kCallLimitNs = std::int64_t{600} * 1'000'000'000;

std::int64_t deadline() { return util::monotonic_ns() + kCallLimitNs; }

}  // namespace

template <typename T>
T ReferenceRunner::expect(worker::Answer<T> answer) {
  if (auto* value = std::get_if<T>(&answer)) return std::move(*value);
  const auto& failure = std::get<worker::Failure>(answer);
  std::string text = failure.text;
  if (failure.kind != worker::Failure::Kind::kRefused) {
    text += "\n" + worker_->take_output();
    worker_.reset();
    definition_ = nullptr;
  }
  throw ReferenceError("the reference failed: {}", text);
}

void ReferenceRunner::start(const model::Definition& definition) {
  worker_ = std::make_unique<worker::WorkerClient>(spawner_, setup_, "reference's worker", 0);
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (const auto& input : definition.inputs) inputs.push_back(input.name);
  for (const auto& output : definition.outputs) outputs.push_back(output.name);
  const nlohmann::ordered_json document = {
      {"source", definition.reference}, {"inputs", inputs}, {"outputs", outputs}};
  worker::Load request;
  request.kind = worker::TargetKind::kReference;
  request.threads = threads_;
  request.device.awake_us = setup_.awake_us;
  engine_ = expect(worker_->load(request, deadline(), document.dump())).engine;
  definition_ = &definition;
}

void ReferenceRunner::open(const model::Definition& definition, const eval::Layout& layout,
                           const worker::DoorFds& door) {
  if (definition_ != &definition || !worker_ || !worker_->alive()) start(definition);
  (void)expect(worker_->open({layout, {}}, door, deadline()));
}

double ReferenceRunner::call(const eval::Layout& layout) {
  (void)expect(worker_->prepare(deadline()));
  const auto ran = expect(worker_->run(worker::Clock::kHost, deadline()));
  const auto collected = expect(worker_->collect(deadline()));
  if (const auto problem = eval::check_claims(layout, collected.outputs)) {
    throw ReferenceError("the reference failed: {}", problem->text);
  }
  return ran.done.elapsed_ns;
}

}  // namespace fib::bench
