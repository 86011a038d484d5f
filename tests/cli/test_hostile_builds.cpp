#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/fib_run.h"
#include "support/tvm_ffi.h"
#include "util/files.h"

// Records and sources that try to reach beyond their build, run by the real program.
namespace fs = std::filesystem;
using namespace fib;

namespace {

const char* const kAdd = R"(
extern "C" void run(const float* a, const float* b, float* c, long n) {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";

void write_record(const testing::FibRun& run, const std::string& name, const nlohmann::json& sources,
                  const nlohmann::json& options = nullptr) {
  nlohmann::json spec = {{"language", "cpp"}, {"target_hardware", {"cpu"}}, {"entry_point", "k.cpp::run"}};
  if (!options.is_null()) spec["compile_options"] = options;
  const nlohmann::json record = {
      {"name", name}, {"definition", "add"}, {"author", "test"}, {"spec", spec}, {"sources", sources}};
  const auto folder = run.dataset.root() / "solutions/test/add";
  fs::create_directories(folder);
  std::ofstream(folder / (name + ".json")) << record.dump();
}

const std::vector<std::string> kFewCalls = {"--iterations", "3", "--num-trials", "1", "--warmup-runs", "1"};

// "reads" passed, no other solution was built, and what they were after is in no trace and not in the cache.
void check_only_reads_passed(const testing::FibRun& run, const std::vector<testing::TraceLine>& traces) {
  for (const auto& trace : traces) {
    INFO(trace.solution << ": " << trace.log);
    CHECK(trace.status == (trace.solution == "reads" ? "PASSED" : "COMPILE_ERROR"));
    CHECK(trace.text.find("HIDDEN_WORD") == std::string::npos);
  }
  for (const auto& entry : fs::recursive_directory_iterator(run.folder.path() / "cache")) {
    if (entry.is_regular_file())
      CHECK(util::read_file(entry.path()).find("HIDDEN_WORD") == std::string::npos);
  }
}

}  // namespace

TEST_CASE("a source named like a file of arguments starts no program, and costs its own record alone") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("honest", "test", kAdd);
  const auto marker = run.folder.path() / "marker";
  write_record(run, "response",
               {{{"path", "k.cpp"}, {"content", kAdd}},
                {{"path", "@k.cpp"}, {"content", kAdd}},
                {{"path", "evil.sh"}, {"content", "touch " + marker.string() + "\n"}}});
  write_record(run, "plugin",
               {{{"path", "k.cpp"}, {"content", kAdd}}, {{"path", "-fplugin=x.cpp"}, {"content", kAdd}}});
  const auto result = run.run(kFewCalls);
  CHECK(result.err.find("'@'): @k.cpp") != std::string::npos);
  CHECK(result.err.find("'@'): -fplugin=x.cpp") != std::string::npos);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].solution == "honest");
  CHECK(traces[0].status == "PASSED");
  CHECK_FALSE(fs::exists(marker));
}

TEST_CASE("a build cannot read the user's files, and no log or artifact holds what is in them") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto secret = run.folder.path() / "secret.h";
  std::ofstream(secret) << "const char* secret = \"HIDDEN_WORD\";\n";
  fs::permissions(secret, fs::perms(0600));
  run.dataset.solution("includes", "test", "#include \"" + secret.string() + "\"\n" + kAdd);
  run.dataset.solution("incbin", "test", "__asm__(\".incbin \\\"" + secret.string() + "\\\"\");\n" + kAdd);
  // The assembler and the compiler quote lines of what they name in an error.
  run.dataset.solution("include_of_assembler", "test",
                       "__asm__(\".include \\\"" + secret.string() + "\\\"\");\n" + kAdd);
  run.dataset.solution("line", "test", "#line 1 \"" + secret.string() + "\"\nint x = no_such_name;\n" + kAdd);
  run.dataset.solution("zero", "test", std::string("#include \"/dev/zero\"\n") + kAdd);
  REQUIRE(run.run(kFewCalls).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 5);
  for (const auto& trace : traces) {
    INFO(trace.solution);
    CHECK(trace.status == "COMPILE_ERROR");
    CHECK(trace.log.find("HIDDEN_WORD") == std::string::npos);
  }
  for (const auto& entry : fs::recursive_directory_iterator(run.folder.path() / "cache")) {
    if (entry.is_regular_file()) CHECK(util::read_file(entry).find("HIDDEN_WORD") == std::string::npos);
  }
}

TEST_CASE("a compiler in the home or a project opens nothing that lies beside it, for builds and for calls") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto home = run.folder.path() / "home";
  const auto secret = home / "secret.txt";
  util::write_file_atomic(secret, "HIDDEN_WORD");
  fs::create_directories(home / "lib");
  const auto leak = run.folder.path() / "leak.cpp";
  util::write_file_atomic(leak,
                          "#include <cstdio>\nasm(\".data\\n.global w\\nw: .incbin \\\"" + secret.string() +
                              "\\\"\\n.byte 0\\n.text\\n\");\nextern \"C\" char w[];\n" +
                              "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n" +
                              "  std::puts(w);\n  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n");
  for (const auto& compiler : {home / "mycxx", home / "bin/mycxx"}) {
    INFO(compiler);
    util::write_file_atomic(compiler, "#!/bin/sh\nexec c++ \"$@\"\n");
    fs::permissions(compiler, fs::perms(0755));
    auto environment = run.environment();
    environment.insert(environment.end(), {"HOME=" + home.string(), "CXX=" + compiler.string()});
    const auto tried = [&](const fs::path& source) {
      return testing::run_process(
          {testing::fib_binary(), "eval", source, "--definition", "add", "--local", run.dataset.root(),
           "--full-log", "--iterations", "3", "--num-trials", "1"},
          environment);
    };
    const auto result = tried(leak);
    INFO(result.out << result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.out, Catch::Contains("COMPILE_ERROR") && Catch::Contains("secret.txt"));
    CHECK(result.out.find("HIDDEN_WORD") == std::string::npos);
    const auto honest = run.folder.path() / "honest.cpp";
    util::write_file_atomic(honest, kAdd);
    CHECK(tried(honest).exit_code == 0);
  }
}

TEST_CASE("what --sandbox-read names can be included") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto folder = run.folder.path() / "headers";
  fs::create_directory(folder);
  std::ofstream(folder / "mine.h") << "#define MINE 1\n";
  run.dataset.solution("includes", "test", "#include \"" + (folder / "mine.h").string() + "\"\n" + kAdd);
  auto options = kFewCalls;
  REQUIRE(run.run(options).exit_code == 0);
  options.insert(options.end(), {"--sandbox-read", folder.string()});
  REQUIRE(run.run(options).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  CHECK(traces[0].status == "COMPILE_ERROR");
  CHECK(traces[1].status == "PASSED");
}

TEST_CASE("a library that was changed in the cache is built again") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("honest", "test", kAdd);
  run.dataset.solution("wrong", "test",
                       "extern \"C\" void run(const float*, const float*, float*, long) {}\n");
  REQUIRE(run.run(kFewCalls).exit_code == 0);
  std::vector<fs::path> libraries;
  for (const auto& entry : fs::recursive_directory_iterator(run.folder.path() / "cache")) {
    if (entry.path().filename() == "kernel.so") libraries.push_back(entry.path());
  }
  REQUIRE(libraries.size() == 2);
  // Swapped, then truncated.
  fs::copy_file(libraries[0], run.folder.path() / "kept");
  fs::copy_file(libraries[1], libraries[0], fs::copy_options::overwrite_existing);
  fs::copy_file(run.folder.path() / "kept", libraries[1], fs::copy_options::overwrite_existing);
  REQUIRE(run.run(kFewCalls).exit_code == 0);
  for (const auto& library : libraries) fs::resize_file(library, 100);
  REQUIRE(run.run(kFewCalls).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 6);
  for (const auto& trace : traces)
    CHECK(trace.status == (trace.solution == "honest" ? "PASSED" : "INCORRECT_NUMERICAL"));
}

TEST_CASE("a compiler that is killed leaves no verdict, and --resume goes on") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("honest", "test", kAdd);
  const auto compiler = run.folder.path() / "bin/c++";
  fs::create_directory(compiler.parent_path());
  std::ofstream(compiler)
      << "#!/bin/sh\n[ \"$1\" = --version ] && exec c++ --version\nulimit -t 1; while :; do :; done\n";
  fs::permissions(compiler, fs::perms(0755));
  auto environment = run.environment();
  environment.push_back("CXX=" + compiler.string());
  const auto killed = testing::run_process(run.words(kFewCalls), environment);
  CHECK(killed.exit_code == 1);
  CHECK(killed.err.find("was ended by signal 9") != std::string::npos);
  CHECK(testing::read_traces(run.dataset.root()).empty());
  auto resumed = kFewCalls;
  resumed.emplace_back("--resume");
  CHECK(run.run(resumed).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
}

TEST_CASE("builds and calls of TVM-FFI are confined as others are") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto secret = run.folder.path() / "secret.h";
  std::ofstream(secret) << "HIDDEN_WORD\n";
  const std::string name = "\"" + secret.string() + "\"";
  run.dataset.tvm_ffi_solution("includes", "#include " + name + "\n" + testing::kTvmFfiAdd, {}, "main.c");
  run.dataset.tvm_ffi_solution(
      "holds", "__asm__(\".incbin \\\"" + secret.string() + "\\\"\");\n" + testing::kTvmFfiAdd, {}, "main.c");
  std::string reads = testing::kTvmFfiAdd;
  reads.insert(0, "#include <fcntl.h>\n#include <stdlib.h>\n");
  reads.insert(reads.find("  if (count"),
               "  if (open(" + name + ", O_RDONLY) >= 0 || open(\"/etc/shadow\", O_RDONLY) >= 0) abort();\n");
  run.dataset.tvm_ffi_solution("reads", reads, {}, "main.c");
  const auto result = run.run(kFewCalls);
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 3);
  check_only_reads_passed(run, traces);
}

TEST_CASE("builds and calls of torch extensions with fib's headers are confined as others are") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto secret = run.folder.path() / "secret.h";
  std::ofstream(secret) << "HIDDEN_WORD\n";
  const std::string name = "\"" + secret.string() + "\"";
  const auto source = [](const std::string& top, const std::string& body) {
    return top +
           "#include <fcntl.h>\n#include <torch/extension.h>\n"
           "torch::Tensor run(torch::Tensor a, torch::Tensor b) {\n" +
           body +
           "  auto c = torch::empty_like(a);\n"
           "  for (int64_t i = 0; i < a.numel(); ++i)\n"
           "    c.data_ptr<float>()[i] = a.data_ptr<float>()[i] + b.data_ptr<float>()[i];\n"
           "  return c;\n}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
  };
  run.dataset.torch_solution("includes", {{"main.cpp", source("#include " + name + "\n", "")}});
  run.dataset.torch_solution(
      "holds", {{"main.cpp", source("__asm__(\".incbin \\\"" + secret.string() + "\\\"\");\n", "")}});
  run.dataset.torch_solution(
      "reads",
      {{"main.cpp", source("", "  if (open(" + name +
                                   ", O_RDONLY) >= 0 || open(\"/etc/shadow\", O_RDONLY) >= 0) abort();\n")}});
  // A file of the solution's stands beside the headers, not among them.
  run.dataset.torch_solution("hides",
                             {{"main.cpp", source("", "")}, {"torch/extension.h", "#error hidden\n"}});
  auto options = kFewCalls;
  options.insert(options.end(), {"--torch", "headers"});
  const auto result = run.run(options);
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 4);
  check_only_reads_passed(run, traces);
}
