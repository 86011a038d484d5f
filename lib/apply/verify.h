#pragma once

#include <fib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "apply/config.h"
#include "apply/devices.h"
#include "apply/loaded.h"
#include "eval/compare.h"
#include "eval/layout.h"
#include "model/definition.h"

namespace fib::apply {

struct Prepared;

// Compares solutions with the program's own function while the program runs, each call by the judging rule of
// the definition (what a rule says of all calls together is not asked). What happens is counted, and told on
// standard error where it is news. Any thread.
class Verifier {
 public:
  // Null where the configuration asks for no comparison, and of samplers, whose outputs are random draws. All
  // but `config` have to outlive the verifier.
  [[nodiscard]] static std::unique_ptr<Verifier> make(const Config& config,
                                                      const model::Definition& definition,
                                                      const arguments::Signature& signature,
                                                      Devices& devices);

  // The program's own function, fib_apply_set_fallback(); null: there is none.
  void set_fallback(fib_fallback function, void* user);

  // Whether the first call of each case is compared.
  [[nodiscard]] bool is_first_due() const { return first_; }

  // Whether the call may be made, which is_ready(stream) holds for. Where it is due, runs the solution and
  // the program's own function on copies of the arguments, which stay as they are, and waits for both. False:
  // the outputs differ, and the solution is dropped; `why` gets a sentence. True: they agree, or were not
  // compared, as calls that are made in a comparison.
  [[nodiscard]] bool passes(const Prepared& prepared, const Argument* arguments, void* stream,
                            std::string& why);

  // Whether this thread is in a comparison of this verifier: a call that is made then is the program's own
  // function's, which has to do it itself.
  [[nodiscard]] bool is_comparing() const;

  // Calls that were compared and agreed, or differed, and those that were due and could not be compared, and
  // why the first of them could not; "" where there is none.
  struct Counts {
    std::uint64_t agreed = 0;
    std::uint64_t differed = 0;
    std::uint64_t not_compared = 0;
    std::string problem;
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Comparing;  // one comparison
  struct Copies;
  struct Fallback {
    fib_fallback function = nullptr;
    void* user = nullptr;
  };
  Verifier(const Config& config, const model::Definition& definition, const arguments::Signature& signature,
           Devices& devices);
  [[nodiscard]] Fallback fallback() const;
  [[nodiscard]] bool is_drawn();
  [[nodiscard]] bool compare(const Prepared& prepared, const Argument* arguments, void* stream,
                             std::string& why);
  [[nodiscard]] eval::Judgement judge(const Comparing& comparing) const;
  void remember(const std::string& problem);

  bool first_;
  double rate_;
  eval::Tolerance tolerance_;
  const model::Definition& definition_;
  const arguments::Signature& signature_;
  Devices& devices_;
  std::atomic<std::uint64_t> drawn_ = 0;
  std::atomic<std::uint64_t> agreed_ = 0;
  std::atomic<std::uint64_t> differed_ = 0;
  std::atomic<std::uint64_t> not_compared_ = 0;
  mutable std::mutex mutex_;  // of the rest
  Fallback fallback_;
  std::string problem_;
};

}  // namespace fib::apply
