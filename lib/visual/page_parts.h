#pragma once

#include <map>
#include <string>

#include "visual/page.h"

// The sections of a page. All functions are pure.
namespace fib::visual {

// Logs of what failed, and the links to them.
class Logs {
 public:
  // The id of the log's place in the page; empty where the result passed. Equal logs of one solution, as of a
  // build that failed for all workloads, have one place.
  [[nodiscard]] std::string link(const report::Detail& detail);

  // All that were linked to: the end of each log, fewer lines where there are many.
  [[nodiscard]] std::string section() const;

 private:
  [[nodiscard]] std::vector<std::size_t> places_by_name() const;
  // A log, of at most so many bytes.
  [[nodiscard]] std::string one(std::size_t place, std::size_t most) const;

  std::map<std::string, std::size_t> places_;               // in `groups_`, by what is told
  std::vector<std::vector<const report::Detail*>> groups_;  // with one log each
};

[[nodiscard]] std::string definition_id(const std::string& hardware, const std::string& definition);
[[nodiscard]] std::string hardware_id(const std::string& hardware);

// The place of a solution's sources; empty where the dataset has none.
[[nodiscard]] std::string solution_id(const Scene& scene, const std::string& solution);

// Text for <pre>, where line breaks can stand as they are.
[[nodiscard]] std::string lines_of(const std::string& text);

// What a reader wants to know first of the hardware: a headline, key figures, who won, what failed and what
// changed.
[[nodiscard]] std::string overview(const Scene& scene, const HardwareScene& hardware, Logs& logs);

[[nodiscard]] std::string hardware_section(const Scene& scene, const HardwareScene& hardware, Logs& logs);
// The sources of the solutions that were tried, cut where they are long or many.
[[nodiscard]] std::string sources_section(const Scene& scene);
[[nodiscard]] std::string definition_section(const Scene& scene, const HardwareScene& hardware,
                                             const DefinitionScene& definition, Logs& logs);
[[nodiscard]] std::string history_section(const Scene& scene, const report::ConfigDefaults& defaults);
[[nodiscard]] std::string environment_section(const Scene& scene);

}  // namespace fib::visual
