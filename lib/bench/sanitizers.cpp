#include "bench/sanitizers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "compile/toolchain.h"
#include "util/command.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

// A library of the host compiler; empty when it has none.
std::string library_of(const std::vector<std::string>& cxx, const std::string& name) {
  std::vector<std::string> words = cxx;
  words.push_back("-print-file-name=" + name);
  try {
    const auto result = util::run_command(words, "/");
    const std::string path = result.output.substr(0, result.output.find('\n'));
    std::error_code unknown;
    return path.starts_with('/') && fs::exists(path, unknown) ? path : "";
  } catch (const Error&) {
    return "";
  }
}

Sanitizer host_sanitizer() {
  const compile::Toolchain toolchain;
  Sanitizer sanitizer{"address,undefined", {}, ""};
  // It finds GCC's libraries, too, and cannot link them.
  if (!compile::version_line(toolchain.cxx, "clang").empty()) {
    sanitizer.missing = fmt::format("{} is Clang, and fib looks with the sanitizers of GCC: CXX=g++",
                                    fmt::join(toolchain.cxx, " "));
    return sanitizer;
  }
  const std::string address = library_of(toolchain.cxx, "libasan.so");
  if (address.empty()) {
    sanitizer.missing = fmt::format("{} has no libasan.so: it comes with GCC", toolchain.cxx.front());
    return sanitizer;
  }
  const std::vector<std::string> flags = {"-fsanitize=address,undefined", "-g", "-fno-omit-frame-pointer"};
  sanitizer.tool.cflags = flags;
  sanitizer.tool.ld_flags = {"-fsanitize=address,undefined"};
  // fib itself is not instrumented: the allocator that finds what lies beyond an allocation has to come
  // first.
  sanitizer.tool.environment = {
      "LD_PRELOAD=" + address,
      "ASAN_OPTIONS=detect_leaks=0:color=never:abort_on_error=0:exitcode=66:handle_segv=1",
      "UBSAN_OPTIONS=print_stacktrace=0:color=never"};
  sanitizer.tool.limits_data = false;  // the shadow of all addresses counts as data
  return sanitizer;
}

std::vector<Sanitizer> device_sanitizers() {
  const std::string program = find_cuda_tool("compute-sanitizer");
  std::vector<Sanitizer> sanitizers;
  for (const char* name : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    Sanitizer sanitizer{name, {}, ""};
    if (program.empty())
      sanitizer.missing = "compute-sanitizer is not here: it comes with the CUDA toolkit (PATH, CUDA_HOME)";
    sanitizer.tool.words = {program, "--tool", name, "--error-exitcode", "99", "--print-limit", "1000"};
    sanitizer.tool.cuda_cflags = {"-lineinfo"};
    // torch keeps memory that was freed, and gives out parts of it: an access beyond its end would find more
    // of it.
    sanitizer.tool.environment = {"PYTORCH_NO_CUDA_MEMORY_CACHING=1"};
    sanitizers.push_back(std::move(sanitizer));
  }
  return sanitizers;
}

}  // namespace

std::string find_cuda_tool(const std::string& name) {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.emplace_back(fs::path(value) / "bin");
  }
  const char* path = std::getenv("PATH");
  const std::string all = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    if (end > begin) folders.emplace_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    std::error_code unknown;
    const fs::path file = folder / name;
    if (fs::is_regular_file(file, unknown)) return file.string();
  }
  return "";
}

std::vector<Sanitizer> sanitizers_for(model::DeviceKind device) {
  if (device == model::DeviceKind::cuda) return device_sanitizers();
  return {host_sanitizer()};
}

std::vector<compile::Finding> findings_of(const Sanitizer& sanitizer, const std::string& output) {
  return sanitizer.tool.words.empty() ? compile::findings_of_host(output)
                                      : compile::findings_of_device(sanitizer.name, output);
}

}  // namespace fib::bench
