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
  std::string within;
  for (const Span* around = span.outer_; around != nullptr; around = around->outer_) within = around->what_;
  auto total = std::find_if(totals_.begin(), totals_.end(), [&](const Total& one) {
    return one.within == within && one.owner == span.owner_ && one.what == span.what_;
  });
  if (total == totals_.end()) total = totals_.insert(total, {within, span.owner_, span.what_});
  ++total->times;
  total->ns += ns;
  total->own_ns += ns - span.inner_ns_;
  if (span.outer_ != nullptr) span.outer_->inner_ns_ += ns;
  if (span.outer_ == nullptr) {
    open_.erase(std::this_thread::get_id());
  } else {
    open_[std::this_thread::get_id()] = span.outer_;
  }
  if (!path_.empty()) write(span, now);
}

void Timeline::write(const Span& span, std::int64_t end_ns) {
  const pid_t process = span.process_ == 0 ? ::getpid() : span.process_;
  if (named_.emplace(process, span.owner_).second) {
    file_ << line_of(
        {{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", span.owner_}}}});
  }
  ordered_json event = {{"name", span.what_},
                        {"ph", "X"},
                        {"ts", in_us(span.begin_ns_ - origin_ns_)},
                        {"dur", in_us(end_ns - span.begin_ns_)},
                        {"pid", process},
                        {"tid", span.process_ == 0 ? ::gettid() : process}};
  if (!span.detail_.empty()) event["args"] = {{"detail", span.detail_}};
  file_ << line_of(event);
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
