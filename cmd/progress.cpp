#include "progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "present/text.h"
#include "report/run_results.h"

namespace fib::cmd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kQuietInterval = 10 * kSecond;  // between lines that do not go to a terminal

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

// A stderr that takes nothing (a full disk) is no reason to end a run.
void put(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string title(const bench::PlannedEvaluation& planned) {
  return present::printable(
      fmt::format("{} {}", planned.solution->name, planned.workload->uuid.substr(0, 8)));
}

}  // namespace

void Progress::show(const std::string& line, bool last) {
  if (line_ == ProgressLine::none) return;
  const std::int64_t now = util::monotonic_ns();
  if (line_ == ProgressLine::drawn) {
    const std::string fitted = line.substr(0, terminal_width() - 1);
    put("\r\x1b[K" + fitted);
    std::fflush(stderr);
    drawn_ = true;
  } else if (last || shown_ns_ == 0 || now - shown_ns_ >= kQuietInterval) {
    put(line + "\n");
    shown_ns_ = now;
  }
}

void Progress::clear() {
  if (!drawn_) return;
  put("\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string Progress::time_left(std::size_t done, std::size_t total) const {
  if (done <= first_done_ || first_ns_ == 0) return "";
  const auto spent = static_cast<double>(util::monotonic_ns() - first_ns_) / static_cast<double>(kSecond);
  const double left = spent / static_cast<double>(done - first_done_) * static_cast<double>(total - done);
  const auto seconds = std::lround(left);
  return fmt::format("{}:{:02} left, ", seconds / 60, seconds % 60);
}

void Progress::waiting_for_device(const std::string& device) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(waiting_, true) && line_ != ProgressLine::drawn) return;
  show(fmt::format("waiting for another fib run to release the device {}", device), true);
}

void Progress::built(const model::Solution& solution, const bench::BuildOutcome& outcome, std::size_t done,
                     std::size_t total) {
  const std::lock_guard lock(mutex_);
  using Outcome = compile::BuildResult::Outcome;
  const bool is_failed = !outcome.error.empty() || outcome.result.outcome == Outcome::kFailed;
  if (is_failed) {
    unbuilt_.insert(solution.name);
    clear();
    const auto& text = outcome.error.empty() ? outcome.result.log : outcome.error;
    spdlog::warn("{} does not build: {}", present::printable(solution.name),
                 report::failure_reason(model::Status::COMPILE_ERROR, text));
  }
  show(fmt::format("[{}/{}] {} {}", done, total, is_failed ? "failed to build" : "built",
                   present::printable(solution.name)),
       done == total);
}

void Progress::evaluation_started(const bench::PlannedEvaluation& planned, std::size_t done,
                                  std::size_t total) {
  const bool is_built = [&] {
    const std::lock_guard lock(mutex_);
    return !unbuilt_.contains(planned.solution->name);
  }();
  if (is_built) step("running " + title(planned), done, total);
}

void Progress::step(const std::string& doing, std::size_t done, std::size_t total) {
  const std::lock_guard lock(mutex_);
  if (first_ns_ == 0) {
    first_ns_ = util::monotonic_ns();
    first_done_ = done;
  }
  show(fmt::format("[{}/{}] {}{}", done, total, time_left(done, total), doing), false);
}

void Progress::evaluation_finished(const bench::PlannedEvaluation& planned,
                                   const model::Evaluation& evaluation, std::size_t /*done*/,
                                   std::size_t /*total*/) {
  const auto status = model::name_of(evaluation.status);
  if (evaluation.status == model::Status::PASSED) return;
  const bool is_known =
      evaluation.status == model::Status::COMPILE_ERROR;  // the build has been reported once
  log(is_known ? spdlog::level::debug : spdlog::level::warn,
      fmt::format("{}: {}: {}", title(planned), status,
                  report::failure_reason(evaluation.status, evaluation.log)));
}

void Progress::warning(const std::string& text) { log(spdlog::level::warn, text); }

void Progress::log(spdlog::level::level_enum level, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!spdlog::should_log(level)) return;
  clear();
  spdlog::log(level, "{}", text);
  shown_ns_ = util::monotonic_ns();
}

ProgressLine usual_progress() {
  return ::isatty(STDERR_FILENO) == 1 ? ProgressLine::drawn : ProgressLine::now_and_then;
}

}  // namespace fib::cmd
