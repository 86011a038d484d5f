#include "compile/compile_options.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace fib::compile {

std::optional<std::string> refused_option(const model::Solution& solution) {
  if (!solution.spec.compile_options) return std::nullopt;
  const auto& options = *solution.spec.compile_options;
  for (const auto& list : {options.cflags, options.cuda_cflags, options.ld_flags}) {
    for (const auto& flag : list.value_or(std::vector<std::string>{})) {
      for (const std::string_view bad :
           {"-wrapper",    "-fplugin",    "-specs",       "--specs", "-B",       "-o",       "@",
            "-plugin",     "-Wl,-plugin", "-Wl,--plugin", "-Wl,@",   "-Xlinker", "-fuse-ld", "-dumpdir",
            "-save-temps", "-Xclang",     "-load",        "-MF",     "-MD",      "-fdump"}) {
        if (flag.starts_with(bad)) return fmt::format("the compile option \"{}\" is not allowed", flag);
      }
    }
  }
  return std::nullopt;
}

}  // namespace fib::compile
