#include <catch2/catch.hpp>

#include "model/solution.h"

using namespace fib::model;

namespace {

std::string solution(const std::string& spec, const std::string& sources = R"({"path":"a.cu","content":"x"})",
                     const std::string& rest = "") {
  return R"({"name":"s","definition":"d","author":"a","spec":{)" + spec + R"(},"sources":[)" + sources + "]" +
         rest + "}";
}

std::string spec_of(const std::string& language, const std::string& more = "",
                    const std::string& hardware = "\"cuda\"") {
  return R"("language":")" + language + R"(","target_hardware":[)" + hardware +
         R"(],"entry_point":"a.cu::run")" + more;
}

Solution with(const std::string& more) { return parse_solution(solution(spec_of("cuda", more))); }

}  // namespace

TEST_CASE("a solution is read") {
  const Solution read = parse_solution(solution(
      spec_of("cuda", R"(,"dependencies":["x"],"destination_passing_style":"no","binding":"tvm-ffi")")));
  CHECK(read.spec.language == Language::cuda);
  CHECK(read.spec.entry_file() == "a.cu");
  CHECK(read.spec.entry_symbol() == "run");
  CHECK(read.entry_source() == &read.sources[0]);
  CHECK(read.spec.dependencies == std::vector<std::string>{"x"});
  CHECK_FALSE(read.spec.destination_passing_style());
  CHECK(read.spec.binding == Binding::tvm_ffi);
}

TEST_CASE("keys that are absent have their defaults") {
  const Solution read = with("");
  CHECK(read.spec.destination_passing_style());
  CHECK_FALSE(read.spec.destination_passing);
  CHECK(read.spec.binding == Binding::none);
  CHECK_FALSE(read.spec.dependencies);
  CHECK_FALSE(read.spec.compile_options);
  CHECK_FALSE(read.spec.launch);
}

TEST_CASE("unknown languages and bindings never stop a load, but upstream's") {
  const std::string text = solution(spec_of("hip", R"(,"binding":"TORCH","hip_cflags":["-O3"])"));
  const Solution read = parse_solution(text);
  CHECK(read.spec.language == Language::unknown);
  CHECK(read.spec.language_text == "hip");
  CHECK(read.spec.binding == Binding::unknown);
  CHECK(read.spec.binding_text == "TORCH");
  CHECK(to_json(read, json::Form::compact) == text);
  CHECK_THROWS_WITH(parse_solution(text, Mode::upstream),
                    Catch::StartsWith("spec.language: ") && Catch::Contains("spec.binding: "));
}

TEST_CASE("a source whose name a compiler would take for an option or a file of arguments is refused") {
  for (const char* name : {"@a.cu", "-fplugin=x.cpp", "b/-x.cu", "b/@x.h", "-/x.h", "b//@x"}) {
    INFO(name);
    const std::string sources =
        std::string(R"({"path":"a.cu","content":"x"},{"path":")") + name + R"(","content":"x"})";
    CHECK_THROWS_WITH(parse_solution(solution(spec_of("cuda"), sources)),
                      Catch::Contains("no component may begin with '-' or '@'") && Catch::Contains(name));
    CHECK_NOTHROW(parse_solution(solution(spec_of("cuda"), sources), Mode::upstream));
  }
  CHECK_NOTHROW(parse_solution(
      solution(spec_of("cuda"), R"({"path":"a.cu","content":"x"},{"path":"a-b/c@d.h","content":"x"})")));
}

TEST_CASE("other spellings of languages are understood") {
  CHECK(parse_solution(solution(spec_of("Python"))).spec.language == Language::python);
  CHECK(parse_solution(solution(spec_of("CUDA"))).spec.language == Language::cuda);
  const std::string listed =
      R"("languages":["cuda_cpp","triton"],"target_hardware":["B200"],"entry_point":"a.cu::run")";
  const Solution read = parse_solution(solution(listed));
  CHECK(read.spec.language == Language::cuda);
  CHECK_THAT(to_json(read, json::Form::compact), Catch::Contains(R"("language":"cuda")") &&
                                                     Catch::Contains(R"("languages":["cuda_cpp","triton"])"));
  CHECK_THROWS_WITH(parse_solution(solution(listed), Mode::upstream), "spec.language: Field required");
}

TEST_CASE("toolkits are languages: of their packages for Python, or of their headers") {
  const auto language_of = [](const std::string& language, const std::string& entry) {
    const std::string spec =
        R"("language":")" + language + R"(","target_hardware":["B200"],"entry_point":")" + entry;
    return parse_solution(solution(spec + R"(::run")", R"({"path":")" + entry + R"(","content":"x"})"))
        .spec.language;
  };
  for (const char* word :
       {"cute_dsl", "cutedsl", "cutile", "cuda_tile", "cudnn_frontend", "pytorch", "CuTe_DSL"})
    CHECK(language_of(word, "a.py") == Language::python);
  CHECK(language_of("tlx", "a.py") == Language::triton);
  CHECK(language_of("c", "a.c") == Language::cpp);
  for (const char* word : {"cutlass", "cudnn", "cublas"}) {
    CHECK(language_of(word, "a.py") == Language::python);
    CHECK(language_of(word, "a.cu") == Language::cuda);
  }
  CHECK(language_of("hip", "a.hip") == Language::unknown);
}

TEST_CASE("compile options are lists, or strings split at spaces") {
  const Solution read =
      with(R"(,"compile_options":{"cuda_cflags":["-O3","-I a"],"cflags":"  -O2  -g ","hip":1})");
  REQUIRE(read.spec.compile_options);
  CHECK(read.spec.compile_options->cuda_cflags == std::vector<std::string>{"-O3", "-I a"});
  CHECK(read.spec.compile_options->cflags == std::vector<std::string>{"-O2", "-g"});
  CHECK_FALSE(read.spec.compile_options->ld_flags);
  CHECK_THAT(
      to_json(read, json::Form::compact),
      Catch::Contains(R"("compile_options":{"cflags":["-O2","-g"],"cuda_cflags":["-O3","-I a"],"hip":1})"));
  CHECK_THROWS_WITH(with(R"(,"compile_options":{"cflags":[1]})"),
                    "spec.compile_options.cflags.0: Input should be a valid string");
}

TEST_CASE("launch and workspace are kept as they are") {
  const std::string more = R"(,"launch":[{"kernel":"k<4>","grid":["M"]}],"workspace":{"p":"4*M"})";
  const Solution read = with(more);
  CHECK(read.spec.launch->at(0).at("kernel") == "k<4>");
  CHECK_THAT(to_json(read, json::Form::compact), Catch::Contains(more.substr(1)));
}

TEST_CASE("the rules for entry points and sources name what is wrong") {
  const auto message = [](const std::string& entry, const std::string& sources) {
    try {
      static_cast<void>(parse_solution(
          solution(R"("language":"cuda","target_hardware":["x"],"entry_point":")" + entry + "\"", sources)));
      return std::string();
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
  };
  const std::string a = R"({"path":"a","content":"x"})";
  CHECK(message("a::f", a).empty());
  CHECK(message("a", a) == "spec: Invalid entry point format: a. Expected \"<file_path>::<function_name>\".");
  CHECK(message("b::f", a) == "Entry source file 'b' not found in sources");
  CHECK(message("a::f", a + "," + a) == "Duplicate source path 'a'");
  CHECK(message("a::f", R"({"path":"/a","content":"x"})") ==
        "sources.0: Invalid source path (absolute path not allowed): /a");
  CHECK(message("a::f", a + R"(,{"path":"b/..","content":"x"})") ==
        "sources.1: Invalid source path (parent directory traversal not allowed): b/..");
  CHECK(message("a::f", "") == "sources: List should have at least 1 item after validation, not 0");
  std::string many = a;
  for (int i = 0; i < 10'000; ++i) many += "," + a;
  CHECK(message("a::f", many) == "sources: 10001 sources, more than 10000");
}

TEST_CASE("where a solution may run") {
  const auto [language, hardware, cpu, cuda] = GENERATE(table<std::string, std::string, bool, bool>({
      {"cuda", "\"cpu\"", false, true},
      {"tilelang", "\"x\"", false, true},
      {"python", "\"cuda\"", true, true},
      {"triton", "\"cpu\"", true, true},
      {"cpp", "\"CPU\"", true, false},
      {"cpp", "\"cpu\",\"H100\"", true, true},
      {"cpp", "\"NVIDIA\"", false, true},
      {"cpp", "\"cpus\"", false, true},
      {"hip", "\"cpu\"", false, false},
  }));
  INFO(language << " " << hardware);
  const Solution read = parse_solution(solution(spec_of(language, "", hardware)));
  CHECK(may_run_on(read, DeviceKind::cpu) == cpu);
  CHECK(may_run_on(read, DeviceKind::cuda) == cuda);
}

TEST_CASE("the format's hash has its known values") {
  CHECK(upstream_hash(with("")) == "2cebd1c6280c0232ec24b28f5c85ec123ba50837");
  CHECK(upstream_hash(with(R"(,"binding":"torch")")) == "d4687c84c372b5b1ff07d6f2e06a99d5d1e5c0b9");
  CHECK(upstream_hash(with(R"(,"binding":"tvm-ffi")")) == "6adb480a92fc405e522ba245d118b566a26e7d8f");
  const Solution accent = parse_solution(solution(spec_of("cuda"), R"({"path":"a.cu","content":"é\n"})"));
  CHECK(upstream_hash(accent) == "cf2c7c3f63cb93e47039c52a4a33f589226ab4e0");
}

TEST_CASE("package names hold only letters, digits and underscores") {
  Solution read = with("");
  read.name = "gpt-5.2_x";
  CHECK(package_name(read, "tvm_ffi_") == "tvm_ffi_gpt_5_2_x_2cebd1");
  CHECK(unique_name(read) == "gpt-5.2_x_2cebd1c6");
  read.name = "5\xc3\xa9";
  CHECK(package_name(read, "fib_python_") == "fib_python__5__2cebd1");
}

// Traces of years name the sources they were made from by these hashes: no version of fib may change them.
TEST_CASE("the content hash has the values that it always had") {
  CHECK(content_sha256(with("")) == "8b36d063e56179230d487ec6e260414c9dede3c41aede33a931bf6c64d904565");
  CHECK(content_sha256(
            with(R"(,"binding":"torch","dependencies":["x"],"compile_options":{"cflags":["-g"]})")) ==
        "fa161ff7f150d0a615352566d094c6be3d61d29146d9d8e6744e38ef55a31cda");
  CHECK(content_sha256(with(R"(,"launch":[{"kernel":"k"}],"workspace":{"a":4})")) ==
        "262e7d2b1a94afdc1697a417370c4085ea8d3c9ecdea7e996d080b180892e120");
  CHECK(content_sha256(with(R"(,"of_a_later_version":[1])")) ==
        "8b36d063e56179230d487ec6e260414c9dede3c41aede33a931bf6c64d904565");
}

TEST_CASE("the content hash changes with everything that decides build and call") {
  const std::string base = content_sha256(with(""));
  CHECK(base.size() == 64);
  CHECK(content_sha256(with("")) == base);
  for (const char* more :
       {R"(,"destination_passing_style":true)", R"(,"destination_passing_style":false)",
        R"(,"binding":"torch")", R"(,"dependencies":["x"])", R"(,"compile_options":{"cflags":["-g"]})",
        R"(,"compile_options":{"cuda_cflags":["-g"]})", R"(,"compile_options":{"ld_flags":["-g"]})",
        R"(,"launch":[])", R"(,"workspace":{})"}) {
    INFO(more);
    CHECK(content_sha256(with(more)) != base);
  }
  const auto changed = [](auto&& change) {
    Solution copy = with("");
    change(copy);
    return content_sha256(copy);
  };
  CHECK(changed([](Solution& s) { s.definition = "e"; }) != base);
  CHECK(changed([](Solution& s) { s.spec.language = Language::cpp; }) != base);
  CHECK(changed([](Solution& s) { s.spec.entry_point = "a.cu::go"; }) != base);
  CHECK(changed([](Solution& s) { s.spec.target_hardware = {"cpu"}; }) != base);
  CHECK(changed([](Solution& s) { s.sources[0].content = "y"; }) != base);
  CHECK(changed([](Solution& s) { s.sources[0] = {"a.c", "ux", {}}; }) != base);
  CHECK(changed([](Solution& s) { s.name = s.author = "other"; }) == base);
  CHECK(changed([](Solution& s) { s.description = "other"; }) == base);
}
