#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/disassembly.h"
#include "commands.h"
#include "devices.h"
#include "environment.h"
#include "eval_inputs.h"
#include "interrupt.h"
#include "logging.h"
#include "measure_options.h"
#include "present/document.h"
#include "present/text.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct DisasmOptions {
  EvalWords words;
  std::vector<std::string> devices;
  MeasureOptions measure;
  bool ptx = false;
};

present::Table table_of(const std::vector<bench::KernelResources>& kernels) {
  present::Table table{
      {present::text_column("Kernel", "kernel"), present::number_column("Registers", "registers"),
       present::number_column("Stack (bytes)", "stack_bytes"),
       present::number_column("Shared (bytes)", "shared_bytes")},
      {}};
  for (const auto& kernel : kernels) {
    table.rows.push_back({present::text_cell(kernel.kernel), present::count_cell(kernel.registers),
                          present::count_cell(kernel.stack_bytes), present::count_cell(kernel.shared_bytes)});
  }
  return table;
}

// Control characters of names in the code do not reach a terminal.
std::string harmless(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    std::replace(line.begin(), line.end(), '\t', ' ');
    result += present::printable(line) + "\n";
    begin = end + 1;
  }
  return result;
}

int run(DisasmOptions options) {
  set_up_logging();
  const ChosenDevices devices = choose_devices(options.devices);
  const auto& device = devices.devices.front();
  options.measure.finish(device.kind);
  read_stdin(options.words);
  const EvalInputs inputs = read_eval_inputs(options.words, device.kind);
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  bench::Session session(environment_of({device}), interrupted);
  bool is_all_done = true;
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      const auto code = bench::disassemble(session, options.measure.config, solution,
                                           dataset.definitions.at(solution.definition),
                                           options.ptx ? bench::CodeForm::ptx : bench::CodeForm::native);
      present::Document document(present::Format::table, stdout_style());
      document.heading(present::printable(name));
      document.table("", table_of(code.kernels));
      if (!code.problem.empty()) document.paragraph("not done: " + code.problem);
      print_result(document.text() + "\n" + harmless(code.text));
      is_all_done = is_all_done && code.problem.empty();
    }
  }
  if (interrupted) return kInterrupted;
  return is_all_done ? kDone : kNotAllDone;
}

}  // namespace

void add_disasm(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DisasmOptions>();
  CLI::App* disasm =
      app.add_subcommand("disasm", "Print the machine code of solutions, with registers and spills");
  add_try_options(*disasm, options->words);
  disasm->add_option("--device", options->devices, "auto (a GPU, or the CPU), cpu, cuda, cuda:N")
      ->delimiter(',')
      ->group(kTryGroup);
  disasm->add_flag("--ptx", options->ptx, "PTX in place of the GPU's own code, where the build has it")
      ->group(kTryGroup);
  add_limits(*disasm, options->measure);
  add_log_level(*disasm, "info");
  disasm->footer(
      std::string(
          "Examples:\n"
          "  fib disasm my_norm.cu --definition rmsnorm_h4096 --local D\n"
          "  fib disasm my_norm.cpp --definition rmsnorm_h4096 --local D --device cpu | less\n"
          "By objdump on the CPU, by cuobjdump and nvdisasm of the CUDA toolkit on CUDA; places in sources\n"
          "stand between the instructions.\n") +
      kLocalDefault + "Exit codes: 0 done, 1 something has no code, 2 wrong usage, 130 interrupted.");
  disasm->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
