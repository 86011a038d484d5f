#include "pack/pack.h"

#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "pack/unpack.h"
#include "report_common.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

constexpr const char* kPackExitCodes =
    "Exit codes: 0 done; 1 something is missing, wrong or cannot be written; 2 wrong usage.\n";

struct PackOptions {
  std::string folder;
  std::string output = "-";
  pack::PackOptions pack;
};

int run(const PackOptions& options) {
  const std::string text = pack::pack_folder(options.folder, options.pack);
  if (options.output == "-") {
    print_result(text);
  } else {
    util::write_file_atomic(options.output, text);
  }
  return kDone;
}

struct UnpackOptions {
  std::string solution;
  std::string folder;
};

int run(const UnpackOptions& options) {
  const std::string text = util::read_file(options.solution);
  try {
    pack::write_unpacked(pack::unpacked(text), options.folder);
  } catch (const model::ParseError& error) {
    throw error.with_context(options.solution);
  }
  return kDone;
}

constexpr const char* kPackHelp =
    "A config.toml:\n"
    "  [solution]\n"
    "  name = \"my_gemm\"\n"
    "  definition = \"gemm_n128_k2048\"\n"
    "  author = \"me\"\n"
    "  [build]\n"
    "  language = \"cuda\"\n"
    "  entry_point = \"kernel.cu::run\"      # without file: the source that defines it\n"
    "Optional: description; target_hardware (default: [\"cuda\"], for cpp [\"cpu\"]), dependencies, "
    "binding,\n"
    "destination_passing_style, compile_options, launch, workspace as in the solution's spec; source_dir "
    "(default:\n"
    "solution/<language> where it exists, else FOLDER); files (default: all .py .cu .cuh .cpp .c .h .hpp .cc "
    ".cxx\n"
    "below source_dir, by path; hidden ones left out); json: a JSON object with what TOML cannot hold.\n"
    "Other tables are left alone.\n"
    "\n"
    "Examples:\n"
    "  fib pack my_gemm\n"
    "  fib pack my_gemm --output solutions/me/gemm/gemm_n128_k2048/my_gemm.json\n"
    "  fib pack my_gemm --name my_gemm_v2 --output my_gemm_v2.json\n";

constexpr const char* kUnpackHelp =
    "`fib pack FOLDER` gives the solution back: the same bytes when the file has the format's own form\n"
    "(two spaces a level, the format's order of keys, no final newline), and that form of it otherwise.\n"
    "\n"
    "Examples:\n"
    "  fib unpack my_gemm.json --output my_gemm\n";

}  // namespace

void add_pack(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* command = app.add_subcommand("pack", "Make a solution's JSON of a folder of sources");
  command->add_option("folder", options->folder, "A folder with a config.toml and sources")
      ->required()
      ->type_name("FOLDER");
  command->add_option("--output", options->output, "Where to write it; default and -: stdout")
      ->type_name("FILE");
  command->add_option("--name", options->pack.name, "The solution's name, in place of config.toml's");
  command->footer(std::string(kPackHelp) + kPackExitCodes);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

void add_unpack(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<UnpackOptions>();
  CLI::App* command = app.add_subcommand("unpack", "Make a folder of sources of a solution's JSON");
  command->add_option("solution", options->solution, "A solution's JSON file")->required()->type_name("FILE");
  command->add_option("--output", options->folder, "The folder, which must be new or empty")
      ->required()
      ->type_name("FOLDER");
  command->footer(std::string(kUnpackHelp) + kPackExitCodes);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
