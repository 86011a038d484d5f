#include "commands.h"
namespace fib::cmd {
void add_list(CLI::App&, int&) {}
}  // namespace fib::cmd
