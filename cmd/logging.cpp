#include "logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "report/source_text.h"

namespace fib::cmd {
namespace {

// The message without what a terminal would obey: names and texts of a dataset are in it.
class HarmlessText : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = report::printable_lines({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<HarmlessText>();
  }
};

}  // namespace

void set_up_logging(const std::string& level) {
  const bool plain = std::getenv("NO_COLOR") != nullptr;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(plain ? spdlog::color_mode::never
                                                                          : spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("fib", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<HarmlessText>('*').set_pattern("[%H:%M:%S] %^%l%$: %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace fib::cmd
