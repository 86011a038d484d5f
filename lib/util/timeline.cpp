#include "util/timeline.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "util/clock.h"
#include "util/error.h"

namespace fib::util {
namespace {

using nlohmann::ordered_json;

// Texts may come from a dataset and hold any bytes.
std::string line_of(const ordered_json& event) {
  return event.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + ",\n";
}

// Rows of what is no process have numbers that no process has (PID_MAX_LIMIT).
constexpr pid_t kFirstRow = (1 << 22) + 1;

// Microseconds, Chrome's unit.
double in_us(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

}  // namespace

Timeline::Timeline() : origin_ns_(monotonic_ns()) {}

Timeline::Timeline(const std::filesystem::path& file)
    : origin_ns_(monotonic_ns()), path_(file), file_(file, std::ios::trunc) {
  file_ << "[\n" << std::flush;
  if (!file_) throw Error("cannot write {}", file.string());
}

std::vector<Timeline::Total> Timeline::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

// The list's last element, so that every event before it may end with a comma.
void Timeline::finish() {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return;
  file_ << R"({"name": "end", "ph": "i", "s": "g", "ts": )" << in_us(monotonic_ns() - origin_ns_)
        << R"(, "pid": )" << ::getpid() << R"(, "tid": )" << ::gettid() << "}\n]\n";
  file_.close();
  if (!file_) throw Error("cannot write all of {}", path_.string());
}

void Timeline::begin(Span& span) {
  const std::lock_guard lock(mutex_);
  auto& innermost = open_[std::this_thread::get_id()];
  span.outer_ = innermost;
  innermost = &span;
  span.begin_ns_ = monotonic_ns();
}

void Timeline::end(const Span& span) {
  const std::int64_t now = monotonic_ns();
  const std::int64_t ns = now - span.begin_ns_;
  const std::lock_guard lock(mutex_);
  Total& total = total_of(outermost(span.outer_), span.owner_, span.what_);
  ++total.times;
  total.ns += ns;
  total.own_ns += ns - span.inner_ns_;
  if (span.outer_ != nullptr) span.outer_->inner_ns_ += ns;
  if (span.outer_ == nullptr) {
    open_.erase(std::this_thread::get_id());
  } else {
    open_[std::this_thread::get_id()] = span.outer_;
  }
  const bool is_own = span.process_ == 0;
  write({is_own ? ::getpid() : span.process_, is_own ? ::gettid() : span.process_, span.owner_, span.what_,
         span.detail_, span.begin_ns_, now});
}

void Timeline::add_work(const std::string& key, std::string_view owner, std::string_view what,
                        std::int64_t ns, std::uint64_t times) {
  const std::int64_t now = monotonic_ns();
  const std::lock_guard lock(mutex_);
  const auto open = open_.find(std::this_thread::get_id());
  Total& total = total_of(open == open_.end() ? std::string() : outermost(open->second), owner, what);
  total.times += times;
  total.ns += ns;
  const pid_t row = rows_.emplace(key, kFirstRow + static_cast<pid_t>(rows_.size())).first->second;
  write({row, row, owner, what, {}, now - ns, now});
}

// What the outermost span does, from an inner one or none.
std::string Timeline::outermost(const Span* span) {
  std::string what;
  for (; span != nullptr; span = span->outer_) what = span->what_;
  return what;
}

Timeline::Total& Timeline::total_of(const std::string& within, std::string_view owner,
                                    std::string_view what) {
  const auto total = std::find_if(totals_.begin(), totals_.end(), [&](const Total& one) {
    return one.within == within && one.owner == owner && one.what == what;
  });
  if (total != totals_.end()) return *total;
  return totals_.emplace_back(Total{within, std::string(owner), std::string(what)});
}

void Timeline::write(const Event& event) {
  if (path_.empty()) return;
  if (named_.emplace(event.process, event.owner).second) {
    file_ << line_of(
        {{"name", "process_name"}, {"ph", "M"}, {"pid", event.process}, {"args", {{"name", event.owner}}}});
  }
  ordered_json line = {{"name", event.what},
                       {"ph", "X"},
                       {"ts", in_us(event.begin_ns - origin_ns_)},
                       {"dur", in_us(event.end_ns - event.begin_ns)},
                       {"pid", event.process},
                       {"tid", event.thread}};
  if (!event.detail.empty()) line["args"] = {{"detail", event.detail}};
  file_ << line_of(line);
}

Timeline::Span::Span(Timeline* timeline, pid_t process, std::string_view owner, std::string_view what,
                     std::string detail)
    : timeline_(timeline), process_(process) {
  if (timeline_ == nullptr) return;
  owner_ = owner;
  what_ = what;
  detail_ = std::move(detail);
  timeline_->begin(*this);
}

Timeline::Span::~Span() {
  if (timeline_ != nullptr) timeline_->end(*this);
}

}  // namespace fib::util
