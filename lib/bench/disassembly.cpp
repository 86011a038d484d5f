#include "bench/disassembly.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "bench/jit_cache.h"
#include "bench/sanitizers.h"
#include "bench/single_build.h"
#include "compile/builder.h"
#include "sandbox/confined_step.h"
#include "util/command.h"
#include "util/files.h"
#include "worker/packed_folder.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kDisassemblerLimitS = 120;
constexpr const char* kCode = "code";                      // the file in the disassembler's folder
constexpr const char* kJit = "jit";                        // what just-in-time compilers made, and its folder
constexpr std::string_view kText = "\nfib disassembly\n";  // between resources and text

ProbeTool flags_for(model::DeviceKind device) {
  ProbeTool tool;
  tool.cflags = {"-g"};
  if (device == model::DeviceKind::cuda) tool.cuda_cflags = {"-lineinfo"};
  return tool;
}

std::string output_of(const std::vector<std::string>& words) {
  return util::run_command(words, fs::current_path(), {}, {kDisassemblerLimitS, nullptr}).output;
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& suffix) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == suffix) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Of what just-in-time compilers have made, in the file "code".
std::string disassembled_jit(const std::string& form, const std::string& cuobjdump,
                             const std::string& nvdisasm) {
  const fs::path folder = fs::current_path() / kJit;
  worker::unpack_folder(util::read_file(kCode), folder);
  const auto cubins = files_of(folder, ".cubin");
  std::string text;
  for (const fs::path& cubin : cubins) text += output_of({cuobjdump, "-res-usage", cubin.string()});
  text += kText;
  if (form == "ptx") {
    for (const fs::path& ptx : files_of(folder, ".ptx")) text += util::read_file(ptx);
    return text;
  }
  for (const fs::path& cubin : cubins) text += output_of({nvdisasm, "-g", "-c", cubin.string()});
  return text;
}

// Of the file "code" in the current folder: `what` is host, cubin, library or jit, `form` native or ptx.
std::string disassembled(const std::string& what, const std::string& form, const std::string& cuobjdump,
                         const std::string& nvdisasm) {
  if (what == "host")
    return std::string(kText) +
           output_of({"objdump", "-d", "-C", "-l", "-j", ".text", "--no-show-raw-insn", kCode});
  if (what == kJit) return disassembled_jit(form, cuobjdump, nvdisasm);
  std::string text = output_of({cuobjdump, "-res-usage", kCode}) + std::string(kText);
  if (form == "ptx") return text + output_of({cuobjdump, "-ptx", kCode});
  if (what == "cubin") return text + output_of({nvdisasm, "-g", "-c", kCode});
  (void)output_of({cuobjdump, "--extract-elf", "all", kCode});
  for (const fs::path& cubin : files_of(fs::current_path(), ".cubin"))
    text += output_of({nvdisasm, "-g", "-c", cubin.string()});
  return text;
}

std::uint64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::uint64_t number = 0;
  if (at != std::string_view::npos)
    (void)std::from_chars(line.data() + at + key.size(), line.data() + line.size(), number);
  return number;
}

// The form that is wanted, and the programs of the CUDA toolkit that give it.
struct Wanted {
  CodeForm form = CodeForm::native;
  std::string cuobjdump;
  std::string nvdisasm;
};

// Of the file "code" in the folder.
Disassembly disassembly_in(const Session& session, const fs::path& folder, const char* what,
                           const Wanted& wanted) {
  const auto done =
      util::run_command({session.environment().program, "__disasm", what,
                         wanted.form == CodeForm::ptx ? "ptx" : "native", wanted.cuobjdump, wanted.nvdisasm},
                        folder, {}, {2 * kDisassemblerLimitS, &session.interrupted()});
  const std::size_t split = done.output.find(kText);
  if (!done.succeeded() || split == std::string::npos)
    return {{}, "", "cannot disassemble it: " + done.output};
  Disassembly disassembly{resources_of(done.output.substr(0, split)),
                          done.output.substr(split + kText.size()), ""};
  if (disassembly.text.empty()) disassembly.problem = "there is no code in this form";
  return disassembly;
}

// What was compiled when the solution ran.
Disassembly disassemble_jit(Session& session, const RunConfig& config, const model::Solution& solution,
                            const Wanted& wanted) {
  constexpr const char* kNothing =
      "the code of Python solutions is made when they run: it is there after an evaluation has passed, if "
      "Triton or torch.compile made some";
  const Environment& environment = session.environment();
  if (!environment.is_cuda()) return {{}, "", "on the CPU Python solutions have no code of their own"};
  const std::string files =
      JitCache(environment.cache).find(jit_key(solution, environment.devices.front().architecture));
  if (files.empty()) return {{}, "", kNothing};
  session.begin(config);
  const util::TemporaryFolder folder(session.temporary(), "disasm-");
  util::write_file_atomic(folder.path() / kCode, files);
  auto disassembly = disassembly_in(session, folder.path(), kJit, wanted);
  if (disassembly.text.empty() && disassembly.kernels.empty()) disassembly.problem = kNothing;
  return disassembly;
}

}  // namespace

Disassembly disassemble(Session& session, const RunConfig& config, const model::Solution& solution,
                        const model::Definition& definition, CodeForm form) {
  const Environment& environment = session.environment();
  if (form == CodeForm::ptx && !environment.is_cuda())
    return {{}, "", "there is PTX of CUDA solutions alone"};
  std::string cuobjdump;
  std::string nvdisasm;
  if (environment.is_cuda()) {
    cuobjdump = find_cuda_tool("cuobjdump");
    nvdisasm = find_cuda_tool("nvdisasm");
    if (cuobjdump.empty() || nvdisasm.empty())
      return {
          {}, "", "cuobjdump and nvdisasm are not here: they come with the CUDA toolkit (PATH, CUDA_HOME)"};
  }
  if (compile::needs_python(solution))
    return disassemble_jit(session, config, solution, {form, cuobjdump, nvdisasm});
  const model::Solution wanted = for_tool(solution, flags_for(environment.kind()));
  session.begin(config);
  const BuildOutcome build = build_single(session, config, wanted, definition);
  if (!build.error.empty()) return {{}, "", build.error};
  if (build.result.outcome != compile::BuildResult::Outcome::kBuilt) return {{}, "", build.result.log};
  const util::TemporaryFolder folder(session.temporary(), "disasm-");
  fs::copy_file(build.result.artifact.file, folder.path() / kCode);
  const bool is_cubin = build.result.artifact.kind == compile::Artifact::Kind::kKernels;
  const char* what = !environment.is_cuda() ? "host" : is_cubin ? "cubin" : "library";
  return disassembly_in(session, folder.path(), what, {form, cuobjdump, nvdisasm});
}

int run_disassembler(const std::vector<std::string>& words) {
  try {
    if (words.size() != 4) throw Error("the disassembler was not asked by fib");
    sandbox::FileAccess access;
    for (const std::string& program : {std::string("objdump"), words[2], words[3]}) {
      if (program.empty()) continue;
      const auto folders = sandbox::folders_of_program(program);
      access.readable.insert(access.readable.end(), folders.begin(), folders.end());
    }
    const fs::path work = fs::current_path();
    const std::string text = sandbox::run_confined(access, work, {}, [&] {
      fs::current_path(work);
      return disassembled(words[0], words[1], words[2], words[3]);
    });
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fputs(error.what(), stdout);
    return 1;
  }
}

std::vector<KernelResources> resources_of(std::string_view output) {
  constexpr std::string_view kFunction = "Function ";
  std::vector<KernelResources> kernels;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t function = line.find(kFunction);
    if (function != std::string_view::npos && line.ends_with(':')) {
      const std::string_view name = line.substr(function + kFunction.size());
      kernels.push_back({std::string(name.substr(0, name.size() - 1)), 0, 0, 0});
    } else if (!kernels.empty() && line.find("REG:") != std::string_view::npos) {
      kernels.back().registers = number_after(line, "REG:");
      kernels.back().stack_bytes = number_after(line, "STACK:");
      kernels.back().shared_bytes = number_after(line, "SHARED:");
    }
  }
  return kernels;
}

}  // namespace fib::bench
