#include <algorithm>

#include "cli/completion_script.h"

using namespace fib;
using testing::CompletionScript;
using testing::run_fib;
using testing::run_process;
using Words = std::vector<std::string>;

namespace {

// Calls the completion function as bash does, with the words behind the script, and prints what it offers.
// What readline is asked to do (compopt works nowhere else) is printed too.
constexpr const char* kAskBash = R"bash(
source "$1"
shift
compopt() { echo "compopt $*"; }
read -r _ _ function program <<< "$(complete -p fib)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$function" "$program" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
[[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
)bash";

class Bash {
 public:
  // What is offered for the last of the words.
  [[nodiscard]] Words offers(const Words& words) const {
    Words command{"bash", "--norc", "--noprofile", ask_, script_.file()};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = run_process(command);
    CHECK(result.err == "");
    return testing::lines_of(result.out);
  }

 private:
  CompletionScript script_{"bash"};
  std::string ask_ = script_.add("ask", kAskBash);
};

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("completion prints a script that its shell can read") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const CompletionScript script(shell);
    if (testing::skips_without(shell)) continue;
    const auto result = run_process({shell, "-n", script.file()});
    CHECK(result.err == "");
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("completion refuses other shells and says how to install the script") {
  const auto unknown = run_fib({"completion", "tcsh"}, "/");
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Catch::Contains("\"tcsh\" is none of bash, fish, zsh"));
  CHECK(unknown.out == "");
  CHECK(run_fib({"completion"}, "/").exit_code == 2);
  const std::string help = run_fib({"completion", "--help"}, "/").out;
  for (const char* place : {"/etc/bash_completion.d/fib", "~/.local/share/bash-completion/completions/fib",
                            "~/.zfunc/_fib", "~/.config/fish/completions/fib.fish"}) {
    CHECK_THAT(help, Catch::Contains(place));
  }
  const auto full = run_fib({"completion", "bash"}, "/", {}, "/dev/full");
  CHECK(full.exit_code == 1);
  CHECK(full.err == "fib: cannot write to stdout: is the disk full?\n");
}

TEST_CASE("bash completes commands at every level") {
  const Bash bash;
  CHECK(bash.offers({"fib", "re"}) == Words{"report"});
  CHECK(contains(bash.offers({"fib", ""}), "validate"));
  const Words reports = bash.offers({"fib", "report", ""});
  CHECK(contains(reports, "best"));
  CHECK(contains(reports, "summary"));
  CHECK(bash.offers({"fib", "report", "su"}) == Words{"summary"});
  for (const std::string& hidden : bash.offers({"fib", "__"})) FAIL_CHECK(hidden);
}

TEST_CASE("bash completes options that can still be given") {
  const Bash bash;
  CHECK(bash.offers({"fib", "report", "best", "--fo"}) == Words{"--format"});
  CHECK(bash.offers({"fib", "report", "best", "--format", "csv", "--fo"}).empty());
  CHECK(bash.offers({"fib", "report", "best", "--format", "=", "csv", "--fo"}).empty());
  CHECK(bash.offers({"fib", "merge", "--local", "a", "--loc"}) == Words{"--local"});  // may be repeated
  CHECK(bash.offers({"fib", "validate", "--dataset", "a", "--lo"}).empty());          // another name of it
  CHECK(bash.offers({"fib", "visualize", "--ht"}) == Words{"--html"});
  CHECK(bash.offers({"fib", "visualize", "--svg", "latency", "--ht"}).empty());  // excluded by it
  CHECK(contains(bash.offers({"fib", "report", "best", ""}), "--per-workload"));
}

TEST_CASE("bash completes the words of options and arguments") {
  const Bash bash;
  const Words formats{"csv", "json", "md", "table"};
  CHECK(bash.offers({"fib", "report", "best", "--format", ""}) == formats);
  CHECK(bash.offers({"fib", "report", "best", "--format", "="}) == formats);
  CHECK(bash.offers({"fib", "report", "best", "--format", "=", "j"}) == Words{"json"});
  CHECK(bash.offers({"fib", "run", "--clock", ""}) ==
        Words{"auto", "events", "event-segments", "cupti-kernel", "cupti-concurrent"});
  CHECK(bash.offers({"fib", "validate", "--outputs", "json,te"}) == Words{"json,text"});
  CHECK(bash.offers({"fib", "validate", "--outputs", "json", "te"}) == Words{"text"});
  CHECK(bash.offers({"fib", "list", "--local", "traces", "t"}) == Words{"traces"});  // --local took the first
  CHECK(contains(bash.offers({"fib", "list", "traces", ""}), "--authors"));          // one kind is all
  CHECK(contains(bash.offers({"fib", "list", "--authors", "a", ""}), "--op-types"));
  CHECK(bash.offers({"fib", "run", "--authors", ""}).empty());  // nothing is known about them
}

TEST_CASE("bash asks readline for folders and files") {
  const Bash bash;
  CHECK(bash.offers({"fib", "run", "--local", ""}) == Words{"compopt -o dirnames"});
  CHECK(bash.offers({"fib", "pack", ""}) == Words{"compopt -o dirnames"});
  CHECK(bash.offers({"fib", "unpack", "x"}) == Words{"compopt -o default"});
  CHECK(bash.offers({"fib", "export", "--output", ""}) == Words{"compopt -o default"});
  CHECK(bash.offers({"fib", "list", ">", ""}) == Words{"compopt -o default"});
}

TEST_CASE("bash offers every command and every long option of help") {
  const Bash bash;
  const auto pages = testing::help_pages();
  CHECK(pages.size() >= 13);
  for (const auto& page : pages) {
    INFO(page.name(" "));
    CHECK(page.options.size() >= (page.path.size() == 1 ? 2 : 1));
    Words words = page.path;
    words.emplace_back("--");
    Words offered = bash.offers(words);
    Words expected = page.options;
    std::sort(offered.begin(), offered.end());
    std::sort(expected.begin(), expected.end());
    CHECK(offered == expected);
    if (page.path.size() > 1) CHECK(contains(bash.offers(page.path), page.path.back()));
  }
}
