#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "worker/guest.h"
#include "worker/stage.h"
#include "worker/target.h"

namespace fib::worker {

// What a guest loads: a Python module, or the module of a torch extension. Travels as a document beside Load.
struct PythonDocument {
  struct Source {
    std::string path;
    std::string content;
  };
  std::vector<Source> sources = {};  // written to <package>/<path>; empty for an extension
  std::string module;                // "fib_python_x_0a1b2c.main"; the first part is the package
  std::string symbol;
  std::string extension = {};   // not empty: the path of the extension's library, which the guest can open
  bool returns_values = false;  // else the outputs are passed after the inputs
  // Of a definition: arguments go to parameters by name where the names are the inputs', and outputs on
  // another device are brought to this one.
  bool is_reference = false;
  std::vector<std::string> inputs;   // names, in the definition's order
  std::vector<std::string> outputs;  // likewise
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static PythonDocument parse(std::string_view text);  // throws Error
};

// What the guest said through guest.h during a callback.
struct GuestClaims {
  struct Output {
    eval::OutputClaim claim;
    std::uint64_t address = 0;
  };
  std::string error;
  std::vector<Output> outputs;
};

// A Python function behind a target's door. `callbacks` and `claims` live as long as the process; `stage`
// outlives the target. Just-in-time compilers keep what they make in `jit_folder`, which holds `jit_files`
// (packed_folder.h) already. Loads the document; throws Error.
[[nodiscard]] std::unique_ptr<Target> make_python_target(const FibGuestCallbacks& callbacks,
                                                         GuestClaims& claims, Stage& stage,
                                                         const PythonDocument& document,
                                                         const std::filesystem::path& jit_folder,
                                                         const std::string& jit_files);

// Calls one of the guest's functions; throws Error with the sentence that it left.
void expect_success(int result, GuestClaims& claims);

}  // namespace fib::worker
