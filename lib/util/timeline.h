#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fib::util {

// What a program and its child processes did when: totals for a table and, where a file is wanted, every span
// of time as an event in Chrome's trace format (ui.perfetto.dev and chrome://tracing draw it). Safe to use
// from many threads.
class Timeline {
 public:
  class Span;

  // All spans of one owner and kind within the same outermost span.
  struct Total {
    std::string within;  // what the outermost span around them on their thread did; empty: there was none
    std::string owner;   // whose time it was: "the judge"
    std::string what;    // what it did: "compare"
    std::uint64_t times = 0;
    std::int64_t ns = 0;      // from begin to end, added up
    std::int64_t own_ns = 0;  // of that, outside of other spans of the same thread
  };

  // Without a file.
  Timeline();
  // Replaces the file. It can be read from the first event on, also where its end is missing. Throws Error.
  explicit Timeline(const std::filesystem::path& file);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Something that is no process (a GPU, named by `key`, any text) has worked for `ns` nanoseconds until now,
  // in so many pieces, while the calling thread waited: an event in a row of its own, and `times` of a total,
  // of which no span knows.
  void add_work(const std::string& key, std::string_view owner, std::string_view what, std::int64_t ns,
                std::uint64_t times);

  // Of the spans that have ended, and of such work, in the order in which the first of each ended.
  [[nodiscard]] std::vector<Total> totals() const;

  // Ends the file, if there is one. Throws Error where not all of it could be written.
  void finish();

 private:
  // One event of the file.
  struct Event {
    pid_t process = 0;
    pid_t thread = 0;
    std::string_view owner;
    std::string_view what;
    std::string_view detail;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };

  void begin(Span& span);
  void end(const Span& span);
  static std::string outermost(const Span* span);
  Total& total_of(const std::string& within, std::string_view owner, std::string_view what);
  void write(const Event& event);

  mutable std::mutex mutex_;
  std::map<std::thread::id, Span*> open_;  // the innermost of each thread
  std::vector<Total> totals_;
  std::int64_t origin_ns_;
  std::filesystem::path path_;  // empty: no file
  std::ofstream file_;
  std::set<std::pair<pid_t, std::string>> named_;  // rows of the file that have a name
  std::map<std::string, pid_t> rows_;              // of what is no process, by key
};

// A stretch of the calling thread's time, from here to the end of this object; spans of a thread end in
// reverse order. Does nothing without a timeline.
class Timeline::Span {
 public:
  // It is drawn in the row of `process`; with 0 in that of the calling thread. `detail` is for the file
  // alone.
  Span(Timeline* timeline, pid_t process, std::string_view owner, std::string_view what,
       std::string detail = {});
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // Draws it in the row of another process: one that has been started meanwhile.
  void draw_at(pid_t process) { process_ = process; }

 private:
  friend class Timeline;
  Timeline* timeline_;
  pid_t process_;
  std::string owner_;
  std::string what_;
  std::string detail_;
  Span* outer_ = nullptr;
  std::int64_t begin_ns_ = 0;
  std::int64_t inner_ns_ = 0;  // of the spans within
};

}  // namespace fib::util
