#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/session.h"
#include "eval/difference.h"
#include "model/definition.h"
#include "model/workload.h"

// Runs references in both engines, native and Python with torch, on the same inputs: fib validate's check
// "reference".
namespace fib::bench {

// A workload to run; the definition must outlive the check.
struct EngineCase {
  const model::Definition* definition = nullptr;
  model::Workload workload;
  std::filesystem::path root;              // of its dataset
  eval::Rule rule = eval::Rule::kDefault;  // that judges its solutions
};

// What became of one workload. All texts are for messages.
struct EngineOutcome {
  struct Engine {
    std::string error;            // why it has no outputs; empty: it has
    double best_ms = 0;           // the faster of its two calls
    std::uint64_t tied_rows = 0;  // in one call (reference/engine.h)
  };
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    eval::OutputDifference difference;  // of native from Python; the worse of the two calls
  };
  std::string problem;            // why no engine ran: its inputs cannot be made, say
  std::vector<std::string> made;  // inputs that were made (synthesis/inputs.h)
  Engine native;
  Engine python;
  std::vector<Output> outputs;  // empty unless both ran
};

struct EngineReport {
  std::string native;                   // the engines' descriptions; empty where none was started
  std::string python;                   // "Python 3.12.3, torch 2.11.0"
  std::vector<EngineOutcome> outcomes;  // one a case, in order; fewer when interrupted
};

// How the check tells what it does.
struct EngineCheckObserver {
  std::function<void(const std::string& device)> waiting;  // another run holds the device
  std::function<void(const EngineCase& next, std::size_t done)> started;
};

// Takes the machine-wide lock of the session's first device, then lets each engine make two calls on each
// workload, with the same sets of inputs for both (of random ones a new set for the second call); the Python
// engine on that device, the native one on the CPU. Needs a Python with torch. Cases of one definition should
// follow each other: they share one worker of each engine. An engine that fails costs one workload, and is
// started anew if it has died; one that cannot load a definition's reference is not asked again. Inputs whose
// files are missing or that would be integers without meaning are made. Seeds follow from the workloads, so
// that equal cases give equal inputs. Returns soon when the session is interrupted. Throws Error for what
// makes all of it impossible.
[[nodiscard]] EngineReport check_engines(Session& session, const std::vector<EngineCase>& cases,
                                         const EngineCheckObserver& observer);

}  // namespace fib::bench
