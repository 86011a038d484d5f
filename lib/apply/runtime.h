#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "apply/config.h"
#include "apply/function.h"
#include "dataset/load.h"

namespace fib::apply {

// What a dataset's results choose, ready to answer calls. Any thread.
class Runtime {
 public:
  // Copies what it needs of `dataset`, which has its traces. `program` is the fib program (find_program()).
  // Throws Error where the list of trusted solutions is demanded and cannot be read.
  Runtime(const dataset::Dataset& dataset, Registry registry, std::filesystem::path program);

  [[nodiscard]] bool has_definition(const std::string& name) const { return definitions_.contains(name); }

  // The function of a definition, whether there is one or not; it lives as long as this object.
  [[nodiscard]] const Function& find(std::string_view definition);

  // What traces call a device. Throws Error where it cannot be used.
  [[nodiscard]] std::string hardware(std::int32_t device_type, std::int32_t device_id) {
    return shared_.devices.hardware(device_type, device_id);
  }

  // As fib.h describes them.
  [[nodiscard]] const std::string& table_json() const { return table_json_; }
  [[nodiscard]] std::string statistics_json() const;

  struct Warmed : Function::Warmed {
    std::string definition;
  };
  // Of one definition, or of all that have a winner where `definition` is empty.
  [[nodiscard]] std::vector<Warmed> warm(std::string_view definition, std::int32_t device_type,
                                         std::int32_t device_id);

  // The program's own function of a definition, fib_apply_set_fallback(). Where none of its calls are
  // compared, nothing happens.
  void set_fallback(std::string_view definition, fib_fallback fallback, void* user);

  // Nothing happens where no case was won by a solution of this name.
  void drop(const std::string& solution, const std::string& reason);

 private:
  Registry registry_;
  Shared shared_;
  std::string table_json_;
  std::map<std::string, model::Definition> definitions_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
};

}  // namespace fib::apply
