#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "dataset/append.h"
#include "dataset/load.h"
#include "dataset/temporary_dataset.h"
#include "support/small_disk.h"
#include "util/error.h"
#include "util/file_lock.h"
#include "util/unique_fd.h"

using namespace fib;
namespace fs = std::filesystem;
using testing::TemporaryDataset;

namespace {

// Below the first folder on the way that is there.
dataset::AppendReport append(const fs::path& path, const std::vector<std::string>& lines,
                             std::chrono::milliseconds lock_limit = std::chrono::minutes(2)) {
  fs::path root = path.parent_path();
  while (!fs::exists(root)) root = root.parent_path();
  return dataset::append_lines(root, path, lines, lock_limit);
}

// Runs `child` in a process of its own; true when it returned true.
template <typename Child>
pid_t start(Child&& child) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    ::_exit(child() ? 0 : 1);
  } catch (...) {
    ::_exit(2);
  }
}

bool succeeded(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Whether the process has opened `path` for appending.
bool has_open(pid_t pid, const std::filesystem::path& path) {
  const std::filesystem::path folder = "/proc/" + std::to_string(pid);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) != path || error) continue;
    std::ifstream info(folder / "fdinfo" / entry.path().filename());
    std::string word;
    while (word != "flags:" && info >> word) continue;
    if (info >> word && (std::stoul(word, nullptr, 8) & O_APPEND) != 0) return true;
  }
  return false;
}

// A trace as fib writes it.
std::string record(const std::string& uuid, double latency, const std::string& extra = "") {
  return model::to_json(model::parse_trace(testing::trace_line("s", uuid, latency, "cpu", extra)));
}

std::string log_of(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& line : records) text += line + "\n";
  return text;
}

// A folder where syncing costs nothing, if there is one: for tests that append a thousand times.
fs::path in_memory() { return fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(); }

// A dataset whose one traces file holds the first `length` bytes of the records' log.
struct CutLog {
  TemporaryDataset dataset{in_memory()};
  fs::path path;
  std::vector<std::string> whole;  // the records that are there, with or without newline
  std::string torn;                // what follows them
  bool lacks_newline = false;      // of the last whole record

  CutLog(const std::vector<std::string>& records, std::size_t length) {
    dataset.write("definitions/op/d.json", testing::definition_text("d"));
    dataset.write("solutions/me/op/d/s.json", testing::solution_text("s", "me", "cpp"));
    path = dataset.write("traces/me/op/d.jsonl", log_of(records).substr(0, length));
    for (const std::string& line : records) {
      if (length < line.size()) {
        torn = line.substr(0, length);
        break;
      }
      whole.push_back(line);
      lacks_newline = length == line.size();
      if (lacks_newline) break;
      length -= line.size() + 1;
    }
  }

  // What a reader finds.
  [[nodiscard]] std::vector<std::string> loaded_traces() const {
    std::vector<std::string> lines;
    for (const auto& trace : testing::traces_of(dataset.root())) lines.push_back(model::to_json(trace));
    return lines;
  }
  [[nodiscard]] std::size_t loaded_errors() const { return dataset::load(dataset.root()).error_count(); }
};

std::ptrdiff_t count_files(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// Holds processes back until all are there.
class Gate {
 public:
  Gate() { REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
  ~Gate() { ::close(ends_[0]); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() const { ::close(ends_[1]); }
  void wait() const {  // in a child
    open();
    char none = 0;
    while (::read(ends_[0], &none, 1) < 0) continue;
  }

 private:
  std::array<int, 2> ends_{};
};

// The records of one append: one to three, of a few bytes to more than a page.
std::vector<std::string> batch_of(int writer, int index) {
  std::vector<std::string> lines;
  for (int i = 0; i <= index % 3; ++i) {
    const int size = (index * 7919 + writer * 104729 + i * 31) % 20011;
    const std::string text(static_cast<std::size_t>(size), static_cast<char>('a' + i));
    lines.push_back(fmt::format(R"({{"writer":{},"index":{},"text":"{}"}})", writer, index, text));
  }
  return lines;
}

std::size_t writer_of(std::string_view line) {
  constexpr std::string_view kHead = R"({"writer":)";
  REQUIRE(line.substr(0, kHead.size()) == kHead);
  return static_cast<std::size_t>(line.at(kHead.size()) - '0');
}

std::string error_of_append(const fs::path& path, const std::vector<std::string>& lines) {
  try {
    append(path, lines);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("appending creates folders and file and writes whole lines") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "traces" / "me" / "op" / "d.jsonl";
  const auto report = append(path, {R"({"a":1})", R"({"b":2})"});
  CHECK_FALSE(report.newline_added);
  CHECK_FALSE(report.torn_file);
  CHECK(util::read_file(path) == "{\"a\":1}\n{\"b\":2}\n");
  append(path, {R"({"c":3})"});
  CHECK(util::read_file(path) == "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
}

TEST_CASE("appending nothing creates and changes nothing") {
  const TemporaryDataset dataset;
  append(dataset.root() / "traces" / "d.jsonl", {});
  CHECK_FALSE(std::filesystem::exists(dataset.root() / "traces"));
  const auto path = dataset.write("d.jsonl", "{\"a\":1}");
  append(path, {});
  CHECK(util::read_file(path) == "{\"a\":1}");
}

TEST_CASE("whether a file can be appended to is known before") {
  const TemporaryDataset dataset;
  const auto& root = dataset.root();
  const auto expect = [&](const fs::path& path) { dataset::expect_appendable(root, path); };
  CHECK_NOTHROW(expect(root / "traces/a/b/new.jsonl"));
  CHECK_FALSE(std::filesystem::exists(root / "traces"));
  const auto path = dataset.write("traces/d.jsonl", "{}\n{\"torn");
  CHECK_NOTHROW(expect(path));
  CHECK(util::read_file(path) == "{}\n{\"torn");
  for (const char* target : {"d.jsonl", "nowhere"}) {
    std::filesystem::create_symlink(target, root / "traces/link.jsonl");
    CHECK_THROWS_WITH(expect(root / "traces/link.jsonl"), Catch::Contains("link.jsonl is a link"));
    std::filesystem::remove(root / "traces/link.jsonl");
  }
  const std::string is_link = "a folder on the way below " + root.string() + " is a link, or none";
  std::filesystem::create_directory_symlink("traces", root / "linked");
  for (const char* name : {"linked/d.jsonl", "linked/new.jsonl", "linked/a/new.jsonl", "traces/d.jsonl/x"})
    CHECK_THROWS_WITH(expect(root / name), Catch::Contains(is_link));
  std::filesystem::create_hard_link(path, root / "traces/other.jsonl");
  CHECK_THROWS_WITH(expect(path), Catch::Contains("has another name elsewhere"));
  std::filesystem::remove(root / "traces/other.jsonl");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);
  CHECK_THROWS_WITH(expect(path), Catch::Contains("its last line is longer than 64 MB"));
  // Somebody who may read the folder alone.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::chmod(root.c_str(), 0555);
    ::chmod((root / "traces").c_str(), 0555);
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    try {
      expect(root / "traces/new.jsonl");
    } catch (const std::exception& error) {
      const bool is_said = std::string(error.what()).find("Permission denied") != std::string::npos;
      ::_exit(is_said ? 0 : 3);
    }
    ::_exit(1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  std::filesystem::permissions(root, std::filesystem::perms::owner_all);
  std::filesystem::permissions(root / "traces", std::filesystem::perms::owner_all);
}

TEST_CASE("a record must be one line") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "d.jsonl";
  CHECK_THROWS_AS(append(path, {"{\n}"}), Error);
  CHECK_THROWS_AS(append(path, {""}), Error);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a log cut at any byte of its last two records keeps whole records and moves torn ones aside") {
  const std::vector<std::string> records = {
      record("w1", 1), record("w2", 2, R"(,"log":"}\n{\"b\":[1,{\"c\":\"\u00e9é}\"}]}")"), record("w3", 0)};
  for (std::size_t length = records[0].size() + 1; length <= log_of(records).size(); ++length) {
    INFO("cut at byte " << length);
    const CutLog log(records, length);
    CHECK(log.loaded_traces() == log.whole);
    CHECK(log.loaded_errors() == (log.torn.empty() ? 0 : 1));
    const std::string added = record("w4", 4);
    const auto report = append(log.path, {added});
    auto expected = log.whole;
    expected.push_back(added);
    CHECK(util::read_file(log.path) == log_of(expected));
    CHECK(log.loaded_traces() == expected);
    CHECK(log.loaded_errors() == 0);
    CHECK(report.newline_added == log.lacks_newline);
    CHECK(report.torn_bytes == log.torn.size());
    REQUIRE(report.torn_file.has_value() == !log.torn.empty());
    CHECK(count_files(log.path.parent_path()) == (report.torn_file ? 2 : 1));
    if (!report.torn_file) continue;
    CHECK(util::read_file(*report.torn_file) == log.torn);
    CHECK(report.torn_file->string().starts_with(log.path.string() + ".torn-"));
  }
}

TEST_CASE("a torn record longer than the read buffer moves aside whole") {
  const TemporaryDataset dataset;
  const std::string torn = "{\"log\":\"" + std::string(200'000, 'x');
  const auto path = dataset.write("d.jsonl", "{}\n" + torn);
  const auto report = append(path, {"{\"n\":1}"});
  REQUIRE(report.torn_file);
  CHECK(util::read_file(*report.torn_file) == torn);
  CHECK(util::read_file(path) == "{}\n{\"n\":1}\n");
}

// A file with a hole costs no disk.
TEST_CASE("a last line that is longer than any record is refused, not read back") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{}\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);
  CHECK_THROWS_WITH(append(path, {"{}"}), Catch::Contains("its last line is longer than 64 MB"));
  CHECK(std::filesystem::file_size(path) == std::uintmax_t{1} << 40U);
}

TEST_CASE("a file that is nothing but a torn record becomes empty before the append") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\"");
  append(path, {"{}"});
  CHECK(util::read_file(path) == "{}\n");
}

TEST_CASE("eight processes that append at the same time lose and mix nothing") {
  constexpr int kWriters = 8;
  constexpr int kBatches = 40;
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "traces" / "d.jsonl";
  std::vector<pid_t> children;
  Gate gate;
  for (int writer = 0; writer < kWriters; ++writer) {
    children.push_back(start([&] {
      gate.wait();
      for (int i = 0; i < kBatches; ++i) append(path, batch_of(writer, i));
      return true;
    }));
  }
  gate.open();
  for (const pid_t child : children) CHECK(succeeded(child));

  const std::string text = util::read_file(path);
  const auto lines = dataset::split_lines(text);
  std::array<int, kWriters>
      next{};  // each writer's next batch: its batches are in order, and each is in one piece
  for (std::size_t line = 0; line < lines.size();) {
    const auto writer = writer_of(lines[line].text);
    REQUIRE(writer < kWriters);
    for (const std::string& expected : batch_of(static_cast<int>(writer), next.at(writer)++)) {
      REQUIRE(line < lines.size());
      REQUIRE(lines[line].ended);
      REQUIRE(lines[line++].text == expected);
    }
  }
  for (const int batches : next) CHECK(batches == kBatches);
  CHECK(count_files(path.parent_path()) == 1);
}

TEST_CASE("a full disk: appending says so in one sentence, and the file is as it was") {
  testing::SmallDisk disk;
  const auto path = disk.root() / "traces" / "d.jsonl";
  fs::create_directory(path.parent_path());
  const std::string large = "{\"b\":\"" + std::string(9000, 'x') + "\"}";
  const std::string torn = large.substr(0, 8999);
  const std::string old =
      GENERATE_COPY(std::string("{\"a\":1}\n"), std::string("{\"a\":1}"), "{\"a\":1}\n" + torn);
  std::ofstream(path, std::ios::binary) << old;
  disk.fill();
  const std::string message = error_of_append(path, {large, large});
  const std::string new_message = error_of_append(disk.root() / "new" / "d.jsonl", {large, large});
  const std::string content = util::read_file(path);
  const auto files = count_files(path.parent_path());
  disk.make_room();
  CHECK_THAT(message, Catch::Contains(path.string()) && !Catch::Contains("\n"));
  CHECK_THAT(message, Catch::Contains("is the disk full?") || Catch::Contains(disk.word()));
  CHECK_THAT(new_message, Catch::Contains("is the disk full?") || Catch::Contains(disk.word()));
  CHECK(content == old);
  CHECK(files == 1);
  CHECK(append(path, {large}).torn_bytes == (old.size() > 9000 ? torn.size() : 0));
  CHECK(util::read_file(path) == "{\"a\":1}\n" + large + "\n");
  CHECK(append(disk.root() / "new" / "d.jsonl", {large}).torn_bytes == 0);
  CHECK(util::read_file(disk.root() / "new" / "d.jsonl") == large + "\n");
}

TEST_CASE("a write that the disk takes in part is undone and reported") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\":1}\n");
  const pid_t child = start([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      append(path, {"{\"b\":\"" + std::string(500, 'x') + "\"}"});
    } catch (const Error&) {
      return true;
    }
    return false;
  });
  CHECK(succeeded(child));
  CHECK(util::read_file(path) == "{\"a\":1}\n");
}

TEST_CASE("a file that is replaced while the writer waits for its lock is opened anew") {
  const TemporaryDataset dataset;
  const auto path = std::filesystem::canonical(dataset.write("d.jsonl", "{\"old\":1}\n"));
  const util::UniqueFd old(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  util::lock_for_writing(old.get(), path, std::chrono::milliseconds(0));
  const pid_t child = start([&] {
    ::close(old.get());
    append(path, {"{\"b\":1}"});
    return true;
  });
  while (!has_open(child, path)) ::usleep(1000);
  util::write_file_atomic(path, "{\"new\":1}\n");
  struct flock whole {};
  whole.l_type = F_UNLCK;
  REQUIRE(::fcntl(old.get(), F_OFD_SETLK, &whole) == 0);
  CHECK(succeeded(child));
  CHECK(util::read_file(path) == "{\"new\":1}\n{\"b\":1}\n");
}

TEST_CASE("locks of who can only read the file hold nobody up") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\":1}\n");
  const util::UniqueFd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(reader.get(), LOCK_EX) == 0);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  CHECK(::fcntl(reader.get(), F_OFD_SETLK, &whole) != 0);
  append(path, {"{\"b\":1}"}, std::chrono::milliseconds(0));
  CHECK(util::read_file(path) == "{\"a\":1}\n{\"b\":1}\n");
}

TEST_CASE("waiting for the lock ends, and says who holds it") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\":1}\n");
  const util::UniqueFd holder(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  util::lock_for_writing(holder.get(), path, std::chrono::milliseconds(0));
  CHECK_THROWS_WITH(append(path, {"{\"b\":1}"}, std::chrono::milliseconds(100)),
                    Catch::Contains(path.string() + " is locked by ") &&
                        Catch::Contains("process " + std::to_string(::getpid()) + " (test_dataset)") &&
                        Catch::Contains(" for more than 0.1 s"));
  CHECK(util::read_file(path) == "{\"a\":1}\n");
}

TEST_CASE("a folder in the file's place is an error that names it") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "d.jsonl";
  std::filesystem::create_directories(path);
  CHECK_THROWS_WITH(append(path, {"{}"}), Catch::Contains(path.string()));
}

TEST_CASE("a dataset's links and other names lead to no other file") {
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path() / "dataset";
  const fs::path victim = folder.path() / "victim";
  fs::create_directories(root / "traces/real");
  fs::create_directory(victim);
  const std::string torn = "a secret without a newline";
  util::write_file_atomic(victim / "file", torn);
  fs::create_symlink("../../../victim/file", root / "traces/real/link.jsonl");
  fs::create_symlink("../../../victim/new", root / "traces/real/dangling.jsonl");
  fs::create_directory_symlink("../../victim", root / "traces/author");
  fs::create_hard_link(victim / "file", root / "traces/real/hard.jsonl");
  fs::create_directory(root / "traces/real/folder.jsonl");
  REQUIRE(::mkfifo((root / "traces/real/pipe.jsonl").c_str(), 0600) == 0);
  const auto refusal = [&](const char* path) {
    try {
      dataset::append_lines(root, root / path, {"{}"});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("written");
  };
  CHECK(refusal("traces/real/link.jsonl") == (root / "traces/real/link.jsonl is a link").string());
  CHECK(refusal("traces/real/dangling.jsonl") == (root / "traces/real/dangling.jsonl is a link").string());
  CHECK(refusal("traces/author/file") == (root / "traces/author").string() + ": a folder on the way below " +
                                             root.string() + " is a link, or none");
  CHECK(refusal("traces/author/deeper/file").find("is a link, or none") != std::string::npos);
  CHECK(refusal("traces/real/hard.jsonl").find("has another name elsewhere") != std::string::npos);
  CHECK(refusal("traces/real/folder.jsonl") != "written");
  CHECK(refusal("traces/real/pipe.jsonl").find("is no regular file") != std::string::npos);
  CHECK_THROWS_AS(dataset::append_lines(root, victim / "file", {"{}"}), Error);
  CHECK(util::read_file(victim / "file") == torn);
  CHECK(std::distance(fs::directory_iterator(victim), fs::directory_iterator()) == 1);
  dataset::append_lines(root, root / "traces/real/new.jsonl", {"{}"});
  // The dataset itself may be reached by a link: whoever names it trusts that.
  fs::create_directory_symlink(root, folder.path() / "link");
  dataset::append_lines(folder.path() / "link", folder.path() / "link/traces/real/new.jsonl", {"{}"});
  CHECK(util::read_file(root / "traces/real/new.jsonl") == "{}\n{}\n");
}
