#include <algorithm>

#include "cli/completion_script.h"
#include "cli/terminal.h"

// fish and zsh, and all three as they are used: on a terminal, with the tabulator key.
using namespace fib;
using testing::CompletionScript;
using testing::run_process;
using testing::Terminal;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kReady = "ready> ";

// What fish offers for a line, "word<tab>description" each.
Words fish_offers(const CompletionScript& script, const std::string& line) {
  const auto result = run_process(
      {"fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script.file(), line});
  CHECK(result.err == "");
  return testing::lines_of(result.out);
}

Words without_descriptions(Words offers) {
  for (std::string& offer : offers) offer = offer.substr(0, offer.find('\t'));
  return offers;
}

// An interactive shell with the script, in the script's folder, where "fib" prints its words:
// ((run)(--local)).
class Shell {
 public:
  explicit Shell(const std::string& shell) : script_(shell), terminal_(words(shell), environment()) {
    INFO(shell);
    REQUIRE_THAT(terminal_.read_until(kReady), Catch::Contains(kReady));
  }

  // What is shown, once `last` is, after `keys` were typed on a new line.
  std::string show(const std::string& keys, const std::string& last) {
    terminal_.type(keys);
    return terminal_.read_until(last);
  }

  // The words that the program gets when `keys` are followed by the return key.
  std::string run(const std::string& keys) {
    const std::string shown = show(keys + "\r", "))");
    terminal_.read_until(kReady);
    const std::size_t begin = shown.find("((");
    return begin == std::string::npos ? shown : shown.substr(begin);
  }

 private:
  Words words(const std::string& shell) const {
    std::filesystem::create_directories(script_.folder() / "my data");
    const std::string prompt = std::string("PS1='") + kReady + "'\n";
    const std::string print = "fib() { printf '('; printf '(%s)' \"$@\"; printf ')\\n'; }\n";
    const std::string source = "source '" + script_.file() + "'\ncd '" + script_.folder().string() + "'\n";
    if (shell == "bash")
      return {"bash", "--noprofile", "--rcfile", script_.add("rc", prompt + print + source), "-i"};
    if (shell == "zsh") {
      static_cast<void>(script_.add(
          ".zshrc", "LISTMAX=1000\nautoload -Uz compinit\ncompinit -u -D\n" + prompt + print + source));
      return {"zsh", "-o", "NO_GLOBAL_RCS", "-i"};
    }
    const std::string commands = source + "function fish_prompt; printf '" + kReady + "'; end\n" +
                                 "function fib; printf '('; printf '(%s)' $argv; printf ')\\n'; end\n";
    return {"fish", "--no-config", "-i", "-C", commands};
  }

  Words environment() const {
    const std::string folder = script_.folder();
    return {"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "LC_ALL=C.UTF-8", "HOME=" + folder,
            "ZDOTDIR=" + folder};
  }

  CompletionScript script_;
  Terminal terminal_;
};

}  // namespace

TEST_CASE("fish completes commands, options and words") {
  if (testing::skips_without("fish")) return;
  const CompletionScript script("fish");
  CHECK(fish_offers(script, "fib re") == Words{"report\tRank and list what the traces of datasets say"});
  CHECK(without_descriptions(fish_offers(script, "fib report ")) ==
        Words{"best", "compare", "fast-p", "merge", "rank", "show", "sol", "summary", "visualize"});
  CHECK(fish_offers(script, "fib report best --fo") == Words{"--format\tForm of the output; default: table"});
  const Words formats{"csv", "json", "md", "table"};
  CHECK(without_descriptions(fish_offers(script, "fib report best --format ")) == formats);
  CHECK(fish_offers(script, "fib report best --format csv --fo").empty());
  CHECK(fish_offers(script, "fib report best --format=csv --fo").empty());
  CHECK(fish_offers(script, "fib visualize --svg latency --ht").empty());
  CHECK(without_descriptions(fish_offers(script, "fib merge --local a --loc")) == Words{"--local"});
  CHECK(without_descriptions(fish_offers(script, "fib list s")) == Words{"solutions"});
  CHECK(fish_offers(script, "fib list traces s").empty());
  CHECK(without_descriptions(fish_offers(script, "fib validate --outputs json,t")) == Words{"json,text"});
}

TEST_CASE("fish completes folders and files") {
  if (testing::skips_without("fish")) return;
  const CompletionScript script("fish");
  std::filesystem::create_directories(script.folder() / "data");
  static_cast<void>(script.add("data.json", "{}"));
  const std::string start = (script.folder() / "da").string();
  const std::string folder = start + "ta/";
  CHECK(without_descriptions(fish_offers(script, "fib run --local " + start)) == Words{folder});
  CHECK(without_descriptions(fish_offers(script, "fib pack " + start)) == Words{folder});
  Words files = without_descriptions(fish_offers(script, "fib unpack " + start));
  std::sort(files.begin(), files.end());
  CHECK(files == Words{start + "ta.json", folder});
}

TEST_CASE("fish offers every command and every long option of help") {
  if (testing::skips_without("fish")) return;
  const CompletionScript script("fish");
  for (const auto& page : testing::help_pages()) {
    Words offered = without_descriptions(fish_offers(script, page.name(" ") + " --"));
    Words expected = page.options;
    std::sort(offered.begin(), offered.end());
    std::sort(expected.begin(), expected.end());
    INFO(page.name(" "));
    CHECK(offered == expected);
    if (page.path.size() > 1)
      CHECK_THAT(without_descriptions(fish_offers(script, page.name(" "))),
                 Catch::VectorContains(page.path.back()));
  }
}

TEST_CASE("each shell completes a line that is typed") {
  for (const std::string name : {"bash", "zsh", "fish"}) {
    if (testing::skips_without(name)) continue;
    INFO(name);
    Shell shell(name);
    const std::string join = name == "zsh" ? "=" : ")(";  // zsh ends an option so
    CHECK(shell.run("fib rep\tbe\t--per\t") == "((report)(best)(--per-workload))");
    CHECK(shell.run("fib run --cl\tcupti-k\t--dry\t") ==
          "((run)(--clock" + join + "cupti-kernel)(--dry-run))");
    const std::string folder = name == "zsh" ? "my data" : "my data/";  // and takes such a slash back
    CHECK(shell.run("fib merge --output=x --loc\tm\t --on-conf\tren\t") ==
          "((merge)(--output=x)(--local" + join + folder + ")(--on-conflict" + join + "rename))");
    CHECK(shell.run("fib list --format=js\ttr\t") == "((list)(--format=json)(traces))");
    CHECK(shell.run("fib validate --outputs json,te\t") == "((validate)(--outputs)(json,text))");
    CHECK(shell.run("fib visualize --svg latency --ht\t") == "((visualize)(--svg)(latency)(--ht))");
  }
}

TEST_CASE("zsh shows descriptions and words") {
  if (testing::skips_without("zsh")) return;
  Shell shell("zsh");
  CHECK_THAT(shell.show("fib report \t", "summary"),
             Catch::Contains("best       -- The best solution of each definition"));
  const std::string options = shell.show("best --\tz\r", "))");
  CHECK_THAT(options, Catch::Contains("-- Form of the output; default: table"));
  const std::string words = shell.show("fib report summary --format \t", "table");
  for (const char* word : {"csv", "json", "md"}) CHECK_THAT(words, Catch::Contains(word));
}

TEST_CASE("zsh offers every command and every long option of help") {
  if (testing::skips_without("zsh")) return;
  Shell shell("zsh");
  for (const auto& page : testing::help_pages()) {
    INFO(page.name(" "));
    const std::string shown = shell.show(page.name(" ") + " --\tz\r", "))");
    for (const auto& option : page.options) CHECK_THAT(shown, Catch::Contains(option));
    CHECK_THAT(shown, !Catch::Contains("_arguments"));  // it names itself in errors
  }
}
