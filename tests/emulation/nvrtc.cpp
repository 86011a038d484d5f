#include <cstdlib>
#include <map>
#include <regex>
#include <vector>

#include "compile/device_kernels.h"
#include "emulation/emulation.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"

// NVRTC's functions by the host's compiler: a "cubin" is the path of a shared library.
namespace fib::emulation {
namespace {

struct Compilation {
  std::string source;
  std::map<std::string, std::string> headers;
  std::string log;
  std::string library;
};

Compilation& of(nvrtcProgram program) { return *reinterpret_cast<Compilation*>(program); }

const std::filesystem::path& folder() {
  static const testing::TemporaryFolder temporary;
  return temporary.path();
}

std::string compiler() {
  const char* name = std::getenv("CXX");
  return name != nullptr && *name != '\0' ? name : "c++";
}

// A function to call for every kernel that is there once the preprocessor is through.
std::string calls_of(const std::string& preprocessed) {
  static const std::regex kernel("extern \"C\"\\s+void\\s+(fib_\\w+)\\(");
  std::string text = "namespace fib::ops::gpu {}\nusing namespace fib;\nusing namespace fib::ops::gpu;\n";
  for (std::sregex_iterator found(preprocessed.begin(), preprocessed.end(), kernel), end; found != end;
       ++found) {
    const std::string name = (*found)[1];
    if (name.starts_with("fib_emulated")) continue;
    text += "extern \"C\" FIB_EMULATED_EXPORT void fib_emulated_call_" + name +
            "(void** arguments) { emulated_call(" + name + ", arguments); }\n";
  }
  return text;
}

void write_sources(const Compilation& compilation, const std::filesystem::path& to) {
  for (const auto& [name, content] : compilation.headers) {
    std::filesystem::create_directories((to / name).parent_path());
    util::write_file_atomic(to / name, content);
  }
  std::filesystem::create_directories(to / "kernels/reference");
  const std::filesystem::path own = testing::source_folder() / "tests/emulation";
  util::write_file_atomic(to / "kernels/ops/warp.cuh", util::read_file(own / "warp.h"));
  util::write_file_atomic(to / "device.h", util::read_file(own / "device.h"));
  util::write_file_atomic(to / "main.cpp", "#include \"device.h\"\n" + compilation.source);
}

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

nvrtcResult compile(nvrtcProgram program, int count, const char* const* options) {
  static int number = 0;
  Compilation& compilation = of(program);
  const auto place = folder() / std::to_string(number++);
  std::filesystem::create_directories(place);
  write_sources(compilation, place);
  // Hidden: else static variables of templates are shared among all libraries of the process.
  std::string words =
      compiler() + " -std=c++17 -O1 -fPIC -fvisibility=hidden -w -ffp-contract=off -I" + place.string();
  for (int i = 0; i < count; ++i) {
    if (std::string(options[i]).starts_with("-D")) words += " '" + std::string(options[i]) + "'";
  }
  const std::string path = place.string();
  const std::string log = path + "/log";
  bool good = run(words + " -E -P " + path + "/main.cpp -o " + path + "/main.ii 2>" + log);
  if (good) {
    const std::string calls = calls_of(util::read_file(place / "main.ii"));
    util::write_file_atomic(place / "main.cpp", util::read_file(place / "main.cpp") + calls);
    compilation.library = path + "/kernel.so";
    good = run(words + " -shared " + path + "/main.cpp -o " + compilation.library + " 2>" + log);
  }
  compilation.log = util::read_file(log);
  return good ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

}  // namespace

std::filesystem::path kernels() {
  const auto api = nvrtc();
  const auto& sources = compile::kernel_sources();
  std::vector<const char*> names;
  std::vector<const char*> contents;
  for (const auto& [name, content] : sources) {
    names.push_back(name.c_str());
    contents.push_back(content.c_str());
  }
  // All but the one that waits, which is written in PTX.
  const char* source =
      "#include \"kernels/compare.cuh\"\n#include \"kernels/fill.cuh\"\n#include \"kernels/memory.cuh\"\n";
  nvrtcProgram program = nullptr;
  api.create(&program, source, "all.cu", static_cast<int>(names.size()), contents.data(), names.data());
  const bool good = api.compile(program, 0, nullptr) == NVRTC_SUCCESS;
  const Compilation compilation = of(program);
  api.destroy(&program);
  if (!good) throw Error("fib's kernels do not compile for the emulated GPU:\n{}", compilation.log);
  const auto file = folder() / "kernels.cubin";
  util::write_file_atomic(file, compilation.library + '\0');
  return file;
}

cuda::Nvrtc nvrtc() {
  cuda::Nvrtc n;
  n.path = "the host's compiler";
  n.major = 13;
  n.error_string = [](nvrtcResult) { return "emulated"; };
  n.create = [](nvrtcProgram* program, const char* source, const char*, int count,
                const char* const* contents, const char* const* names) {
    auto* compilation = new Compilation{source, {}, {}, {}};
    for (int i = 0; i < count; ++i) compilation->headers[names[i]] = contents[i];
    *program = reinterpret_cast<nvrtcProgram>(compilation);
    return NVRTC_SUCCESS;
  };
  n.destroy = [](nvrtcProgram* program) {
    delete &of(*program);
    return NVRTC_SUCCESS;
  };
  n.compile = compile;
  n.log_size = [](nvrtcProgram program, std::size_t* size) {
    *size = of(program).log.size() + 1;
    return NVRTC_SUCCESS;
  };
  n.log = [](nvrtcProgram program, char* text) {
    of(program).log.copy(text, of(program).log.size());
    text[of(program).log.size()] = '\0';
    return NVRTC_SUCCESS;
  };
  n.cubin_size = [](nvrtcProgram program, std::size_t* size) {
    *size = of(program).library.size() + 1;
    return NVRTC_SUCCESS;
  };
  n.cubin = [](nvrtcProgram program, char* bytes) {
    of(program).library.copy(bytes, of(program).library.size());
    bytes[of(program).library.size()] = '\0';
    return NVRTC_SUCCESS;
  };
  return n;
}

}  // namespace fib::emulation
