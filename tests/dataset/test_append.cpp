#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "dataset/append.h"
#include "dataset/load.h"
#include "dataset/temporary_dataset.h"
#include "util/error.h"
#include "util/unique_fd.h"

using namespace fib;
using testing::TemporaryDataset;

namespace {

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

}  // namespace

TEST_CASE("appending creates folders and file and writes whole lines") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "traces" / "me" / "op" / "d.jsonl";
  const auto report = dataset::append_lines(path, {R"({"a":1})", R"({"b":2})"});
  CHECK_FALSE(report.newline_added);
  CHECK_FALSE(report.torn_file);
  CHECK(util::read_file(path) == "{\"a\":1}\n{\"b\":2}\n");
  dataset::append_lines(path, {R"({"c":3})"});
  CHECK(util::read_file(path) == "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
}

TEST_CASE("appending nothing creates and changes nothing") {
  const TemporaryDataset dataset;
  dataset::append_lines(dataset.root() / "traces" / "d.jsonl", {});
  CHECK_FALSE(std::filesystem::exists(dataset.root() / "traces"));
  const auto path = dataset.write("d.jsonl", "{\"a\":1}");
  dataset::append_lines(path, {});
  CHECK(util::read_file(path) == "{\"a\":1}");
}

TEST_CASE("a record must be one line") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "d.jsonl";
  CHECK_THROWS_AS(dataset::append_lines(path, {"{\n}"}), Error);
  CHECK_THROWS_AS(dataset::append_lines(path, {""}), Error);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a file cut at any byte is repaired: whole records stay, a torn one moves aside") {
  const std::string first = "{\"a\":\"x\\n}\"}\n";
  const std::string last = "{\"b\":[1,{\"c\":\"\xc3\xa9}\"}]}\n";
  const std::string whole = first + last;
  for (std::size_t length = first.size(); length <= whole.size(); ++length) {
    INFO("cut at byte " << length);
    const TemporaryDataset dataset;
    const auto path = dataset.write("d.jsonl", whole.substr(0, length));
    const auto report = dataset::append_lines(path, {"{\"new\":1}"});
    const std::string rest = whole.substr(first.size(), length - first.size());
    if (length + 1 >= whole.size()) {
      CHECK(util::read_file(path) == whole + "{\"new\":1}\n");
      CHECK(report.newline_added == (length + 1 == whole.size()));
      CHECK_FALSE(report.torn_file);
    } else {
      CHECK(util::read_file(path) == first + "{\"new\":1}\n");
      CHECK_FALSE(report.newline_added);
      REQUIRE(report.torn_file.has_value() == !rest.empty());
      if (report.torn_file) {
        CHECK(util::read_file(*report.torn_file) == rest);
        CHECK(report.torn_bytes == rest.size());
        CHECK(report.torn_file->string().starts_with(path.string() + ".torn-"));
      }
    }
  }
}

TEST_CASE("a torn record longer than the read buffer moves aside whole") {
  const TemporaryDataset dataset;
  const std::string torn = "{\"log\":\"" + std::string(200'000, 'x');
  const auto path = dataset.write("d.jsonl", "{}\n" + torn);
  const auto report = dataset::append_lines(path, {"{\"n\":1}"});
  REQUIRE(report.torn_file);
  CHECK(util::read_file(*report.torn_file) == torn);
  CHECK(util::read_file(path) == "{}\n{\"n\":1}\n");
}

TEST_CASE("a file that is nothing but a torn record becomes empty before the append") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\"");
  dataset::append_lines(path, {"{}"});
  CHECK(util::read_file(path) == "{}\n");
}

TEST_CASE("records of several processes do not mix") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "traces" / "d.jsonl";
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(start([&] {
      const std::string text(5000, static_cast<char>('a' + child));
      for (int i = 0; i < 25; ++i) {
        dataset::append_lines(path, {"{\"" + text + "\":" + std::to_string(i) + "}", "{\"x\":1}"});
      }
      return true;
    }));
  }
  for (const pid_t child : children) CHECK(succeeded(child));
  const std::string text = util::read_file(path);
  const auto lines = dataset::split_lines(text);
  CHECK(lines.size() == 4 * 25 * 2);
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    CHECK(model::json::is_object_text(lines[i].text));
    CHECK(lines[i + 1].text == "{\"x\":1}");
  }
}

TEST_CASE("a write that the disk takes in part is undone and reported") {
  const TemporaryDataset dataset;
  const auto path = dataset.write("d.jsonl", "{\"a\":1}\n");
  const pid_t child = start([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      dataset::append_lines(path, {"{\"b\":\"" + std::string(500, 'x') + "\"}"});
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
  const util::UniqueFd old(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(old.get(), LOCK_EX) == 0);
  const pid_t child = start([&] {
    ::close(old.get());
    dataset::append_lines(path, {"{\"b\":1}"});
    return true;
  });
  while (!has_open(child, path)) ::usleep(1000);
  util::write_file_atomic(path, "{\"new\":1}\n");
  REQUIRE(::flock(old.get(), LOCK_UN) == 0);
  CHECK(succeeded(child));
  CHECK(util::read_file(path) == "{\"new\":1}\n{\"b\":1}\n");
}

TEST_CASE("a folder in the file's place is an error that names it") {
  const TemporaryDataset dataset;
  const auto path = dataset.root() / "d.jsonl";
  std::filesystem::create_directories(path);
  CHECK_THROWS_WITH(dataset::append_lines(path, {"{}"}), Catch::Contains(path.string()));
}
