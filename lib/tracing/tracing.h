#pragma once

#include <fib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/load.h"
#include "tracing/budget.h"
#include "tracing/device_copies.h"
#include "tracing/rule.h"
#include "tracing/site.h"
#include "tracing/writer.h"

namespace fib::tracing {

// Makes workloads of the calls of an inference engine. docs/tracing.md says what is written. Any thread; each
// process that traces has its own, made after it was forked.
class Tracing {
 public:
  // Definitions and folder are the dataset's, which is not needed afterwards. Throws Error when it has no
  // folder, and when a rule names an input that its definition does not have. `devices` may be null: values
  // on devices are then never kept.
  Tracing(const dataset::Dataset& dataset, const Config& config)
      : Tracing(dataset, config, make_device_copies(config.device_bytes)) {}
  Tracing(const dataset::Dataset& dataset, const Config& config, std::unique_ptr<DeviceCopies> devices);

  // The definition of that name, to be called; null when the dataset has none. It lives as long as this.
  [[nodiscard]] Site* find(std::string_view definition) const;

  // Looks at a call: the inputs in the definition's order, then the outputs, which may be left out. What is
  // kept is copied before this returns where it lies on the host, and in the order of `stream` where it lies
  // on a device. The stream belongs to the current context (null: the default stream), which is of the
  // device, or of one of the devices, that tensors of the call lie on. A call that is not kept allocates
  // nothing and takes less than a microsecond.
  Outcome collect(Site& site, const fib_value* values, std::size_t count, void* stream) noexcept;
  // The same by name; not_traced where there is no such definition.
  Outcome collect(std::string_view definition, const fib_value* values, std::size_t count,
                  void* stream) noexcept;

  // Waits until everything that was kept before is written. Throws Error when something could not be.
  void flush() { writer_.flush(); }

  // {"definitions": {name: {outcome: calls, "written", "lost", "problem"}}, "unknown_definitions": calls of
  // definitions that the dataset does not have, "rules_without_definition": [name], "bytes_held",
  // "device_bytes_held", "last_error": of writing}. "problem" is why a definition cannot be traced, or
  // what was wrong with the first call that did not fit or could not be copied. Definitions that were never
  // called and have no problem are left out.
  [[nodiscard]] std::string statistics() const;

 private:
  Outcome keep(Site& site, std::span<const fib_value> values, const arguments::Case& found,
               void* stream) noexcept;
  Outcome copy_values(KeptCall& call, std::span<const fib_value> values, void* stream);
  void expect_current_device(const Site& site, std::span<const fib_value> values);

  std::map<std::string, std::unique_ptr<Site>, std::less<>> sites_;
  std::vector<std::string> rules_without_definition_;
  std::atomic<std::uint64_t> unknown_ = 0;
  std::unique_ptr<DeviceCopies> devices_;
  Budget budget_;
  Writer writer_;  // the first to go: its calls point to everything above
};

}  // namespace fib::tracing
