#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "present/text.h"
#include "util/natural_order.h"
#include "util/shell_word.h"
#include "util/utf8.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

// All sources of a page together, so that it stays small enough to open at once.
constexpr std::size_t kAllSources = 512 * 1024;
constexpr std::size_t kShortestSource = 400;

std::string source_markup(const model::SourceFile& source, std::size_t most) {
  const bool is_cut = source.content.size() > most;
  return text_tag("p", present::printable(source.path)) +
         tag("pre", {},
             lines_of(std::string(util::beginning_of(source.content, most)) + (is_cut ? "…" : "")));
}

std::string solution_markup(const Scene& scene, const model::Solution& solution, std::size_t most) {
  std::string facts = fmt::format("{} by {}, for {}; entry point {}", solution.spec.language_text,
                                  solution.author, solution.definition, solution.spec.entry_point);
  if (solution.description && *solution.description) facts += ". " + **solution.description;
  std::string markup = text_tag("p", present::printable(facts));
  std::size_t all = 0;
  for (const auto& source : solution.sources) {
    markup += source_markup(source, most);
    all += source.content.size() > most ? 1 : 0;
  }
  if (all > 0)
    markup +=
        tag("p", {},
            "The whole of it: " + text_tag("code", present::printable("fib report show solution " +
                                                                      util::shell_word(solution.name))));
  return tag("details", {{"id", solution_id(scene, solution.name)}, {"class", "source"}},
             text_tag("summary", present::printable(solution.name)) + markup) +
         "\n";
}

}  // namespace

std::string solution_id(const Scene& scene, const std::string& solution) {
  return scene.dataset.solutions.contains(solution) ? "s-" + id_of(solution) : "";
}

std::string sources_section(const Scene& scene) {
  std::map<std::string, const model::Solution*> tried;  // in the order in which people count
  for (const auto& [definition, colours] : scene.colours) {
    for (const auto& [solution, colour] : colours) {
      const auto found = scene.dataset.solutions.find(solution);
      if (found != scene.dataset.solutions.end()) tried[util::natural_key(solution)] = &found->second;
    }
  }
  if (tried.empty()) return "";
  const std::size_t most = std::max(kShortestSource, kAllSources / tried.size());
  std::string text = "<h2>Solutions</h2>\n";
  for (const auto& [key, solution] : tried) text += solution_markup(scene, *solution, most);
  return tag("section", {{"id", "solutions"}}, text) + "\n";
}

}  // namespace fib::visual
