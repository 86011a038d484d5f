#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/toolchain.h"
#include "model/solution.h"

namespace fib::compile {

constexpr const char* kLibraryName = "kernel.so";

// How builds of shared libraries differ.
struct NativeOptions {
  std::vector<std::string> includes = {};  // "-I…", for every compiler
  const char* cuda_level = "-O3";
  std::vector<std::string> cuda_flags = {};    // for nvcc alone
  std::vector<std::string> host_flags = {};    // for the other compilers
  std::vector<std::string> cuda_sources = {};  // paths; compiled on CUDA besides the solution's
  std::vector<std::string> libraries = {};     // at the link, behind the objects
  // Names that the library exports, with wildcards as in version scripts; nothing else of it meets names of
  // other libraries of its process. Empty: all.
  std::vector<std::string> exported = {};
};

// One build of a shared library: sources in work/src, objects in `work`, kernel.so in `out`. Runs compilers;
// the sources of one solution side by side. All it is given must outlive it.
class NativeBuild {
 public:
  NativeBuild(const model::Solution& solution, const BuildTarget& target, const Toolchain& toolchain,
              NativeOptions options, const std::filesystem::path& work, const std::filesystem::path& out);

  // Writes and compiles the sources. Why it failed, or nothing.
  [[nodiscard]] std::string compile();

  // Links what compile() has made, with these libraries too, without undefined symbols. Why it failed, or
  // nothing.
  [[nodiscard]] std::string link(const std::vector<std::string>& more_libraries = {});

  // Links it once more, with all names exported: for a sentence about a library that lacks its entry point.
  [[nodiscard]] std::string link_openly(const std::vector<std::string>& more_libraries = {});

  // What the compilers have printed, and the last link().
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  struct Step {
    std::vector<std::string> command;
    std::string output = {};
    bool succeeded = false;
  };

  [[nodiscard]] std::string expected_kinds() const;
  [[nodiscard]] std::string architecture_option() const;
  [[nodiscard]] std::vector<std::string> compiler_for(const std::string& source) const;
  [[nodiscard]] Step run(std::vector<std::string> command) const;
  bool run_all(std::vector<Step> steps);
  [[nodiscard]] std::vector<std::string> export_options() const;

  const model::Solution& solution_;
  const BuildTarget& target_;
  const Toolchain& toolchain_;
  NativeOptions options_;
  std::filesystem::path folder_;
  std::filesystem::path sources_;
  std::filesystem::path out_;
  std::vector<std::string> objects_;
  std::string log_;
  std::size_t compiled_log_ = 0;  // so much of it is from compile()
};

// The options of a library that uses CUDA: the toolkit's folders, for the linker and, where no nvcc compiles,
// for the compilers; the driver's library; those of cuda_libraries(). With the options' cuda_sources set
// before.
void link_to_cuda(NativeOptions& options, const model::Solution& solution);

// A digest of what decides what such a build makes, besides its options: sources and options of the solution,
// compilers, architecture.
[[nodiscard]] std::string native_key(const model::Solution& solution, const BuildTarget& target,
                                     const Toolchain& toolchain);

}  // namespace fib::compile
