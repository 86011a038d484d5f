#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace fib::cmd {

// CLI11's help texts, with descriptions broken so that no line is wider than stdout. One thread at a time.
class HelpFormatter : public CLI::Formatter {
 public:
  // `width`: columns of a line; 0: no limit.
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;
  [[nodiscard]] std::string make_footer(const CLI::App* command) const override;

 private:
  // `text` in lines that fit behind the column of names.
  [[nodiscard]] std::string broken(const std::string& text) const;

  std::size_t width_;
};

}  // namespace fib::cmd
