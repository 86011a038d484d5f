#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "model/solution.h"
#include "pack/pack.h"
#include "util/error.h"

using namespace fib;
using Files = testing::TemporaryDataset;

namespace {

const std::string kAbout = "[solution]\nname = \"n\"\ndefinition = \"d\"\nauthor = \"a\"\n";

std::string build(const std::string& language, const std::string& entry_point, const std::string& more = "") {
  return kAbout + "[build]\nlanguage = \"" + language + "\"\nentry_point = \"" + entry_point + "\"\n" + more;
}

model::Solution packed(const Files& files) { return model::parse_solution(pack::pack_folder(files.root())); }

std::vector<std::string> paths(const Files& files) {
  std::vector<std::string> result;
  for (const auto& source : packed(files).sources) result.push_back(source.path);
  return result;
}

using Paths = std::vector<std::string>;

std::string error_of(const Files& files) {
  try {
    static_cast<void>(pack::pack_folder(files.root()));
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string root = files.root().string();
    for (auto at = message.find(root); at != std::string::npos; at = message.find(root)) {
      message.replace(at, root.size(), "F");
    }
    return message;
  }
  return "no error";
}

// What packing says to a config.toml beside one source k.cu.
std::string error_of(const std::string& config) {
  const Files files;
  files.write("config.toml", config);
  files.write("k.cu", "void run() {}");
  return error_of(files);
}

}  // namespace

TEST_CASE("a folder in the starter kit's form becomes a solution in the format's form") {
  const Files files;
  files.write("config.toml", build("cuda", "run"));
  files.write("solution/cuda/k.cu", "void run() {}\n");
  files.write("notes.cu", "not of the solution");
  CHECK(pack::pack_folder(files.root()) == R"({
  "name": "n",
  "definition": "d",
  "author": "a",
  "spec": {
    "language": "cuda",
    "target_hardware": [
      "cuda"
    ],
    "entry_point": "k.cu::run"
  },
  "sources": [
    {
      "path": "k.cu",
      "content": "void run() {}\n"
    }
  ]
})");
}

TEST_CASE("every key has its place, whatever its order") {
  const Files files;
  files.write("config.toml", R"(
[build]
binding = "torch"
destination_passing_style = false
dependencies = ["cutlass"]
target_hardware = ["H100", "cpu"]
entry_point = "k.cu::"
language = "cuda"
[build.workspace]
p = "4*M"
[[build.launch]]
kernel = "k<4>"
grid = ["M"]
[build.compile_options]
ld_flags = []
cflags = ["-O3"]
[solution]
description = "what it does"
author = "a"
definition = "d"
name = "n"
[benchmark]
ignored = 1979-05-27
)");
  files.write("k.cu", "x");
  const model::Solution solution = packed(files);
  CHECK(solution.description == std::optional<std::string>("what it does"));
  CHECK(solution.spec.binding == model::Binding::torch);
  CHECK(solution.spec.destination_passing == false);
  CHECK(solution.spec.dependencies == Paths{"cutlass"});
  CHECK(solution.spec.target_hardware == Paths{"H100", "cpu"});
  CHECK(solution.spec.launch->dump() == R"([{"kernel":"k<4>","grid":["M"]}])");
  CHECK(solution.spec.workspace->dump() == R"({"p":"4*M"})");
  CHECK(solution.spec.compile_options->cflags == Paths{"-O3"});
  CHECK(solution.spec.compile_options->ld_flags == Paths{});
  CHECK(solution.spec.unknown.empty());
}

TEST_CASE("JSON stands in for what TOML cannot say") {
  const Files files;
  files.write("config.toml",
              "[solution]\nname = 'n'\ndefinition = 'd'\nauthor = 'a'\njson = '{\"description\": null}'\n"
              "[build]\nlanguage = 'cuda'\njson = '''\n{\"entry_point\": \"k.cu::run\",\n"
              "\"binding\": null, \"x\": 1.50}'''\n");
  files.write("k.cu", "x");
  const std::string text = pack::pack_folder(files.root());
  CHECK_THAT(text, Catch::Contains("\"description\": null") &&
                       Catch::Contains("\"binding\": null,\n    \"x\": 1.50\n"));
}

TEST_CASE("without target hardware a solution is for CUDA, in C++ for the CPU") {
  for (const std::string language : {"cpp", "cuda", "python", "triton"}) {
    const Files files;
    files.write("config.toml", build(language, "k.py::run"));
    files.write("k.py", "x");
    CHECK(packed(files).spec.target_hardware == Paths{language == "cpp" ? "cpu" : "cuda"});
  }
}

TEST_CASE("sources are found by their suffixes at any depth and sorted by path") {
  const Files files;
  files.write("config.toml", build("cuda", "b.cu::run"));
  for (const std::string path :
       {"b.cu", "a/z.h", "a.cuh", "a/b/c.py", "d.cpp", "e.c", "f.hpp", "g.cc", "h.cxx", "B.cu", "README.md",
        "cu", ".hidden.cu", ".git/x.py", "a/.venv/y.py", "a/.cu", "x.cu.orig", "x.CU"}) {
    files.write(path, "x");
  }
  std::filesystem::create_directories(files.root() / "folder.cu");
  std::filesystem::create_symlink("b.cu", files.root() / "i.cu");
  CHECK(paths(files) == Paths{"B.cu", "a.cuh", "a/b/c.py", "a/z.h", "b.cu", "d.cpp", "e.c", "f.hpp", "g.cc",
                              "h.cxx", "i.cu"});
}

TEST_CASE("source_dir and files choose the sources and their order") {
  const Files files;
  for (const std::string path : {"src/b.cu", "src/a.inl", "src/c.cu", "solution/cuda/d.cu"})
    files.write(path, path);
  files.write("config.toml", build("cuda", "b.cu::run", "source_dir = \"./src/\"\n"));
  CHECK(paths(files) == Paths{"b.cu", "c.cu"});
  files.write("config.toml",
              build("cuda", "b.cu::run", "source_dir = \"src\"\nfiles = [\"b.cu\", \"a.inl\"]\n"));
  CHECK(paths(files) == Paths{"b.cu", "a.inl"});
  files.write("config.toml",
              build("cuda", "x/b.cu::run",
                    "source_dir = \"src\"\n"
                    "files = [{path = \"x/b.cu\", file = \"c.cu\", json = '{\"k\":null}'}]\n"));
  const auto solution = packed(files);
  CHECK(solution.sources[0].path == "x/b.cu");
  CHECK(solution.sources[0].content == "src/c.cu");
  CHECK(solution.sources[0].unknown[0].first == "k");
  files.write("config.toml", build("cuda", "d.cu::run"));
  CHECK(paths(files) == Paths{"d.cu"});
  files.write("config.toml", build("cuda", "src/b.cu::run", "source_dir = \".\"\n"));
  CHECK(paths(files) == Paths{"solution/cuda/d.cu", "src/b.cu", "src/c.cu"});
}

TEST_CASE("another name can be given") {
  const Files files;
  files.write("config.toml", build("cuda", "run"));
  files.write("k.cu", "x");
  CHECK(model::parse_solution(pack::pack_folder(files.root(), {"other"})).name == "other");
}

TEST_CASE("a folder that is no folder, or lacks its config.toml, is named") {
  const Files files;
  CHECK(error_of(files) == "F/config.toml is missing; `fib pack --help` shows one");
  const auto file = files.write("file", "x");
  CHECK_THROWS_WITH(pack::pack_folder(file), Catch::Contains("file is no folder"));
}

TEST_CASE("a source that cannot be one is named") {
  const Files files;
  files.write("config.toml", build("cuda", "run"));
  CHECK(error_of(files) == "there are no sources (.py .cu .cuh .cpp .c .h .hpp .cc .cxx) in F");
  const auto source = files.write("k.cu", "");
  CHECK(error_of(files) == "F/k.cu is empty; fill it, or list the sources in build.files");
  files.write("k.cu", std::string("a\xff\0b", 4));
  CHECK(error_of(files) == "F/k.cu is not UTF-8 text; convert it, or list the sources in build.files");
  std::filesystem::remove(source);
  REQUIRE(::mkfifo(source.c_str(), 0600) == 0);
  CHECK(error_of(files) == "cannot read F/k.cu: it is not a regular file");
  std::filesystem::remove(source);
  std::filesystem::create_symlink("nowhere", source);
  CHECK(error_of(files) == "cannot read F/k.cu: No such file or directory");
  std::filesystem::remove(source);
  files.write(".git/config", "TOKEN");
  std::filesystem::create_symlink(".git/config", source);
  CHECK(error_of(files) == "F/k.cu is a link to something hidden; put the file itself there");
  std::filesystem::rename(files.root() / "config.toml", files.root() / ".git/config.toml");
  std::filesystem::create_symlink(".git/config.toml", files.root() / "config.toml");
  CHECK(error_of(files) == "F/config.toml is a link to something hidden; put the file itself there");
  std::filesystem::rename(files.root() / ".git/config.toml", files.root() / "config.toml");
  std::filesystem::remove(source);
  // A file with a hole costs no disk.
  std::filesystem::remove(source);
  files.write("k.cu", std::string((1U << 20U) + 1, 'x'));
  const auto second = files.write("z.cu", "x");
  std::filesystem::resize_file(second, 63U << 20U);
  CHECK(error_of(files) ==
        "F/z.cu: with this file the sources have more than 64 MB, and no record of a solution may");
  std::filesystem::remove(second);
  std::filesystem::remove(source);
  files.write("\xff.cu", "x");
  CHECK(error_of(files) == "a file in F has a name that is not UTF-8; rename it");
}

TEST_CASE("what is wrong in config.toml is one sentence with its line") {
  const std::string good = build("cuda", "run");
  CHECK(error_of(good) == "no error");
  CHECK_THAT(error_of(good + "binding = \n"), Catch::StartsWith("F/config.toml:8: "));
  CHECK(error_of("[build]\n") == "F/config.toml: there is no table [solution]");
  CHECK(error_of(kAbout) == "F/config.toml: there is no table [build]");
  CHECK(error_of("build = 1\n" + kAbout) == "F/config.toml:1: build must be a table");
  CHECK(error_of("[solution]\nname = 'n'\nauthor = 'a'\n[build]\n") ==
        "F/config.toml:1: [solution] has no definition; add definition = \"...\"");
  CHECK(error_of(kAbout + "[build]\nlanguage = 'cuda'\n") ==
        "F/config.toml:5: [build] has no entry_point; add entry_point = \"...\"");
  CHECK(error_of(good + "bindng = 'torch'\n") ==
        "F/config.toml:8: [build] has the unknown key \"bindng\"; known are language, target_hardware, "
        "entry_point, dependencies, destination_passing_style, binding, compile_options, launch, workspace, "
        "source_dir, files, json");
  CHECK(error_of(good + "json = '{'\n").starts_with("F/config.toml:8: build.json is not valid JSON: "));
  CHECK(error_of(good + "json = '[]'\n") == "F/config.toml:8: build.json must hold a JSON object");
  CHECK(error_of(good + "json = 1\n") == "F/config.toml:8: build.json must be a string");
  CHECK(error_of(good + "json = '{\"language\": \"cpp\"}'\n") ==
        "F/config.toml:8: build.json has the key \"language\", which stands elsewhere");
  CHECK_THAT(error_of("[solution]\nname = 'n'\njson = '{\"sources\": []}'\n[build]\n"),
             Catch::Contains("solution.json has the key \"sources\", which stands elsewhere"));
  CHECK(error_of(good + "source_dir = 'src'\n") == "F/config.toml:8: source_dir \"src\" is no folder in F");
  CHECK(error_of(good + "source_dir = 'a/../..'\n") ==
        "F/config.toml:8: source_dir \"a/../..\" is not below the folder of config.toml");
  CHECK(error_of(good + "source_dir = '/tmp'\n") ==
        "F/config.toml:8: source_dir \"/tmp\" is not below the folder of config.toml");
  CHECK(error_of(good + "files = []\n") == "F/config.toml:8: build.files must be a list of paths");
  CHECK(error_of(good + "files = [1]\n") ==
        "F/config.toml:8: build.files must hold paths, or tables with a path and where its file is");
  CHECK(error_of(good + "files = [{path = 'k.cu', fil = 'k.cu'}]\n") ==
        "F/config.toml:8: build.files has a table with the unknown key \"fil\"; known are path, file, json");
  CHECK(error_of(good + "files = ['../k.cu']\n") ==
        "F/config.toml:8: build.files names \"../k.cu\", which is no plain path below the sources' folder");
  CHECK(error_of(good + "files = ['x.cu']\n") == "cannot read F/x.cu: No such file or directory");
}

TEST_CASE("what the model refuses is said with its line") {
  CHECK(error_of(build("cuda", "x.cu::run")) ==
        "F/config.toml:5: Entry source file 'x.cu' not found in sources");
  CHECK_THAT(error_of(build("cuda", "k.cu::a::b")),
             Catch::StartsWith("F/config.toml:5: spec: Invalid entry point"));
  CHECK_THAT(error_of(build("cuda", "run", "binding = 5\n")),
             Catch::StartsWith("F/config.toml:8: spec.binding: "));
  CHECK_THAT(error_of("[solution]\nname = ''\ndefinition = 'd'\nauthor = 'a'\n[build]\nlanguage = 'cuda'\n"
                      "entry_point = 'run'\n"),
             Catch::StartsWith("F/config.toml:2: name: "));
  CHECK(error_of(build("cuda", "k.cu::run", "files = ['k.cu', 'k.cu']\n")) ==
        "F/config.toml:5: Duplicate source path 'k.cu'");
}
