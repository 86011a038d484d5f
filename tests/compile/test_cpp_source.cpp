#include "compile/cpp_source.h"
#include "compile/python_tests.h"

using namespace fib;

namespace {

std::optional<compile::BoundFunction> bound(const std::string& source, const std::string& more = "") {
  std::vector<testing::Source> sources = {{"main.cpp", source}};
  if (!more.empty()) sources.push_back({"kernel.cu", more});
  return compile::bound_function(testing::solution("cuda", "main.cpp::run", sources), "run");
}

std::string bind(const std::string& what) {
  return "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n  m.def(\"run\", " + what + ");\n}\n";
}

// The type by which the function that `m.def("run", &run)` binds is declared so.
std::string type_of(const std::string& declaration) {
  const auto function = bound(declaration + "\n" + bind("&run"));
  return function ? function->type : "not seen";
}

}  // namespace

TEST_CASE("comments, literals and preprocessor lines are blanked, lines stay") {
  const std::string source =
      "#define A \\\n  run(\n"
      "int a = 1'000; // run(\n/* run( \n */ char c = '\"', d = '\\''; const char* e = \"run(\\\"\";\n"
      "auto f = R\"x(run(\" )\" )x\"; int run();";
  const std::string text = compile::blanked(source);
  CHECK(text.size() == source.size());
  CHECK(std::count(text.begin(), text.end(), '\n') == std::count(source.begin(), source.end(), '\n'));
  CHECK(text.find("run") == text.rfind("run"));
  CHECK(text.find("int a = 1'000;") != std::string::npos);
  CHECK(text.ends_with("int run();"));
}

namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

// Each of these would take minutes if every place were looked at to the text's end.
TEST_CASE("long hostile texts are read in a moment") {
  for (const char* part : {"#/**/", "#/*\\\n*/", "\"", "R\"x("}) {
    const std::string source = repeated(part, 400'000);
    CHECK(compile::blanked(source).size() == source.size());
  }
  constexpr std::size_t kMany = 100'000;
  CHECK_FALSE(bound(repeated(".def(\"run\" ", kMany)));
  CHECK_FALSE(bound(repeated("m.def(\"run\" ", kMany) + repeated(")", kMany)));
  CHECK_FALSE(bound(repeated("TVM_FFI_DLL_EXPORT_TYPED_FUNC(x ", kMany)));
  CHECK_FALSE(bound(bind("&run") + repeated("int run( ", kMany)));
  CHECK_FALSE(bound(bind("&run") + repeated("int run(int) ", kMany)));
}

TEST_CASE("the result of a bound function is what its declaration says") {
  CHECK(type_of("torch::Tensor run(torch::Tensor a) { return a; }") == "torch::Tensor");
  CHECK(type_of("static inline at::Tensor\nrun(at::Tensor a) { return a; }") == "at::Tensor");
  CHECK(type_of("std::tuple<torch::Tensor, torch::Tensor> run(torch::Tensor a) {}") ==
        "std::tuple<torch::Tensor, torch::Tensor>");
  CHECK(type_of("void run(torch::Tensor a);") == "void");
  CHECK(type_of("extern \"C\" void run(torch::Tensor a);") == "void");
  CHECK(type_of("// torch::Tensor run(int a);\nvoid run(torch::Tensor a) {}") == "void");
  CHECK(type_of("__global__ void run(float* a) {}\ntorch::Tensor run(int a) {}") == "torch::Tensor");
  CHECK(type_of("auto run(torch::Tensor a) -> torch::Tensor { return a; }") == "torch::Tensor");
  CHECK(type_of("torch::Tensor other(int a) { if (a) return run(a); run(a); x = run(a); }") == "not seen");
  CHECK(type_of("torch::Tensor run_all(int a) {}") == "not seen");
}

TEST_CASE("a function is void, or it returns a value") {
  const auto returns = [](const std::string& text) {
    const auto function = bound(text + "\n" + bind("&run"));
    REQUIRE(function);
    return function->returns_value;
  };
  CHECK_FALSE(returns("[[maybe_unused]] static void run(int a) {}"));
  CHECK_FALSE(returns("template <typename T> void run(T a) {}"));
  CHECK(returns("void* run(int a) { return 0; }"));
  CHECK(returns("auto run(int a) { return a; }"));
  CHECK_FALSE(returns("auto run(int a) { if (a) return; launch(a); }"));
}

TEST_CASE("all ways to name what is bound") {
  const std::string text =
      "namespace ns { struct K; torch::Tensor f(torch::Tensor a, int b) { return a; } }\n";
  for (const char* what : {"&ns::f", "ns::f", "f", "&f, \"doc\"", "torch::wrap_pybind_function(f)",
                           "&ns::f<float, 4>", "py::overload_cast<torch::Tensor, int>(&f)",
                           "static_cast<torch::Tensor (*)(torch::Tensor, int)>(&f), py::arg(\"a\")"}) {
    INFO(what);
    const auto function = bound(text + bind(what));
    REQUIRE(function);
    CHECK(function->name == "f");
    CHECK(function->type == "torch::Tensor");
    CHECK(function->line == 1);
    CHECK(function->parameters == 2);
    CHECK(function->required == 2);
  }
  CHECK_FALSE(bound("torch::Tensor run(int a);\nPYBIND11_MODULE(x, m) { m.def(\"other\", &run); }"));
  CHECK_FALSE(bound("torch::Tensor run(int a);\n// m.def(\"run\", &run);\n"));
  CHECK_FALSE(bound(bind("&run")));
}

TEST_CASE("a definition is believed before a declaration, wherever it stands") {
  const auto function =
      bound("#include \"k.h\"\nvoid run(int);\n" + bind("&run"), "\n\nvoid run(int a, int b) {\n}\n");
  REQUIRE(function);
  CHECK(function->file == "kernel.cu");
  CHECK(function->line == 3);
  CHECK(function->parameters == 2);
}

TEST_CASE("lambda expressions are looked into") {
  const auto lambda = [](const std::string& text) {
    const auto function = bound("\n" + bind(text));
    REQUIRE(function);
    CHECK(function->name.empty());
    CHECK(function->line == 3);
    return *function;
  };
  CHECK(lambda("[](torch::Tensor a) { return f(a); }").returns_value);
  CHECK(lambda("[](torch::Tensor a) { for (int i = 0; i < 3; ++i) g(a, i); }, \"doc\"").parameters == 1);
  CHECK_FALSE(lambda("[](torch::Tensor a) { g(a); return; }").returns_value);
  CHECK_FALSE(lambda("[=](torch::Tensor a, torch::Tensor b) -> void { g(a); }").returns_value);
  CHECK(lambda("[](const py::args& a, py::kwargs k) -> at::Tensor { return f(a); }").takes_more);
}

TEST_CASE("defaults are those of the binding") {
  const auto function = bound("torch::Tensor run(torch::Tensor a, double eps) { return a; }\n" +
                              bind("&run, py::arg(\"a\"), py::arg(\"eps\") = 1e-6"));
  REQUIRE(function);
  CHECK(function->parameters == 2);
  CHECK(function->required == 1);
}
