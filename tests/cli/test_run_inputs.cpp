#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_support.h"
#include "tensor/safetensors.h"
#include "util/command.h"

// Where `fib run` takes definitions and inputs from: blobs behind Git LFS, blobs elsewhere, SOL-ExecBench.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// Runs `words` in `folder` with no configuration but ours.
std::string command(const fs::path& folder, const std::vector<std::string>& words) {
  const auto result = util::run_command(
      words, folder,
      {"GIT_CONFIG_NOSYSTEM=1", "HOME=" + folder.string(), "GIT_LFS_SKIP_SMUDGE=1", "GIT_AUTHOR_NAME=t",
       "GIT_AUTHOR_EMAIL=t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t"});
  INFO(result.output);
  REQUIRE(result.succeeded());
  return result.output;
}

// "add" of four elements whose inputs are in the blob at `path`.
void add_blob_dataset(FibRun& run, const std::string& path) {
  const nlohmann::ordered_json tensor = {{"shape", {"n"}}, {"dtype", "float32"}};
  const nlohmann::ordered_json definition = {{"name", "add"},
                                             {"op_type", "test"},
                                             {"axes", {{"n", {{"type", "var"}}}}},
                                             {"inputs", {{"a", tensor}, {"b", tensor}}},
                                             {"outputs", {{"c", tensor}}},
                                             {"reference", "def run(a, b):\n    return a + b\n"}};
  const auto blob = [&](const char* key) {
    return nlohmann::ordered_json{{"type", "safetensors"}, {"path", path}, {"tensor_key", key}};
  };
  const nlohmann::ordered_json workload = {
      {"axes", {{"n", 4}}}, {"inputs", {{"a", blob("a")}, {"b", blob("b")}}}, {"uuid", "w"}};
  const nlohmann::ordered_json line = {
      {"definition", "add"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}};
  run.dataset.definition("test", "add", definition.dump(), {line.dump()}).solution("one", "alice", kHonest);
}

void write_blob(const fs::path& path) {
  fs::create_directories(path.parent_path());
  const std::vector<float> values = {1, 2, 3, 4};
  tensor::write_safetensors(path, {{"a", tensor::DType::kFloat32, {4}, values.data()},
                                   {"b", tensor::DType::kFloat32, {4}, values.data()}});
}

// The dataset of add_blob_dataset() with a Git LFS pointer of four bytes in the place of its blob; its
// folder.
fs::path add_pointer_dataset(FibRun& run, const std::string& oid = "00") {
  add_blob_dataset(run, "blob/a.safetensors");
  util::write_file_atomic(run.dataset.root() / "blob/a.safetensors",
                          "version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize 4\n");
  return run.dataset.root();
}

bool has_git_lfs() {
  const bool is_here = util::run_command({"git", "lfs", "version"}, ".").succeeded();
  if (!is_here) WARN("skipped: git-lfs is not installed");
  return is_here;
}

std::vector<std::string> statuses(const FibRun& run) {
  std::vector<std::string> all;
  for (const auto& trace : read_traces(run.dataset.root())) all.push_back(trace.status);
  return all;
}

}  // namespace

TEST_CASE("blobs behind Git LFS are fetched when a run needs them") {
  if (!has_git_lfs()) return;
  FibRun run;
  const fs::path origin = run.folder.path() / "origin";
  write_blob(origin / "data/blob/a.safetensors");
  write_blob(origin / "data/blob/unused.safetensors");
  command(origin, {"git", "init", "-q", "-b", "main"});
  command(origin, {"git", "lfs", "install", "--local"});
  command(origin, {"git", "lfs", "track", "*.safetensors"});
  command(origin, {"git", "add", "."});
  command(origin, {"git", "commit", "-q", "-m", "blobs"});
  const fs::path clone = run.folder.path() / "clone";
  command(run.folder.path(), {"git", "clone", "-q", "file://" + origin.string(), clone});
  run.dataset = DatasetBuilder(clone / "data");
  add_blob_dataset(run, "blob/a.safetensors");
  REQUIRE(fs::file_size(clone / "data/blob/a.safetensors") < 200);

  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(statuses(run) == std::vector<std::string>{"PASSED"});
  CHECK_THAT(result.err,
             Catch::Contains("fetching 1 blob of " + (clone / "data").string() + " with git lfs"));
  CHECK(fs::file_size(clone / "data/blob/unused.safetensors") < 200);
}

TEST_CASE("git is not asked to fetch where the dataset's own configuration could make it run programs") {
  FibRun run;
  const fs::path data = add_pointer_dataset(run);
  command(data, {"git", "init", "-q"});
  const auto refused = [&](const std::string& key, const std::string& value) {
    command(data, {"git", "config", "--local", key, value});
    const auto result = run.run(few());
    command(data, {"git", "config", "--local", "--unset", key});
    INFO(result.err);
    CHECK_THAT(result.err, Catch::Contains("its git configuration says \"" + key + "=" + value));
    CHECK_FALSE(fs::exists(run.folder.path() / "ran"));
  };
  const std::string touch = "touch " + (run.folder.path() / "ran").string();
  refused("lfs.standalonetransferagent", "evil");
  refused("lfs.customtransfer.evil.path", touch);
  refused("core.fsmonitor", touch);
  refused("filter.lfs.process", touch);
  refused("remote.origin.url", "ext::" + touch);
  refused("include.path", "/etc/hostname");
  // Names in the middle may look like the end of a harmless one.
  refused("lfs.extension.evil.smudge", "./agent.access=1");
  refused("lfs.customtransfer.x.path", "./agent.access=1");
  refused("filter.lfs.clean", "git-lfs clean -- %f x");
}

TEST_CASE("git-lfs keeps what it fetches in the dataset's repository, not behind a link of it") {
  if (!has_git_lfs()) return;
  FibRun run;
  const fs::path data = add_pointer_dataset(run);
  command(data, {"git", "init", "-q"});
  const fs::path outside = run.folder.path() / "outside";
  fs::create_directories(outside);
  fs::create_directories(data / ".git/lfs/objects/00");
  for (const char* link : {".git/lfs/objects/00/00", ".git/lfs/tmp"}) {
    fs::create_directory_symlink(outside, data / link);
    const auto result = run.run(few());
    INFO(result.err);
    CHECK_THAT(result.err, Catch::Contains(std::string(link) + " is a link; look at it and fetch them with"));
    fs::remove(data / link);
  }
  CHECK(fs::is_empty(outside));
}

TEST_CASE("a server that sends more than a pointer names does not fill the disk") {
  if (!has_git_lfs()) return;
  FibRun run;
  const fs::path data = add_pointer_dataset(run, std::string(64, 'a'));
  util::write_file_atomic(data / ".gitattributes", "*.safetensors filter=lfs diff=lfs merge=lfs -text\n");
  command(data, {"git", "init", "-q", "-b", "main"});
  command(data, {"git", "add", "."});
  command(data, {"git", "commit", "-q", "-m", "pointer"});
  command(data, {"git", "lfs", "install", "--local"});
  // Answers every question of git-lfs, and sends 256 MiB where four bytes are asked for.
  constexpr const char* kServer = R"(
import http.server, json, sys, threading
class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        download = {"download": {"href": "http://%s/object" % self.headers["Host"]}}
        answer = {"objects": [{**one, "authenticated": True, "actions": download} for one in asked["objects"]]}
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.git-lfs+json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(256):
            self.wfile.write(bytes(1 << 20))
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
open(sys.argv[1], "w").write("%d\n" % server.server_port)
threading.Timer(120, server.shutdown).start()
server.serve_forever()
)";
  const fs::path port_file = run.folder.path() / "port";
  util::HeldCommand server({"sh", "-c",
                            R"(exec >/dev/null 2>&1; python3 -c "$0" "$1" & read -r end; kill $!)", kServer,
                            port_file.string()});
  std::string port;
  for (int i = 0; i < 200 && !port.ends_with('\n'); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (fs::exists(port_file)) port = util::read_file(port_file);
  }
  REQUIRE(port.ends_with('\n'));
  port.pop_back();
  command(data, {"git", "remote", "add", "origin", "http://127.0.0.1:" + port + "/repository"});
  const auto result = run.run(few());
  INFO(result.err);
  CHECK_THAT(result.err, Catch::Contains("git lfs in "));
  CHECK(result.err.size() < 8000);
  std::uintmax_t largest = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.is_regular_file() && !entry.is_symlink()) largest = std::max(largest, entry.file_size());
  }
  CHECK(largest <= std::uintmax_t{65} << 20U);
}

TEST_CASE("a blob that stays a Git LFS pointer is said, with git's words") {
  FibRun run;
  (void)add_pointer_dataset(run);
  const auto result = run.run(few());
  CHECK(result.exit_code != 0);
  CHECK_THAT(result.err, Catch::Contains("git rev-parse in " + run.dataset.root().string()) &&
                             Catch::Contains("not a git repository"));
  CHECK_THAT(result.out + result.err, Catch::Contains("is a Git LFS pointer, not the data"));
}

TEST_CASE("a blob outside of the dataset is used only when that is allowed") {
  FibRun run;
  const fs::path blob = run.folder.path() / "elsewhere/a.safetensors";
  write_blob(blob);
  add_blob_dataset(run, blob);
  const auto refused = run.run(few());
  CHECK(refused.exit_code != 0);
  CHECK_THAT(refused.out + refused.err,
             Catch::Contains("lies outside of the dataset") && Catch::Contains("--allow-outside"));
  CHECK(run.run(few({"--allow-outside"})).exit_code == 0);
  CHECK(statuses(run) == std::vector<std::string>{"PASSED"});
}

TEST_CASE(
    "a problem of SOL-ExecBench is run as it is: axes that follow, sizes in shapes, its own tolerance") {
  FibRun run;
  const auto problem = run.dataset.root();
  const auto write = [&](const char* name, const std::string& text) {
    util::write_file_atomic(problem / name, text);
  };
  write(
      "definition.json",
      R"({"name": "double", "axes": {"n": {"type": "var"}, "m": {"type": "expr", "expression": "n // 2 + n % 2"}},)"
      R"("inputs": {"a": {"shape": ["m", "3"], "dtype": "float32"}}, "outputs": {"c": {"shape": ["m", "3"], "dtype": "float32"}},)"
      R"("reference": "def run(a):\n    return a * 2\n"})");
  write(
      "workload.jsonl",
      R"({"axes": {"n": 9}, "inputs": {"a": {"type": "random"}}, "uuid": "strict"})"
      "\n"
      R"({"axes": {"n": 9}, "inputs": {"a": {"type": "random"}}, "uuid": "wide", "tolerance": {"max_atol": 0.5}})"
      "\n"
      R"({"axes": {"n": 9}, "inputs": {"a": {"type": "random"}}, "uuid": "capped", "tolerance": {"max_atol": 0.5, "max_error_cap": 0.125}})"
      "\n");
  write(
      "solution.json",
      R"({"name": "off", "definition": "double", "author": "me", "spec": {"languages": ["cpp"], "target_hardware": ["LOCAL", "cpu"],)"
      R"("entry_point": "main.cpp::run"}, "sources": [{"path": "main.cpp", "content": ""}]})");
  write("main.cpp",
        "extern \"C\" void run(const float* a, float* c, long n) {\n"
        "  for (long i = 0; i < (n / 2 + n % 2) * 3; ++i) c[i] = a[i] * 2 + 0.25f;\n}\n");
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto traces = read_traces(problem);
  REQUIRE(traces.size() == 3);
  for (const auto& trace : traces) {
    INFO(trace.workload << ": " << trace.log);
    CHECK(trace.status == (trace.workload == "wide" ? "PASSED" : "INCORRECT_NUMERICAL"));
    const auto fib = nlohmann::json::parse(trace.text).at("evaluation").at("fib");
    CHECK(fib.contains("tolerance") == (trace.workload != "strict"));
  }
  CHECK(run.processes().empty());
}

TEST_CASE("where no input is random there is one set, and every solution has the reference's time") {
  FibRun run;
  const nlohmann::ordered_json definition = {
      {"name", "fill"},
      {"op_type", "test"},
      {"axes", {{"n", {{"type", "const"}, {"value", 1000}}}}},
      {"inputs", {{"s", {{"shape", nullptr}, {"dtype", "float32"}}}}},
      {"outputs", {{"c", {{"shape", {"n"}}, {"dtype", "float32"}}}}},
      {"reference", "import torch\n\ndef run(s):\n    return torch.full((1000,), s, dtype=torch.float32)\n"}};
  run.dataset.definition(
      "test", "fill", definition.dump(2),
      {R"({"definition": "fill", "workload": {"axes": {}, "inputs": {"s": {"type": "scalar", )"
       R"("value": 1.5}}, "uuid": "w"}, "solution": null, "evaluation": null})"});
  for (const char* name : {"one", "two"}) {
    run.dataset.solution(
        name, "test",
        "extern \"C\" void run(float s, float* c) { for (int i = 0; i < 1000; ++i) c[i] = s; }\n", "fill");
  }
  REQUIRE(run.run(few()).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  for (const auto& trace : traces) {
    INFO(trace.text);
    const auto evaluation = nlohmann::json::parse(trace.text).at("evaluation");
    CHECK(evaluation.at("status") == "PASSED");
    CHECK(evaluation.at("fib").at("inputs_fixed") == true);
    CHECK(evaluation.at("fib").at("sets") == 1);
    CHECK(evaluation.at("fib").at("reference").at("n") > 1);
    CHECK(evaluation.at("performance").at("reference_latency_ms") > 0);
    CHECK(evaluation.at("performance").at("speedup_factor") > 0);
  }
}

TEST_CASE("no two solutions have the same inputs, also where their sources are equal") {
  FibRun run;
  const std::string source =
      "#include <cstdio>\n"
      "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n"
      "  std::printf(\"begins with %a\\n\", static_cast<double>(a[0]));\n"
      "  std::fflush(stdout);\n"
      "  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n";
  run.dataset.add_definition({100}).solution("one", "alice", source).solution("other", "alice", source);
  const auto result = run.run(few({"--seed", "known"}));
  INFO(result.out << result.err);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  const auto first_line = [](const TraceLine& trace) {
    INFO(trace.log);
    CHECK(trace.status == "PASSED");
    const auto begin = trace.log.find("begins with ");
    REQUIRE(begin != std::string::npos);
    return trace.log.substr(begin, trace.log.find('\n', begin) - begin);
  };
  CHECK(first_line(traces[0]) != first_line(traces[1]));
}

TEST_CASE("names of a dataset cannot write to the terminal, nor lines of their own") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const auto file = run.dataset.root() / "workloads/test/add.jsonl";
  std::string text = util::read_file(file);
  const std::string uuid = "\"w100\"";
  REQUIRE(text.find(uuid) != std::string::npos);
  text.replace(text.find(uuid), uuid.size(), "\"w\\n[0]\\u001b\\u009b2J forged\"");
  util::write_file_atomic(file, text);
  for (const std::vector<std::string>& words : {few({"--dry-run"}), few()}) {
    const auto result = run.run(words);
    const std::string all = "\n" + result.out + result.err;
    INFO(all);
    CHECK(all.find('\x1b') == std::string::npos);
    CHECK(all.find("\xc2\x9b") == std::string::npos);
    CHECK(all.find("\n[0]") == std::string::npos);
    CHECK(all.find("[0]?") != std::string::npos);
  }
}
