#include "json_error.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "report/result_json.h"
#include "report_common.h"
#include "util/utf8.h"

namespace fib::cmd {

int with_json_error(bool is_json, const std::string& list, const std::function<int()>& work) {
  try {
    return work();
  } catch (const CLI::ParseError&) {
    throw;
  } catch (const std::exception& error) {
    if (is_json) {
      print_result(report::indented_json({{"schema_version", 1},
                                          {"fib", FIB_VERSION},
                                          {list, nlohmann::ordered_json::array()},
                                          {"error", util::valid_utf8(error.what())}}) +
                   "\n");
    }
    throw;
  }
}

}  // namespace fib::cmd
