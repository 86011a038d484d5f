#include "json_error.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "report/result_json.h"
#include "report_common.h"
#include "util/utf8.h"

namespace fib::cmd {

namespace {

// What cannot be written is no reason to hide why there is nothing else.
void print_error(const std::string& list, const std::string& error) {
  try {
    print_result(report::indented_json({{"schema_version", 1},
                                        {"fib", FIB_VERSION},
                                        {list, nlohmann::ordered_json::array()},
                                        {"error", util::valid_utf8(error)}}) +
                 "\n");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the error itself is thrown on
  }
}

}  // namespace

int with_json_error(bool is_json, const std::string& list, const std::function<int()>& work) {
  try {
    return work();
  } catch (const CLI::ParseError&) {
    throw;
  } catch (const std::exception& error) {
    if (is_json) print_error(list, error.what());
    throw;
  }
}

}  // namespace fib::cmd
