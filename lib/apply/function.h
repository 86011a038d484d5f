#pragma once

#include <fib.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "apply/config.h"
#include "apply/solutions.h"
#include "apply/table.h"
#include "apply/verify.h"
#include "arguments/signature.h"

namespace fib::apply {

constexpr std::size_t kOutcomes = FIB_NOT_TRUSTED + 1;

// What the functions of one runtime share; owned by it.
struct Shared {
  Table table;
  std::map<std::string, std::unique_ptr<AppliedSolution>> solutions = {};  // the winners, by name
  std::filesystem::path program = {};                                      // the fib program
  std::set<std::string> trusted = {};                                      // keys of `fib apply trust`
  Devices devices = {};
};

class Function;

// A case of a function, ready to be called.
struct Prepared {
  const Function* function = nullptr;
  AppliedSolution* solution = nullptr;
  std::unique_ptr<PreparedCall> call;
  std::int32_t device_type = 0;
  arguments::Case found = {};
  mutable std::atomic<bool> is_refused = false;     // by the solution: this case is not called again
  mutable std::atomic<bool> is_unverified = false;  // its first call is still to be compared
};

// Answers calls of one definition. Any thread.
class Function {
 public:
  // `config` null: the definition is not handled; `definition` null: the dataset has none of this name. Both
  // and `shared` have to outlive this object.
  Function(const Config* config, const model::Definition* definition, Shared& shared);

  // fib_call(); `why` gets a sentence where the outcome has one to tell.
  [[nodiscard]] fib_outcome call(const fib_value* arguments, std::size_t count, void* stream,
                                 std::string& why) const;

  // fib_prepare().
  [[nodiscard]] fib_outcome prepare(const fib_value* arguments, std::size_t count, void* stream,
                                    const Prepared*& prepared, std::string& why) const;

  // fib_prepared_call().
  [[nodiscard]] fib_outcome call(const Prepared& prepared, void* const* data, void* stream,
                                 std::string& why) const;

  // fib_match(): null where none answers.
  [[nodiscard]] const AppliedSolution* match(std::int32_t device_type, std::int32_t device_id,
                                             const std::int64_t* values, std::size_t count,
                                             fib_outcome& outcome, std::string& why) const;

  // Builds and loads the winners on that device, as many as the configuration says, and prepares their cases.
  struct Warmed {
    std::string solution;
    std::string problem;  // "": it is ready
  };
  [[nodiscard]] std::vector<Warmed> warm(std::int32_t device_type, std::int32_t device_id) const;

  // What compares calls with the program's own function; null: no call is compared.
  [[nodiscard]] Verifier* verifier() const { return verifier_.get(); }

  [[nodiscard]] std::uint64_t count(fib_outcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)].load();
  }

 private:
  [[nodiscard]] fib_outcome fitting(const fib_value* arguments, std::size_t count, arguments::Case& found,
                                    std::string& why) const;
  [[nodiscard]] const Prepared* find(const arguments::Case& found) const;
  [[nodiscard]] arguments::Case complete(const arguments::Case& found) const;
  [[nodiscard]] fib_outcome choose(const arguments::Case& found, AppliedSolution*& solution,
                                   std::string& why) const;
  [[nodiscard]] fib_outcome make(const arguments::Case& found, void* stream, const Prepared*& prepared,
                                 std::string& why) const;
  [[nodiscard]] fib_outcome ready(const Prepared& prepared, void* stream, std::string& why) const;
  [[nodiscard]] fib_outcome perform(const Prepared& prepared, const Argument* arguments, void* stream,
                                    std::string& why) const;
  fib_outcome counted(fib_outcome outcome) const;

  const Config* config_;
  const model::Definition* definition_;
  Shared& shared_;
  const DefinitionTable* table_ = nullptr;
  std::optional<arguments::Signature> signature_;
  std::string problem_;  // why there is no signature
  std::unique_ptr<Verifier> verifier_;
  mutable std::array<std::atomic<std::uint64_t>, kOutcomes> counts_{};
  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<arguments::Case, std::unique_ptr<Prepared>> cases_;
};

}  // namespace fib::apply
