#include "dataset/run_order.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "util/clock.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

void keep_earliest(std::optional<std::int64_t>& kept, const std::string& text) {
  const auto time = util::parse_past_timestamp(text);
  if (time && (!kept || *time < *kept)) kept = time;
}

// "last" is 0, "last~2" is 2.
std::optional<std::size_t> runs_before_last(const std::string& word) {
  if (word == "last") return 0;
  constexpr std::string_view kBefore = "last~";
  if (!word.starts_with(kBefore)) return std::nullopt;
  std::size_t count = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + kBefore.size(), end, count);
  if (error != std::errc() || stop != end) return std::nullopt;
  return count;
}

}  // namespace

void RunOrder::add_record(const std::string& run_id, const std::string& started_utc) {
  keep_earliest(runs_[run_id].recorded, started_utc);
}

void RunOrder::add_trace(const std::string& run_id, const std::string& timestamp) {
  keep_earliest(runs_[run_id].traced, timestamp);
}

std::vector<std::string> RunOrder::ids() const {
  std::vector<std::pair<std::optional<std::int64_t>, std::string>> began;
  for (const auto& [id, times] : runs_)
    began.emplace_back(times.recorded ? times.recorded : times.traced, id);
  std::sort(began.begin(), began.end());  // nothing is less than every time
  std::vector<std::string> ids;
  for (auto& [time, id] : began) ids.push_back(std::move(id));
  return ids;
}

std::optional<std::string> find_run(const std::vector<std::string>& ids, const std::string& word,
                                    const std::map<std::string, std::string>& baselines) {
  if (const auto before = runs_before_last(word)) {
    if (*before >= ids.size())
      throw Error("{}: there {} {} run{} only", word, ids.size() == 1 ? "is" : "are", ids.size(),
                  ids.size() == 1 ? "" : "s");
    return ids[ids.size() - 1 - *before];
  }
  const auto is_run = [&](const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  if (const auto named = baselines.find(word); named != baselines.end()) {
    if (is_run(named->second)) return named->second;
    throw Error("the baseline {} is run {}, of which there is nothing here", word, named->second);
  }
  if (is_run(word)) return word;
  std::vector<std::string> found;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(found),
               [&](const std::string& id) { return id.starts_with(word); });
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) {
    const auto [first, last] = std::minmax_element(found.begin(), found.end());
    throw Error("the ids of {} runs begin with \"{}\", from {} to {}; write more of the id", found.size(),
                word, *first, *last);
  }
  return found.front();
}

}  // namespace fib::dataset
