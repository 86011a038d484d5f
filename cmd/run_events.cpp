#include "run_events.h"

#include <cstdio>

#include "model/trace.h"
#include "report/result_json.h"
#include "report/run_results.h"
#include "run_results.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/utf8.h"

namespace fib::cmd {
namespace {

using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

ordered_json names_of(const bench::PlannedEvaluation& planned) {
  return {{"definition", planned.definition->name},
          {"solution", planned.solution->name},
          {"workload", planned.workload->uuid},
          {"sweep", planned.sweep}};
}

ordered_json with_reasons(const std::vector<bench::SkippedSolution>& solutions) {
  ordered_json all = ordered_json::array();
  for (const auto& one : solutions) {
    all.push_back({{"solution", one.solution}});
    all.back().update(model::json_of(one.obstacle));
  }
  return all;
}

void add_progress(ordered_json& members, std::size_t done, std::size_t total) {
  members["done"] = done;
  members["total"] = total;
}

}  // namespace

void RunEvents::put(const char* event, const ordered_json& members) {
  ordered_json object = {{"event", event}, {"time", util::utc_timestamp()}};
  object.update(members);
  const std::string line = report::json_line(object) + "\n";
  const std::lock_guard lock(mutex_);
  const bool is_written = std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
  if (std::fflush(stdout) != 0 || !is_written) is_broken_ = true;
}

void RunEvents::expect_written() const {
  if (is_broken_) throw Error("cannot write events to stdout: is the disk full?");
}

void RunEvents::began(const bench::Plan& plan, const std::vector<bench::LaneDevice>& devices,
                      double plan_ms) {
  ordered_json names = ordered_json::array();
  for (const auto& device : devices) names.push_back(device.name);
  put("run_began", {{"schema_version", kSchemaVersion},
                    {"fib", FIB_VERSION},
                    {"devices", names},
                    {"plan_ms", plan_ms},
                    {"evaluations", plan.evaluations.size()},
                    {"resumed", plan.resumed},
                    {"skipped", with_reasons(plan.skipped)},
                    {"incomplete", with_reasons(plan.incomplete)}});
}

void RunEvents::planned(const bench::Plan& plan) {
  for (const auto& one : plan.evaluations) put("planned", names_of(one));
}

void RunEvents::ended(const bench::RunReport& report, const GateVerdict& verdict) {
  ordered_json not_done = ordered_json::array();
  for (const auto& missing : report.not_done) {
    not_done.push_back(names_of(missing.planned));
    not_done.back().update(model::json_of(missing.obstacle));
  }
  put("run_ended",
      {{"run_id", report.run_id.empty() ? ordered_json() : ordered_json(report.run_id)},
       {"finished", report.finished},
       {"passed", report.passed},
       {"not_done", not_done},
       {"not_begun", report.not_begun},
       {"interrupted", report.interrupted},
       {"ended_early", report.ended_early.empty() ? ordered_json() : ordered_json(report.ended_early)},
       {"gate", verdict.reasons},
       {"exit_code", static_cast<int>(verdict.exit_code)}});
}

void RunEvents::waiting_for_device(const std::string& device) {
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = waited_for_.insert(device).second;
  }
  if (is_news) put("waiting", {{"device", device}});
  next_.waiting_for_device(device);
}

void RunEvents::built(const model::Solution& solution, const bench::BuildOutcome& outcome, std::size_t done,
                      std::size_t total) {
  const auto obstacle = outcome.obstacle();
  const bool is_built = !obstacle && outcome.result.outcome == compile::BuildResult::Outcome::kBuilt;
  ordered_json members = {{"solution", solution.name},
                          {"outcome", is_built   ? "built"
                                      : obstacle ? "not_done"
                                                 : "failed"},
                          {"from_cache", is_built && outcome.result.from_cache},
                          {"code", nullptr},
                          {"reason", nullptr}};
  if (!is_built) {
    members["code"] = obstacle ? model::facts_of(obstacle->code).name : model::facts_of(outcome.code).name;
    members["reason"] =
        report::failure_reason(model::Status::COMPILE_ERROR, obstacle ? obstacle->why : outcome.result.log);
  }
  add_progress(members, done, total);
  put("built", members);
  next_.built(solution, outcome, done, total);
}

void RunEvents::evaluation_started(const bench::PlannedEvaluation& planned, std::size_t done,
                                   std::size_t total) {
  ordered_json members = names_of(planned);
  add_progress(members, done, total);
  put("evaluation_began", members);
  next_.evaluation_started(planned, done, total);
}

void RunEvents::evaluation_finished(const bench::PlannedEvaluation& planned,
                                    const model::Evaluation& evaluation, std::size_t done,
                                    std::size_t total) {
  ordered_json members = names_of(planned);
  members["hardware"] = evaluation.environment.hardware;
  members.update(report::result_json(bench::trace_of(planned, evaluation), *planned.definition));
  add_progress(members, done, total);
  put("evaluation_ended", members);
  next_.evaluation_finished(planned, evaluation, done, total);
}

void RunEvents::machine_is_busy(const util::MachineLoad& load) { warning(text_of(load)); }

void RunEvents::warning(const std::string& text) {
  put("warning", {{"text", util::valid_utf8(text)}});
  next_.warning(text);
}

}  // namespace fib::cmd
