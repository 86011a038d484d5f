#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/solution.h"

namespace fib::pack {

// What a source file does not say of the solution that it is.
struct SourceFacts {
  std::optional<std::string> definition = {};   // needed for a source
  std::optional<std::string> entry_point = {};  // "symbol" or "file::symbol"; default: run
  std::optional<std::string> language = {};     // default: by the file's suffix, and what Python imports
  std::optional<std::string> name = {};         // default: the file's name without suffix
  std::optional<std::string> author = {};       // default: local
  model::DeviceKind python_device = model::DeviceKind::cuda;  // what a Python source is for
  std::vector<std::string> flags = {};  // for the compiler: cflags, of CUDA sources cuda_cflags
  // Whether the function returns its outputs; else, and where nothing is asked, they are passed in, as the
  // format has it. Asked with the solution that does not say it yet.
  std::function<bool(const model::Solution&)> returns_outputs = {};
};

// The source `file`, and those beside it that it needs: what C, C++ and CUDA sources include in quotes and
// what Python sources import, where such a file is there, and what these need in turn. Paths are relative to
// the source's folder, from which none leads out; the source itself comes first. Throws Error for a file that
// cannot be read.
[[nodiscard]] std::vector<model::SourceFile> read_with_neighbours(const std::filesystem::path& file);

// A solution of these sources, by the author "local" where none is named: C and C++ for the CPU, Python
// for `facts.python_device`, all others for CUDA; with torch's headers binding torch. The first source has
// the entry point; its name decides how it is compiled. Throws Error in one sentence: no definition is named,
// the language is not known, the entry point is not there; and for what the model refuses.
[[nodiscard]] model::Solution solution_of_sources(std::vector<model::SourceFile> sources,
                                                  const SourceFacts& facts);

// What a user names as a solution: a folder as pack_folder() takes it, a solution's JSON (a name that ends
// so, or text that begins with "{"), or a source
// with its neighbours. Throws Error, naming the file.
[[nodiscard]] model::Solution read_given_solution(const std::filesystem::path& path,
                                                  const SourceFacts& facts);

// The same of a text without a file, which is a solution's JSON or, with `facts.language`, a source.
[[nodiscard]] model::Solution given_solution_of_text(const std::string& text, const SourceFacts& facts);

}  // namespace fib::pack
