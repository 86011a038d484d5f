#include <regex>

#include "cli/completion_script.h"
#include "command_tree.h"
#include "completion_scripts.h"
#include "man_footer.h"
#include "man_pages.h"
#include "roff.h"

// Trees of commands that the program does not have, with texts that shells and roff would take for their own.
using namespace fib;
using testing::run_process;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kHostile = R"(It's "50%" of $HOME `id` $(id) [a] {b}: c\d\n *?~^#;&|<>! \fB-x
.br
  'tis the end)";
constexpr const char* kHostileLine =
    R"(It's "50%" of $HOME `id` $(id) [a] {b}: c\d\n *?~^#;&|<>! \fB-x .br 'tis the end)";

struct Values {
  std::string word;
  std::string text;
  std::vector<std::string> files;
  bool flag = false;
};

// fib [-v] [--hidden X], fib do-it --mode {one,two} FILE..., fib do-it below, fib secret
void build(CLI::App& app, Values& values) {
  app.name("fib");
  app.description("All of it");
  app.add_flag("-v", values.flag, kHostile);
  app.add_option("--hidden", values.text, "Nobody sees this")->group("");
  CLI::App* command = app.add_subcommand("do-it", kHostile);
  CLI::Option* mode = command->add_option("-m,--mode", values.word, kHostile)
                          ->check(CLI::IsMember({"one", "two"}))
                          ->check([](const std::string&) { return ""; })
                          ->type_name("MODE")
                          ->group("A \"group\"");
  command->add_option("--text", values.text, "Free text")->excludes(mode)->required();
  command->add_option("files", values.files, kHostile)->type_name("FILE");
  command->footer(std::string("Notes: ") + kHostile + "\nExamples:\n  .br 'x' \\n ~ ^ ` -\n");
  command->add_subcommand("below", "Further down");
  app.add_subcommand("secret", "Not shown")->group("");
}

struct Tree {
  Tree() {
    build(app, values);
    root = cmd::describe(app);
  }
  CLI::App app;
  Values values;
  cmd::CommandInfo root;
};

// A text in a file whose name ends with `ending`.
class TextFile {
 public:
  TextFile(const std::string& text, const std::string& ending)
      : folder_(std::filesystem::temp_directory_path(), "fib-tree-test-"), path_(folder_.path() / ending) {
    util::write_file_atomic(path_, text);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  util::TemporaryFolder folder_;
  std::string path_;
};

}  // namespace

TEST_CASE("a tree of commands is described as help shows it") {
  const Tree tree;
  const auto commands = cmd::all_commands(tree.root);
  REQUIRE(commands.size() == 3);  // without the hidden one
  CHECK(cmd::joined_path(*commands[2]) == "fib do-it below");
  CHECK(tree.root.options.size() == 2);  // -h, -v
  CHECK(cmd::long_names(tree.root.options[1]) == Words{"-v"});
  const cmd::CommandInfo& command = *commands[1];
  REQUIRE(command.options.size() == 3);
  CHECK(command.groups == Words{"Options", "A \"group\""});
  const cmd::OptionInfo& mode = command.options[1];
  CHECK(mode.names == Words{"-m", "--mode"});
  CHECK(mode.words == Words{"one", "two"});
  CHECK(mode.value_name == "MODE");
  CHECK(mode.kind == cmd::ValueKind::words);
  CHECK(cmd::blocked_names(mode) == Words{"--text", "-m", "--mode"});
  CHECK(command.options[2].kind == cmd::ValueKind::text);
  CHECK(command.options[2].required);
  REQUIRE(command.positionals.size() == 1);
  CHECK(command.positionals[0].kind == cmd::ValueKind::file);
  CHECK(command.positionals[0].many_values);
  CHECK(cmd::one_line(kHostile) == kHostileLine);
}

TEST_CASE("scripts quote what shells would take for their own") {
  const Tree tree;
  const std::map<std::string, std::string> scripts = {{"bash", cmd::bash_completion(tree.root)},
                                                      {"zsh", cmd::zsh_completion(tree.root)},
                                                      {"fish", cmd::fish_completion(tree.root)}};
  for (const auto& [shell, text] : scripts) {
    CHECK(text.find("hidden") == std::string::npos);
    CHECK(text.find("secret") == std::string::npos);
    if (testing::skips_without(shell)) continue;
    const TextFile script(text, "script");
    const auto checked = run_process({shell, "-n", script.path()});
    CHECK(checked.err == "");
    CHECK(checked.exit_code == 0);
  }
  if (testing::skips_without("fish")) return;
  const TextFile script(scripts.at("fish"), "script");
  const auto offered =
      run_process({"fish", "--no-config", "-c", "source $argv[1]; complete -C 'fib do'", script.path()});
  CHECK(offered.err == "");
  CHECK(offered.out == std::string("do-it\t") + kHostileLine + "\n");
}

TEST_CASE("man pages show what roff would take for its own") {
  if (testing::skips_without("mandoc")) return;
  const Tree tree;
  const TextFile page(cmd::man_page(tree.root.children[0], tree.root), "fib-do-it.1");
  const auto lint = run_process({"mandoc", "-T", "lint", "-W", "warning", page.path()});
  for (const auto& line : testing::lines_of(lint.out))
    if (line.find("missing date") == std::string::npos) FAIL_CHECK(line);
  const std::string shown = run_process({"mandoc", "-T", "ascii", "-O", "width=200", page.path()}).out;
  const std::string plain =
      std::regex_replace(std::regex_replace(shown, std::regex(".\b"), ""), std::regex("\\s+"), " ");
  CHECK_THAT(plain, Catch::Contains(std::string("NAME fib-do-it - ") + kHostileLine));
  CHECK_THAT(plain, Catch::Contains(std::string("-m, --mode MODE ") + kHostileLine + ". One of: one, two."));
  CHECK_THAT(plain, Catch::Contains("A \"group\""));
  CHECK_THAT(plain, Catch::Contains("EXAMPLES .br 'x' \\n ~ ^ ` - SEE ALSO"));
  CHECK_THAT(plain, Catch::Contains("fib do-it [options] --text TEXT [files ...] command ..."));
  CHECK_THAT(plain, Catch::Contains("Free text. Required. Not with --mode, -m."));
}

TEST_CASE("the end of a help page is taken apart") {
  const cmd::Footer footer = cmd::parse_footer(
      "Checks: a, b.\n"
      "Exit codes: 0 done, with 2 files, 3 gate;\n1 not done, 130 interrupted.\n"
      "Examples:\n  fib x\n    more\n"
      "A file:\n  [table]\n\n  key = 1\nThe end.");
  using Codes = std::vector<std::pair<std::string, std::string>>;
  CHECK(footer.exit_status ==
        Codes{{"0", "done, with 2 files"}, {"1", "not done"}, {"3", "gate"}, {"130", "interrupted"}});
  CHECK(footer.examples == "  fib x\n    more\n");
  REQUIRE(footer.notes.size() == 3);
  CHECK(footer.notes[0].text == "Checks: a, b.\nA file:\n");
  CHECK_FALSE(footer.notes[0].preformatted);
  CHECK(footer.notes[1].text == "  [table]\n\n  key = 1\n");
  CHECK(footer.notes[1].preformatted);
  CHECK(footer.notes[2].text == "The end.\n");
  CHECK(cmd::parse_footer("").notes.empty());
  CHECK(cmd::roff::preformatted("  a\n    b\n\n  c\n") == ".nf\na\n  b\n\nc\n.fi\n");
}
