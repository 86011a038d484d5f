#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "pack/bare_source.h"
#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;

namespace {

constexpr const char* kRun = "extern \"C\" void run() {}\n";

model::Solution of(const std::string& file, const std::string& content, pack::SourceFacts facts = {}) {
  facts.definition = "d";
  return pack::solution_of_sources({{file, content, {}}}, facts);
}

}  // namespace

TEST_CASE("a source's name and text tell its language, hardware and binding") {
  CHECK(of("a.cpp", kRun).spec.language == model::Language::cpp);
  CHECK(of("a.cpp", kRun).spec.target_hardware == std::vector<std::string>{"cpu"});
  CHECK(of("a.cu", kRun).spec.language == model::Language::cuda);
  CHECK(of("a.cu", kRun).spec.target_hardware == std::vector<std::string>{"cuda"});
  CHECK(of("a.py", "def run(): pass\n").spec.language == model::Language::python);
  CHECK(of("a.py", "import triton\ndef run(): pass\n").spec.language == model::Language::triton);
  CHECK(of("a.py", "from tilelang import T\ndef run(): pass\n").spec.language == model::Language::tilelang);
  const auto extension = of("a.cu", "#include <torch/extension.h>\nvoid run() {}\n");
  CHECK(extension.spec.binding == model::Binding::torch);
  CHECK(of("a.cpp", kRun).name == "a");
  CHECK(of("a.cpp", kRun).author == "local");
  CHECK(of("a.cpp", kRun).spec.destination_passing_style());
  CHECK(of("a.cpp", kRun).spec.destination_passing == true);
  const auto returns = [](const model::Solution& solution) { return !solution.spec.destination_passing; };
  CHECK_FALSE(of("a.cpp", kRun, {.returns_outputs = returns}).spec.destination_passing_style());
  CHECK(*of("a.cu", kRun, {.flags = {"-O2"}}).spec.compile_options->cuda_cflags ==
        std::vector<std::string>{"-O2"});
  CHECK(of("a.txt", kRun, {.language = "cpp", .name = "n"}).name == "n");
}

TEST_CASE("what is not said of a source is asked for in a sentence") {
  CHECK_THROWS_WITH(pack::solution_of_sources({{"a.cpp", kRun, {}}}, {}),
                    "a.cpp does not say what it computes: name its definition");
  CHECK_THROWS_WITH(of("a.txt", kRun), "a.txt: its name does not tell its language; name the language");
  CHECK_THROWS_AS(pack::given_solution_of_text("int x;\n", {}), Error);
}

TEST_CASE("sources take what they need from beside them, and nothing from outside") {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    util::write_file_atomic(folder.path() / name, text);
  };
  write("secret.h", "int secret;\n");
  write("s/a.cpp",
        "#include \"b.h\"\n  #include \"sub/c.h\"\n#include \"../secret.h\"\n#include \"gone.h\"\n#include "
        "<d.h>\n");
  write("s/b.h", "#include \"a.cpp\"\n");
  write("s/sub/c.h", "#include \"e.h\"\n");
  write("s/sub/e.h", "\n");
  write("s/d.h", "\n");
  std::filesystem::create_symlink(folder.path() / "secret.h", folder.path() / "s/gone.h");
  std::vector<std::string> paths;
  for (const auto& source : pack::read_with_neighbours(folder.path() / "s/a.cpp"))
    paths.push_back(source.path);
  CHECK(paths == std::vector<std::string>{"a.cpp", "b.h", "sub/c.h", "sub/e.h"});
  write("h/a.cpp", "#if 0\n#include \".env\"\n#include \"linked.h\"\n#endif\n");
  write("h/.env", "TOKEN=secret\n");
  std::filesystem::create_symlink(".env", folder.path() / "h/linked.h");
  CHECK(pack::read_with_neighbours(folder.path() / "h/a.cpp").size() == 1);
  write("h/b.cpp", "#include \"secrets.txt\"\n#include \"table.inc\"\n");
  write("h/secrets.txt", "TOKEN\n");
  write("h/table.inc", "1, 2\n");
  CHECK(pack::read_with_neighbours(folder.path() / "h/b.cpp").size() == 2);
  std::filesystem::create_symlink(".env", folder.path() / "h/c.cpp");
  CHECK_THROWS_WITH(pack::read_with_neighbours(folder.path() / "h/c.cpp"),
                    Catch::Contains("is a link to something hidden"));
  write("p/main.py", "import os\nfrom .helper import x\nimport tools.deep as t\n");
  write("p/helper.py", "\n");
  write("p/tools/deep.py", "\n");
  paths.clear();
  for (const auto& source : pack::read_with_neighbours(folder.path() / "p/main.py"))
    paths.push_back(source.path);
  CHECK(paths == std::vector<std::string>{"main.py", "tools/deep.py", "helper.py"});
}

TEST_CASE("a source takes a number of files along, and looks at a number of names") {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    util::write_file_atomic(folder.path() / name, text);
    return folder.path() / name;
  };
  std::string includes;
  for (int i = 0; i < 1'001; ++i) {
    const std::string name = fmt::format("h{}.h", i);
    (void)write(name, "\n");
    includes += fmt::format("#include \"{0}\"\n#include \"{0}\"\n", name);
  }
  const auto many = write("many.cpp", includes);
  CHECK_THROWS_WITH(pack::read_with_neighbours(many),
                    many.string() + " needs more than 1000 files beside it");
  std::filesystem::remove(folder.path() / "h0.h");
  CHECK(pack::read_with_neighbours(many).size() == 1'001);

  includes.clear();
  for (int i = 0; i < 10'000; ++i) includes += fmt::format("#include \"none{}.h\"\n", i);
  const auto names = write("names.cpp", includes);
  CHECK_THROWS_WITH(pack::read_with_neighbours(names),
                    names.string() + " and what it includes name more than 10000 files");
}

TEST_CASE("a source whose name is not UTF-8 is none") {
  CHECK_THROWS_WITH(pack::solution_of_sources({{"x\xff.cpp", "void run() {}", {}}}, {.definition = "d"}),
                    Catch::Contains("the name of this source is not UTF-8"));
}

TEST_CASE("a source with NUL bytes is none") {
  const std::string text("void run() {}\0", 14);
  pack::SourceFacts facts;
  facts.definition = "d";
  facts.language = "cpp";
  CHECK_THROWS_WITH(pack::given_solution_of_text(text, facts),
                    Catch::Contains("holds NUL bytes, which no source has"));
}
