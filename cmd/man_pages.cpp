#include "man_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "man_footer.h"
#include "roff.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

constexpr const char* kProgramPurpose = "compile, run, check, time and rank GPU and CPU kernels";

std::string page_name(const CommandInfo& command) { return joined_path(command, "-"); }

std::string with_dot(const std::string& text) {
  return text.empty() || text.back() == '.' || text.back() == '\n' ? text : text + ".";
}

// "--local DIR", "[KIND]", "[FILE ...]"
std::string synopsis_of(const OptionInfo& option) {
  std::string text = option.positional
                         ? roff::italic(option.names.front())
                         : roff::bold(long_names(option).front()) + " " + roff::italic(option.value_name);
  if (option.repeatable) text += " ...";
  return option.required ? text : "[" + text + "]";
}

std::string synopsis(const CommandInfo& command) {
  std::string text = roff::bold(joined_path(command));
  if (!command.options.empty()) text += " [" + roff::italic("options") + "]";
  for (const OptionInfo& option : command.options) text += option.required ? " " + synopsis_of(option) : "";
  for (const OptionInfo& argument : command.positionals) text += " " + synopsis_of(argument);
  if (!command.children.empty()) text += " " + roff::italic("command") + " ...";
  return text + "\n";
}

std::string tag_of(const OptionInfo& option) {
  if (option.positional) return roff::italic(option.names.front());
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + roff::bold(name);
  if (option.kind != ValueKind::none) tag += " " + roff::italic(option.value_name);
  return option.many_values ? tag + " ..." : tag;
}

std::string body_of(const OptionInfo& option) {
  std::string text = with_dot(option.description);
  if (!option.words.empty()) text += fmt::format("\nOne of: {}.", fmt::join(option.words, ", "));
  if (!option.default_text.empty()) text += fmt::format("\nDefault: {}.", option.default_text);
  if (option.required) text += "\nRequired.";
  if (!option.excludes.empty()) text += fmt::format("\nNot with {}.", fmt::join(option.excludes, ", "));
  return roff::paragraph(text);
}

std::string options_section(const CommandInfo& command) {
  std::string text;
  for (const OptionInfo& argument : command.positionals)
    text += roff::item(tag_of(argument), body_of(argument));
  if (!text.empty()) text = roff::section("ARGUMENTS") + text;
  text += roff::section("OPTIONS");
  for (const std::string& group : command.groups) {
    if (group != "Options") text += roff::subsection(group);
    for (const OptionInfo& option : command.options) {
      if (option.group == group) text += roff::item(tag_of(option), body_of(option));
    }
  }
  return text;
}

std::string description_section(const CommandInfo& command, const Footer& footer) {
  std::string text = roff::section("DESCRIPTION") + roff::paragraph(with_dot(command.description));
  for (const FooterBlock& block : footer.notes) {
    text += ".PP\n";
    text += block.preformatted ? ".RS 4\n" + roff::preformatted(block.text) + ".RE\n"
                               : roff::paragraph(block.text);
  }
  return text;
}

std::string commands_section(const CommandInfo& command) {
  if (command.children.empty()) return "";
  std::string text = roff::section("COMMANDS");
  for (const CommandInfo& child : command.children)
    text += roff::item(roff::bold(page_name(child)) + "(1)", roff::paragraph(with_dot(child.description)));
  return text;
}

std::string footer_sections(const Footer& footer) {
  std::string text;
  if (!footer.exit_status.empty()) text += roff::section("EXIT STATUS");
  for (const auto& [code, meaning] : footer.exit_status)
    text += roff::item(roff::bold(code), roff::paragraph(meaning));
  if (!footer.examples.empty()) text += roff::section("EXAMPLES") + roff::preformatted(footer.examples);
  return text;
}

// Parents, children, and other children of the parents but the program's, which are many.
bool is_related(const CommandInfo& command, const CommandInfo& other) {
  const auto& a = command.path;
  const auto& b = other.path;
  if (a == b) return false;
  const auto common =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  return common == b.size() || (common == a.size() && b.size() == a.size() + 1) ||
         (common > 1 && common + 1 == a.size() && a.size() == b.size());
}

std::string see_also(const CommandInfo& command, const CommandInfo& root) {
  std::string text;
  for (const CommandInfo* other : all_commands(root)) {
    if (!is_related(command, *other)) continue;
    text += (text.empty() ? "" : ",\n") + roff::bold(page_name(*other)) + "(1)";
  }
  return text.empty() ? "" : roff::section("SEE ALSO") + text + "\n";
}

}  // namespace

std::string man_page(const CommandInfo& command, const CommandInfo& root) {
  const bool whole = command.path.size() == 1;
  const std::string name = page_name(command);
  const Footer footer = parse_footer(command.footer);
  std::string text =
      fmt::format(".TH \"{}\" 1 \"\" \"fib {}\" \"fib manual\"\n", roff::escaped(name), FIB_VERSION);
  text += roff::section("NAME") +
          fmt::format("{} \\- {}\n", roff::escaped(name),
                      roff::escaped(whole ? kProgramPurpose : one_line(command.description)));
  text += roff::section("SYNOPSIS") + synopsis(command) + description_section(command, footer);
  text += commands_section(command) + options_section(command);
  if (whole) text += program_sections();
  return text + footer_sections(footer) + see_also(command, root);
}

void write_man_pages(const CommandInfo& root, const std::filesystem::path& folder) {
  for (const CommandInfo* command : all_commands(root))
    util::write_file_atomic(folder / (page_name(*command) + ".1"), man_page(*command, root));
}

}  // namespace fib::cmd
