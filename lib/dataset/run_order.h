#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fib::dataset {

// The runs of one dataset or of several in the order in which they began. A run began when its record says;
// without one (it was killed), or where that time cannot be read, when its first trace was made. Ids say
// nothing about time: anybody can write them. Runs without any readable time come first; ids decide between
// runs that began together. One thread at a time.
class RunOrder {
 public:
  // Times are in ISO 8601. Of several records of a run the earliest start counts.
  void add_record(const std::string& run_id, const std::string& started_utc);
  void add_trace(const std::string& run_id, const std::string& timestamp);

  // Oldest first.
  [[nodiscard]] std::vector<std::string> ids() const;

 private:
  struct Times {
    std::optional<std::int64_t> recorded;  // microseconds since 1970
    std::optional<std::int64_t> traced;
  };

  std::map<std::string, Times> runs_;
};

// Which of these runs, in the order of RunOrder, a word of the command line names: "last", "last~N" for the
// Nth before it, a baseline (`baselines`: name -> run, see baselines.h), a whole id, or the beginning of
// exactly one; nothing when no id begins so. Throws Error when there are fewer runs than N asks for, the
// baseline's run is none of them, or several ids begin so.
[[nodiscard]] std::optional<std::string> find_run(const std::vector<std::string>& ids,
                                                  const std::string& word,
                                                  const std::map<std::string, std::string>& baselines = {});

}  // namespace fib::dataset
