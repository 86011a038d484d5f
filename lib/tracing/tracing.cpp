#include "tracing/tracing.h"

#include <optional>

#include "arguments/tensors.h"
#include "dataset/paths.h"
#include "tracing/host_copy.h"
#include "util/error.h"

namespace fib::tracing {
namespace {

constexpr std::uint64_t kCallBytes = 2048;  // what a kept call takes besides its values, and more

// Absolute, since the program may change its current folder.
std::filesystem::path folder_of(const dataset::Dataset& dataset) {
  if (dataset.root.empty()) throw Error("the dataset has no folder, so that no workloads can be added to it");
  dataset::expect_dataset_folder(dataset.root);
  return std::filesystem::absolute(dataset.root);
}

}  // namespace

Tracing::Tracing(const dataset::Dataset& dataset, const Config& config, std::unique_ptr<DeviceCopies> devices)
    : devices_(std::move(devices)), budget_(config.memory_bytes), writer_(folder_of(dataset)) {
  for (const auto& [name, definition] : dataset.definitions)
    sites_.emplace(name, std::make_unique<Site>(dataset.root, definition, config));
  for (const auto& rule : config.per_definition) {
    if (!sites_.contains(rule.first)) rules_without_definition_.push_back(rule.first);
  }
}

Site* Tracing::find(std::string_view definition) const {
  const auto found = sites_.find(definition);
  return found == sites_.end() ? nullptr : found->second.get();
}

Outcome Tracing::collect(std::string_view definition, const fib_value* values, std::size_t count,
                         void* stream) noexcept {
  if (Site* site = find(definition)) return collect(*site, values, count, stream);
  unknown_.fetch_add(1, std::memory_order_relaxed);
  return Outcome::not_traced;
}

Outcome Tracing::collect(Site& site, const fib_value* values, std::size_t count, void* stream) noexcept {
  if (!site.is_traced() || !writer_.is_own_process()) return site.count(Outcome::not_traced);
  arguments::Case found;
  if (!site.fits(values, count, found)) {
    site.remember_problem_of(values, count);
    return site.count(Outcome::wrong_arguments);
  }
  try {
    const std::lock_guard lock(site.mutex);
    if (!site.filter->take(found)) return site.count(Outcome::passed_over);
  } catch (const std::bad_alloc&) {
    return site.count(Outcome::no_room);
  }
  const Outcome outcome = keep(site, {values, count}, found, stream);
  if (outcome != Outcome::kept) {
    const std::lock_guard lock(site.mutex);
    site.filter->give_back(found);
  }
  return site.count(outcome);
}

// Whatever keeps the call from being kept is told by the outcome.
Outcome Tracing::keep(Site& site, std::span<const fib_value> values, const arguments::Case& found,
                      void* stream) noexcept {
  try {
    auto call = describe_call(site, values.data(), found);
    call->share = budget_.take(call->bytes + kCallBytes);
    if (!call->share) return Outcome::no_room;
    const Outcome outcome = copy_values(*call, values, stream);
    if (outcome == Outcome::kept) writer_.add(std::move(call));
    return outcome;
  } catch (const std::bad_alloc&) {
    return Outcome::no_room;
  } catch (const std::exception& error) {
    site.remember_problem(error.what());
    return Outcome::failed;
  }
}

Outcome Tracing::copy_values(KeptCall& call, std::span<const fib_value> values, void* stream) {
  std::vector<DevicePart> parts;
  call.values.resize(call.host_bytes);
  for (const auto& kept : call.tensors) {
    const fib_tensor& tensor = *values[kept.place].u.tensor;
    if (kept.on_host) {
      copy_elements(tensor, call.values.data() + kept.offset);
      continue;
    }
    if (tensor.device_type != tvm_ffi::kCuda)
      throw Error("tensors on DLPack's device type {} cannot be read", tensor.device_type);
    if (devices_ == nullptr) throw Error("this fib was built without CUDA support");
    if (!arguments::is_contiguous(tensor)) return Outcome::strided;
    parts.push_back({arguments::address_of(tensor), kept.offset - call.host_bytes, kept.bytes});
  }
  if (parts.empty()) return Outcome::kept;
  if (devices_->is_capturing(stream)) return Outcome::captured;
  expect_current_device(*call.site, values);
  call.copy = devices_->copy(stream, parts, call.bytes - call.host_bytes);
  return call.copy == nullptr ? Outcome::no_room : Outcome::kept;
}

// A program whose current context is of a device that no tensor lies on has given another stream than it
// meant.
void Tracing::expect_current_device(const Site& site, std::span<const fib_value> values) {
  std::optional<std::int32_t> elsewhere;
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (site.signature().parameters()[place].scalar) continue;
    const fib_tensor& tensor = *values[place].u.tensor;
    if (tensor.device_type != tvm_ffi::kCuda) continue;
    if (devices_->is_current(tensor.device_id)) return;
    elsewhere = tensor.device_id;
  }
  if (elsewhere)
    throw Error("the tensors lie on cuda:{}, and the current context is another device's", *elsewhere);
}

}  // namespace fib::tracing
