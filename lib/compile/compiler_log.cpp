#include "compile/compiler_log.h"

#include <string_view>

namespace fib::compile {
namespace {

bool is_error(std::string_view line) {
  for (const std::string_view mark : {": error:", ": fatal error:", "undefined reference", "cannot find -l",
                                      "error: unrecognized", ": error ", "nvcc fatal"}) {
    if (line.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

// Lines that belong to an error: the quoted source and the caret below it begin with a blank.
bool continues(std::string_view line) { return !line.empty() && line.front() == ' '; }

}  // namespace

std::string first_error_first(const std::string& output) {
  const std::string_view text = output;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    end = end == std::string_view::npos ? text.size() : end + 1;
    if (is_error(text.substr(begin, end - begin))) {
      if (begin == 0) return output;
      std::size_t block_end = end;
      while (block_end < text.size() && continues(text.substr(block_end))) {
        block_end = text.find('\n', block_end);
        block_end = block_end == std::string_view::npos ? text.size() : block_end + 1;
      }
      return std::string(text.substr(begin, block_end - begin)) + "\nThe complete output:\n" + output;
    }
    begin = end;
  }
  return output;
}

std::string without_folder(std::string output, const std::filesystem::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = output.find(prefix); at != std::string::npos; at = output.find(prefix, at))
    output.erase(at, prefix.size());
  return output;
}

}  // namespace fib::compile
