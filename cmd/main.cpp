#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "artifact.h"
#include "bench/build_main.h"
#include "bench/disassembly.h"
#include "bench/solution_files.h"
#include "color.h"
#include "command_tree.h"
#include "commands.h"
#include "devices.h"
#include "help_formatter.h"
#include "man_pages.h"
#include "present/source_text.h"
#include "report_common.h"
#include "sandbox/tool_room.h"
#include "util/unique_fd.h"
#include "worker/judge_main.h"
#include "worker/keeper.h"
#include "worker/probe_main.h"
#include "worker/worker_main.h"
#include "wrong_usage.h"

namespace {

using namespace fib;

constexpr int kChildChannelFd = 3;

// Children are this program again, with a word in front that no user types; -1 when it is none of them.
int run_child(std::string_view command) {
  const auto channel = [] { return util::UniqueFd(kChildChannelFd); };
  if (command == "__keeper") return worker::run_keeper(channel());
  if (command == "__judge") return worker::run_judge(channel());
  if (command == "__worker") return worker::run_worker(channel());
  if (command == "__devices") return cmd::print_devices();
  if (command == "__sandbox") return bench::try_sandbox();
  if (command == "__build") return bench::run_build(channel());
  if (command == "__probe") return worker::run_probe(std::filesystem::current_path());
  return -1;
}

// The arguments in the order CLI11 wants them (last first). A seed is wiped from the process's own memory,
// where any process of this machine could read it (/proc/<pid>/cmdline): it tells all inputs of the run in
// advance.
std::vector<std::string> take_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--seed=")) std::fill(argv[i] + 7, argv[i] + word.size(), '*');
    if (word == "--seed" && i + 1 < argc) std::fill_n(argv[i + 1], std::string_view(argv[i + 1]).size(), '*');
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

constexpr const char* kEmptyValue = "the value is empty";

// The first word that ends with its only "=", as "--run=" does; nothing: there is none. CLI11 would take the
// next word for its value.
std::optional<std::string> word_without_value(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') + 1 == word.size())
      return std::string(word.substr(0, word.size() - 1));
  }
  return std::nullopt;
}

// An empty value is mostly a variable of a script that was never set: it means nothing but as flags.
void refuse_empty_values(CLI::App& app) {
  const auto problem = [](const std::string& value) { return std::string(value.empty() ? kEmptyValue : ""); };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0 && !option->check_lname("flags")) option->check(problem, "");
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

// All commands and options. Running one stores the exit code in `exit_code`, which outlives `app`.
void build_command_tree(CLI::App& app, int& exit_code) {
  app.name("fib");
  app.description(
      "fib benchmarks kernels: it compiles the solutions of a FlashInfer-Trace dataset, runs each in a "
      "process of\n"
      "its own, checks every output against the definition's reference, times it, and ranks what passed.");
  app.formatter(std::make_shared<cmd::HelpFormatter>(cmd::stdout_style().width));
  app.require_subcommand(1);
  app.set_version_flag("--version", cmd::version_text);
  app.footer(
      "Examples:\n"
      "  fib run --local dataset-examples             run everything that runs on this machine\n"
      "  fib report summary --local dataset-examples  who won\n"
      "  fib <command> --help                         all options of a command");
  cmd::add_run(app, exit_code);
  cmd::add_eval(app, exit_code);
  cmd::add_profile(app, exit_code);
  cmd::add_sanitize(app, exit_code);
  cmd::add_disasm(app, exit_code);
  cmd::add_new(app, exit_code);
  cmd::add_report(app, exit_code);
  cmd::add_visualize(app, exit_code);
  cmd::add_list(app, exit_code);
  cmd::add_history(app, exit_code);
  cmd::add_baseline(app, exit_code);
  cmd::add_merge(app, exit_code);
  cmd::add_export(app, exit_code);
  cmd::add_pack(app, exit_code);
  cmd::add_unpack(app, exit_code);
  cmd::add_validate(app, exit_code);
  cmd::add_apply(app, exit_code);
  cmd::add_config(app, exit_code);
  cmd::add_explain(app, exit_code);
  cmd::add_schema(app, exit_code);
  cmd::add_color(app);
  cmd::add_completion(app, exit_code);
  refuse_empty_values(app);
}

int refuse(const std::string& wrong) {
  std::fputs((present::quoted_lines(wrong) + "\nRun with --help for more information.\n").c_str(), stderr);
  return cmd::kWrongUsage;
}

int run_command_line(int argc, char** argv) {
  if (const auto word = word_without_value(argc, argv); word && *word != "--flags")
    return refuse(*word + ": " + kEmptyValue);
  CLI::App app;
  int exit_code = cmd::kDone;
  build_command_tree(app, exit_code);
  try {
    app.parse(take_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    // A word that is none is wrong too where help is asked for behind it: help would be that of another
    // command.
    std::string wrong = cmd::unknown_word(app);
    if (wrong.empty()) wrong = cmd::missing_or_unread(app, error);
    if (wrong.empty()) return app.exit(error) == 0 ? cmd::kDone : cmd::kWrongUsage;
    return refuse(wrong);
  }
  return exit_code;
}

// The hidden command "__man": the build calls it, since only the program knows its options.
int write_man_pages(const char* folder) {
  CLI::App app;
  int exit_code = cmd::kDone;
  build_command_tree(app, exit_code);
  cmd::write_man_pages(cmd::describe(app), folder);
  return exit_code;
}

// Closed ones would be given to the next files and sockets that are opened, and what is printed would go
// there.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

int tell(const std::string& error) {
  std::fputs(fmt::format("fib: {}\n", present::quoted_lines(error)).c_str(), stderr);
  return cmd::kNotAllDone;
}

// The error's own text names the function that failed.
std::string words_of(const std::filesystem::filesystem_error& error) {
  if (error.path1().empty()) return error.what();
  const std::string second = error.path2().empty() ? "" : ", " + error.path2().string();
  return fmt::format("{}{}: {}", error.path1().string(), second, error.code().message());
}

// The exit code of a command that has printed what it had to: it has not done its work where that is lost.
int printed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const int lost = tell(errno == EPIPE ? "cannot write to stdout: nobody reads it any more"
                                       : "cannot write to stdout: is the disk full?");
  return exit_code == cmd::kDone ? lost : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  try {
    if (argc == 2) {
      if (const int code = run_child(argv[1]); code >= 0) return code;
    }
    if (argc > 2 && argv[1] == std::string_view(sandbox::kToolCommand))
      return sandbox::run_in_room({argv + 2, argv + argc});
    if (argc == 6 && std::string_view(argv[1]) == "__disasm")
      return bench::run_disassembler(std::vector<std::string>(argv + 2, argv + argc));
    if (argc == 4 && std::string_view(argv[1]) == "__artifact") return cmd::build_artifact(argv[2], argv[3]);
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails, and is reported, like any other
    if (argc == 3 && std::string_view(argv[1]) == "__man") return write_man_pages(argv[2]);
    return printed(run_command_line(argc, argv));
  } catch (const std::filesystem::filesystem_error& error) {
    return tell(words_of(error));
  } catch (const std::exception& error) {
    return tell(error.what());
  }
}
