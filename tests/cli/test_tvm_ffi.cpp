#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/tvm_ffi.h"

// Solutions by TVM-FFI's convention, on the CPU, without Python.
using namespace fib;
using testing::few;

namespace {

const nlohmann::ordered_json kReturns = {{"destination_passing_style", false}};

const std::string kHeaders = R"(
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>
namespace ffi = tvm::ffi;
template <typename Tensor>
void add(const Tensor& a, const Tensor& b, const Tensor& c) {
  for (int64_t i = 0; i < c.shape()[0]; ++i)
    static_cast<float*>(c.data_ptr())[i] = static_cast<float*>(a.data_ptr())[i] + static_cast<float*>(b.data_ptr())[i];
}
inline ffi::Tensor sum(ffi::Tensor a, ffi::Tensor b) {
  auto c = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), a.device());
  add(a, b, c);
  return c;
}
)";

// A function `f` with headers of the package, exported as run.
std::string exported(const std::string& function) {
  return kHeaders + function + "\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n";
}

const std::string kPassing = "void f(ffi::TensorView a, ffi::TensorView b, ffi::TensorView c) ";

struct TvmFfiRun : testing::FibRun {
  TvmFfiRun() { dataset.add_definition({100}); }

  std::map<std::string, testing::TraceLine> traces(const std::string& home = "") {
    auto variables = environment();
    if (!home.empty()) variables.push_back("FIB_TVM_FFI_HOME=" + home);
    const auto result = testing::run_process(words(few({"--device", "cpu"})), variables);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return testing::traces_by_solution(dataset.root());
  }
};

void check_trace(const testing::TraceLine& trace, const std::string& status, const std::string& log = "") {
  INFO(trace.solution << ": " << trace.log.substr(0, 3000));
  CHECK(trace.status == status);
  CHECK(trace.log.find(log) != std::string::npos);
}

}  // namespace

TEST_CASE("functions that declare the interface themselves are called in both styles, without headers") {
  TvmFfiRun run;
  run.dataset.tvm_ffi_solution("passing", testing::kTvmFfiAdd, {}, "main.c");
  run.dataset.tvm_ffi_solution("returning", testing::kTvmFfiAddReturned, kReturns, "main.c");
  run.dataset.tvm_ffi_solution("misled", testing::kTvmFfiAdd, kReturns, "main.c");
  const auto body = [](const std::string& text) {
    return testing::kTvmFfiDeclarations +
           "int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {" + text + "}";
  };
  run.dataset.tvm_ffi_solution("silent", body("return -1;"));
  run.dataset.tvm_ffi_solution("nothing", body("return 0;"), kReturns);
  run.dataset.tvm_ffi_solution("number", body("result->type = 1; result->i = 7; return 0;"), kReturns);
  run.dataset.tvm_ffi_solution("throws",
                               "#include <stdexcept>\n" + body("throw std::runtime_error(\"oops\");"));
  run.dataset.tvm_ffi_solution("view", body("result->type = 7; result->p = &args[0].t->view; return 0;"),
                               kReturns);
  run.dataset.tvm_ffi_solution(
      "short",
      body("View v = args[0].t->view; int64_t n[] = {5}; v.shape = n; v.strides = 0;"
           "return TVMFFIEnvTensorAlloc(&v, &result->p) == 0 ? (result->type = 70, 0) "
           ": -1;"),
      kReturns);
  run.dataset.tvm_ffi_solution("elsewhere", body("View v = args[0].t->view; v.device[0] = 2; void* made;"
                                                 "return TVMFFIEnvTensorAlloc(&v, &made);"));
  const auto view = [&](const std::string& change) {
    return body("static View v; static int64_t two[] = {2}; v = args[0].t->view; " + change +
                " result->type = 7; result->p = &v; return 0;");
  };
  run.dataset.tvm_ffi_solution("strided", view("v.strides = two;"), kReturns);
  run.dataset.tvm_ffi_solution("axes", view("v.ndim = -3;"), kReturns);
  run.dataset.tvm_ffi_solution("dtype", view("v.bits = 64; v.shape = two;"), kReturns);
  // Its returned object ends when the call's inputs are still those of the call: it cannot work ahead for the
  // next one.
  run.dataset.tvm_ffi_solution("ends_late", R"(
#include <stdio.h>
#include <stdlib.h>
)" + testing::kTvmFfiDeclarations + R"(
static struct Kept { uint64_t references; int32_t type; uint32_t pad; void (*deleter)(void*, int); View view; } kept;
static View out;
static float first;
static const float* input;
static void end(void*, int) {
  if (*input != first) fprintf(stderr, "NEXT INPUTS\n");
  kept.references = (1ULL << 32) + 1;
}
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *b = &args[1].t->view;
  if (!kept.deleter) {
    kept.type = 70; kept.view = *a; kept.view.data = malloc(4 * a->shape[0]); kept.deleter = end;
    kept.references = (1ULL << 32) + 1;
  }
  input = (const float*)a->data; first = *input;
  for (int64_t i = 0; i < a->shape[0]; ++i) ((float*)kept.view.data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i];
  result->type = 70;
  result->p = &kept;
  return 0;
})",
                               kReturns);
  run.dataset.tvm_ffi_solution("stale", testing::kTvmFfiDeclarations + R"(
static int calls = 0;
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  if (++calls > 1) return -1;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "handled long ago");
  const View *a = &args[0].t->view, *b = &args[1].t->view, *c = &args[2].t->view;
  for (int64_t i = 0; i < c->shape[0]; ++i) ((float*)c->data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i];
  return 0;
})");
  auto traces = run.traces();
  check_trace(traces["ends_late"], "PASSED");
  CHECK(traces["ends_late"].log.find("NEXT INPUTS") == std::string::npos);
  check_trace(traces["stale"], "RUNTIME_ERROR",
              "the solution returned the error code -1 and raised no error");
  check_trace(traces["strided"], "RUNTIME_ERROR",
              "output \"c\" was returned with strides: make it contiguous");
  check_trace(traces["axes"], "RUNTIME_ERROR", "the function returned a tensor of -3 axes");
  check_trace(traces["dtype"], "INCORRECT_SHAPE");
  check_trace(traces["passing"], "PASSED");
  check_trace(traces["returning"], "PASSED");
  check_trace(traces["misled"], "RUNTIME_ERROR",
              "call 1: TypeError: three arguments, please while the solution ran");
  check_trace(traces["silent"], "RUNTIME_ERROR",
              "the solution returned the error code -1 and raised no error");
  check_trace(traces["nothing"], "INCORRECT_SHAPE");
  check_trace(traces["number"], "RUNTIME_ERROR",
              "returned neither a tensor nor an array of tensors (TVM-FFI's type 1)");
  check_trace(traces["throws"], "RUNTIME_ERROR", "the solution threw an exception: oops");
  check_trace(traces["view"], "INCORRECT_NUMERICAL");
  check_trace(traces["short"], "INCORRECT_SHAPE");
  check_trace(traces["elsewhere"], "RUNTIME_ERROR", "RuntimeError: tensors lie on the device of the call");
}

TEST_CASE("solutions with TVM-FFI's headers run in fib's runtime, and their errors reach the log") {
  for (const auto& home : testing::tvm_ffi_homes()) {
    CAPTURE(home);
    TvmFfiRun run;
    auto& data = run.dataset;
    data.tvm_ffi_solution("passing", exported(kPassing + "{ add(a, b, c); }"));
    data.tvm_ffi_solution("pointers",
                          exported("void f(DLTensor* a, DLTensor* b, DLTensor* c) { add(ffi::TensorView(a), "
                                   "ffi::TensorView(b), ffi::TensorView(c)); }"));
    data.tvm_ffi_solution(
        "tensor", exported("ffi::Tensor f(ffi::Tensor a, ffi::Tensor b) { return sum(a, b); }"), kReturns);
    data.tvm_ffi_solution(
        "array", exported("ffi::Array<ffi::Tensor> f(ffi::Tensor a, ffi::Tensor b) { return {sum(a, b)}; }"),
        kReturns);
    data.tvm_ffi_solution("keeps",
                          exported("ffi::Tensor f(ffi::Tensor a, ffi::Tensor b) {"
                                   "static ffi::Tensor kept = sum(a, b);"
                                   "add(a, b, kept); return kept; }"),
                          kReturns);
    data.tvm_ffi_solution("global", exported(R"(
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def("test.plus", [](double x, double y) { return x + y; });
}
)" + kPassing + R"({
  auto plus = ffi::Function::GetGlobalRequired("test.plus");
  for (int64_t i = 0; i < c.shape()[0]; ++i) {
    float x = static_cast<float*>(a.data_ptr())[i], y = static_cast<float*>(b.data_ptr())[i];
    static_cast<float*>(c.data_ptr())[i] = static_cast<float>(plus(x, y).cast<double>());
  }
})"));
    data.tvm_ffi_solution("containers", exported(kPassing + R"({
  ffi::Map<ffi::String, int64_t> sizes;
  sizes.Set("a name of more than seven letters", c.shape()[0]);
  ffi::Array<ffi::Any> values = {1, 2.5, ffi::String("text"), ffi::DLDataTypeToString(a.dtype())};
  if (values[3].cast<ffi::String>() != "float32" || sizes.size() != 1) TVM_FFI_THROW(KeyError) << values.size();
  add(a, b, c);
})"));
    data.tvm_ffi_solution("defaults", exported(R"(
#include <tvm/ffi/reflection/creator.h>
struct Named : ffi::Object {
  ffi::String name;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Named", Named, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::ObjectDef<Named>().def_rw("name", &Named::name, refl::DefaultValue(ffi::String("a rather long default string")));
}
)" + kPassing + R"({
  ffi::reflection::ObjectCreator make("test.Named");
  ffi::Any made = make(ffi::Map<ffi::String, ffi::Any>());
  if (made.cast<ffi::ObjectRef>().as<Named>()->name != "a rather long default string") TVM_FFI_THROW(ValueError) << "no";
  add(a, b, c);
})"));
    data.tvm_ffi_solution("raises", exported(kPassing + "{ TVM_FFI_THROW(ValueError) << \"seven \" << 7; }"));
    data.tvm_ffi_solution("catches", exported(R"(
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def("test.fail", [](int64_t x) -> int64_t { TVM_FFI_THROW(IndexError) << x; return x; });
}
)" + kPassing + R"({
  try {
    ffi::Function::GetGlobalRequired("test.fail")(5);
  } catch (const ffi::Error& error) {
    if (error.kind() == "IndexError") add(a, b, c);
  }
})"));
    data.tvm_ffi_solution("absent",
                          exported(kPassing + "{ ffi::Function::GetGlobalRequired(\"nobody.has\"); }"));
    data.tvm_ffi_solution("number", exported("void f(ffi::TensorView a, double b, ffi::TensorView c) {}"));
    data.tvm_ffi_solution("fewer", exported("void f(ffi::TensorView a, ffi::TensorView b) {}"));
    data.tvm_ffi_solution(
        "text", exported("ffi::String f(ffi::TensorView a, ffi::TensorView b) { return \"a long text\"; }"),
        kReturns);
    data.tvm_ffi_solution("real", exported(kPassing + R"({
  if (TVMFFIEnvRegisterCAPI("test", nullptr) != 0) TVM_FFI_THROW(RuntimeError) << "no";
  add(a, b, c);
})"));
    auto traces = run.traces(home);
    for (const char* name :
         {"passing", "pointers", "tensor", "array", "keeps", "global", "containers", "catches", "defaults"})
      check_trace(traces[name], "PASSED");
    check_trace(traces["raises"], "RUNTIME_ERROR",
                "call 1: Traceback (most recent call last):\n  File \"main.cpp\", line");
    check_trace(traces["raises"], "RUNTIME_ERROR", "\nValueError: seven 7 while the solution ran");
    check_trace(traces["absent"], "RUNTIME_ERROR", "ValueError: Function nobody.has not found");
    check_trace(traces["number"], "RUNTIME_ERROR", "TypeError: Mismatched type on argument #1");
    check_trace(traces["fewer"], "RUNTIME_ERROR", "TypeError: Mismatched number of arguments");
    check_trace(traces["text"], "RUNTIME_ERROR",
                "returned neither a tensor nor an array of tensors (TVM-FFI's type 65)");
    check_trace(traces["real"], "RUNTIME_ERROR",
                "RuntimeError: no while the solution ran");  // which the package's library lets it raise
  }
}

TEST_CASE(
    "solutions that need headers which are not there are skipped, with a sentence that says how to get "
    "them") {
  TvmFfiRun run;
  run.dataset.tvm_ffi_solution("headers", exported(kPassing + "{}"));
  auto variables = run.environment();
  variables.emplace_back("FIB_TVM_FFI_HOME=");
  const auto result = testing::run_process(run.words(few({"--device", "cpu"})), variables);
  if (std::filesystem::exists("/usr/include/tvm/ffi") ||
      std::filesystem::exists("/usr/local/include/tvm/ffi")) {
    WARN("skipped: this machine has the headers of TVM-FFI");
    return;
  }
  INFO(result.err);
  CHECK(result.err.find(
            "it needs the headers of TVM-FFI: install apache-tvm-ffi for the Python that fib uses") !=
        std::string::npos);
  CHECK(testing::read_traces(run.dataset.root()).empty());
  const auto wrong = [&] {
    variables.back() = "FIB_TVM_FFI_HOME=" + run.folder.path().string();
    return testing::run_process(run.words(few()), variables);
  }();
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err.find("FIB_TVM_FFI_HOME: " + run.folder.path().string() +
                       " has no include/tvm/ffi/c_api.h") != std::string::npos);
}
