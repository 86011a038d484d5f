#pragma once

#include <spdlog/spdlog.h>

#include <mutex>
#include <set>
#include <string>

#include "bench/run.h"
#include "util/clock.h"

namespace fib::cmd {

enum class ProgressLine { drawn, now_and_then, none };

// Progress on stderr: a line that is drawn anew, for terminals, or one when nothing was said for a while.
// What did not pass gets a line of its own that stays. Log lines (spdlog, stderr) go between.
class Progress : public bench::RunObserver {
 public:
  explicit Progress(ProgressLine line) : line_(line) {}
  ~Progress() override { clear(); }

  void waiting_for_device(const std::string& device) override;
  // Nothing: results come with cautions, of which this is one.
  void machine_is_busy(const util::MachineLoad& /*load*/) override {}
  void built(const model::Solution& solution, const bench::BuildOutcome& outcome, std::size_t done,
             std::size_t total) override;
  void evaluation_started(const bench::PlannedEvaluation& planned, std::size_t done,
                          std::size_t total) override;
  void evaluation_finished(const bench::PlannedEvaluation& planned, const model::Evaluation& evaluation,
                           std::size_t done, std::size_t total) override;
  void warning(const std::string& text) override;

  // Takes the drawn line away.
  void clear();

  // The same for what is no evaluation: `doing` is what begins now.
  void step(const std::string& doing, std::size_t done, std::size_t total);

 protected:
  // A log line that stays.
  void log(spdlog::level::level_enum level, const std::string& text);

 private:
  void show(const std::string& line, bool last);
  [[nodiscard]] std::string time_left(std::size_t done, std::size_t total) const;

  std::mutex mutex_;
  ProgressLine line_;
  bool drawn_ = false;
  bool waiting_ = false;
  std::int64_t shown_ns_ = 0;
  std::int64_t first_ns_ = 0;  // when the first evaluation started
  std::size_t first_done_ = 0;
  std::set<std::string> unbuilt_;  // solutions that failed to build
};

// Drawn where stderr is a terminal.
[[nodiscard]] ProgressLine usual_progress();

}  // namespace fib::cmd
