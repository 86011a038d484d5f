#include <memory>
#include <string>

#include "command_tree.h"
#include "commands.h"
#include "completion_scripts.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

using Script = std::string (*)(const CommandInfo&);

constexpr const char* kHelp =
    "To try it: `source <(fib completion bash)`, the same in zsh (after compinit); in fish:\n"
    "`fib completion fish | source`. To have it in every new shell, for you or for all users:\n"
    "  bash  fib completion bash > ~/.local/share/bash-completion/completions/fib\n"
    "        fib completion bash > /etc/bash_completion.d/fib\n"
    "        (with the package bash-completion; without it, source the file in ~/.bashrc)\n"
    "  zsh   fib completion zsh > ~/.zfunc/_fib\n"
    "        fib completion zsh > /usr/local/share/zsh/site-functions/_fib\n"
    "        (the first with `fpath=(~/.zfunc $fpath)` before compinit in ~/.zshrc)\n"
    "  fish  fib completion fish > ~/.config/fish/completions/fib.fish\n"
    "        fib completion fish > /etc/fish/completions/fib.fish\n"
    "Make folders that are missing first (mkdir -p); write the file anew after an update of fib.\n"
    "Exit codes: 0 done, 1 the script could not be written, 2 wrong usage.";

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto script = std::make_shared<Script>(nullptr);
  CLI::App* completion = app.add_subcommand("completion", "Print a script that completes fib's command line");
  add_choice<Script>(*completion, "shell", *script, "The shell to print it for",
                     {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}})
      ->required()
      ->type_name("SHELL");
  completion->footer(kHelp);
  completion->callback([script, &app, &exit_code] {
    print_result((*script)(describe(app)));
    exit_code = kDone;
  });
}

}  // namespace fib::cmd
