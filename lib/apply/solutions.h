#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "apply/devices.h"
#include "apply/loaded.h"
#include "model/solution.h"
#include "util/error.h"

namespace fib::apply {

// A solution is for an interpreter to call, and why that is not known before it is built.
class OtherLanguage : public Error {
 public:
  using Error::Error;
};

// A solution that answers calls of its definition: built and loaded once for each device, when it is first
// needed. Any thread; whoever loads makes others wait that need the same.
class AppliedSolution {
 public:
  // `trust_key` as trust_key() of trust.h makes it.
  AppliedSolution(model::Solution solution, std::string trust_key);

  [[nodiscard]] const std::string& name() const { return solution_.name; }
  [[nodiscard]] const model::Solution& solution() const { return solution_; }
  [[nodiscard]] const std::string& trust_key() const { return trust_key_; }

  // Whether an interpreter has to call it, whatever its sources say: Python, Triton and their like.
  [[nodiscard]] bool is_interpreted() const;

  // Loaded for the device, built by `program` before. The same sentence is thrown again each time where that
  // failed. `signature` and `devices` have to outlive this object. Throws OtherLanguage for torch extensions
  // that fib's torch headers do not build, else Error.
  [[nodiscard]] LoadedSolution& loaded(const arguments::Signature& signature,
                                       const model::Definition& definition,
                                       const std::filesystem::path& program, Devices& devices,
                                       std::int32_t device_type, std::int32_t device_id);

  // Never to be called again. The first reason stays.
  void drop(const std::string& reason);
  [[nodiscard]] bool is_dropped() const { return dropped_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string drop_reason() const;  // "": it is not dropped

 private:
  struct OnDevice {
    std::unique_ptr<LoadedSolution> loaded;
    std::string problem;
    bool is_other_language = false;
  };
  model::Solution solution_;
  std::string trust_key_;
  std::atomic<bool> dropped_ = false;
  mutable std::mutex reason_mutex_;
  std::string reason_;
  std::mutex loading_;
  std::map<std::pair<std::int32_t, std::int32_t>, OnDevice> devices_;
};

}  // namespace fib::apply
