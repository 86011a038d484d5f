#pragma once

#include <string>
#include <variant>

namespace fib::worker {

// Why a request got no answer. An outcome, not an error: children die, hang and lie.
struct Failure {
  enum class Kind {
    kDied,      // the child ended: signal or exit code in `text`
    kTimeout,   // no answer in time; the child was killed
    kProtocol,  // it sent something the protocol does not allow; it was killed
    kRefused,   // it answered with an error sentence and lives on
  };
  Kind kind{};
  std::string text;
};

template <typename T>
using Answer = std::variant<T, Failure>;

}  // namespace fib::worker
