#include "logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "color.h"
#include "present/source_text.h"

namespace fib::cmd {
namespace {

// The message without what a terminal would obey, or what would look like another message: names and texts of
// a dataset are in it.
class HarmlessText : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = present::quoted_lines({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<HarmlessText>();
  }
};

}  // namespace

void add_log_level(CLI::App& app, const std::string& usual) {
  app.add_option_function<std::string>(
         "--log-level",
         [](const std::string& level) {
           spdlog::set_level(spdlog::level::from_str(CLI::detail::to_lower(level)));
         },
         "Which messages go to stderr; default: " + usual)
      ->check(
          CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"}, CLI::ignore_case))
      ->type_name("LEVEL");
}

void set_up_logging() {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      wants_color(STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never);
  auto logger = std::make_shared<spdlog::logger>("fib", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<HarmlessText>('*').set_pattern("[%H:%M:%S] %^%l%$: %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(spdlog::get_level());
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace fib::cmd
