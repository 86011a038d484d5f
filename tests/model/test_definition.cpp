#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/definition.h"

using namespace fib::model;

namespace {

// A definition with these texts in its places.
std::string definition(const std::string& axes = R"("M":{"type":"var"},"N":{"type":"const","value":4})",
                       const std::string& inputs = R"("A":{"shape":["M","N"],"dtype":"float32"})",
                       const std::string& rest = "") {
  return R"({"name":"d","op_type":"op","axes":{)" + axes + R"(},"inputs":{)" + inputs +
         R"(},"outputs":{"B":{"shape":["M","N"],"dtype":"float32"}},"reference":"def run(A):\n    return A\n")" +
         rest + "}";
}

std::vector<FieldError> errors_of(const std::string& text, Mode mode = Mode::lenient) {
  try {
    static_cast<void>(parse_definition(text, mode));
    return {};
  } catch (const ParseError& error) {
    return error.errors();
  }
}

using Shapes = std::vector<std::optional<std::vector<std::int64_t>>>;

}  // namespace

TEST_CASE("a definition is read with its order") {
  const Definition read = parse_definition(definition(
      R"("Z":{"type":"var","description":"size"},"N":{"type":"const","value":4},"M":{"type":"var"})",
      R"("b":{"shape":["M","N"],"dtype":"bfloat16"},"a":{"shape":null,"dtype":"float32"},)"
      R"("c":{"shape":[],"dtype":"bool"})"));
  CHECK(read.name == "d");
  CHECK(var_axes(read) == std::vector<std::string>{"Z", "M"});
  REQUIRE(read.inputs.size() == 3);
  CHECK(read.inputs[0].name == "b");
  CHECK(read.inputs[1].is_scalar());
  CHECK_FALSE(read.inputs[2].is_scalar());
  CHECK(read.inputs[2].shape->empty());
  CHECK(read.axes[0].second.description == "size");
  CHECK_FALSE(read.tags);
}

TEST_CASE("all field errors are collected with their paths") {
  const auto errors =
      errors_of(R"({"name":"","op_type":5,"axes":{"M":{"type":"range"},"N":{"type":"const","value":-1}},)"
                R"("inputs":{"A":{"dtype":"float99"}},"outputs":[],"reference":"x","tags":null})");
  std::vector<std::string> paths;
  for (const auto& error : errors) paths.push_back(error.path);
  CHECK(paths == std::vector<std::string>{"name", "op_type", "axes.M.type", "axes.N.value", "inputs.A.shape",
                                          "inputs.A.dtype", "outputs", "tags"});
}

TEST_CASE("the message lists every field error with its path") {
  CHECK_THROWS_WITH(parse_definition(definition(R"("M":{"type":"var"},"N":{"type":"const","value":-1})")),
                    "axes.N.value: Input should be greater than or equal to 0");
  CHECK_THROWS_WITH(parse_definition("[]"), "Input should be an object");
}

TEST_CASE("of very many field errors the first are told") {
  std::string shape = "1";
  for (int i = 1; i < 5000; ++i) shape += ",1";
  const std::string text =
      definition(R"("M":{},"N":{})", R"("A":{"shape":[)" + shape + R"(],"dtype":"bool"})");
  CHECK(errors_of(text).size() == 1000);
  try {
    static_cast<void>(parse_definition(text, Mode::lenient));
  } catch (const ParseError& error) {
    CHECK_THAT(error.what(),
               Catch::StartsWith("inputs.A.shape.0: Input should be a valid string; ") &&
                   Catch::EndsWith("inputs.A.shape.99: Input should be a valid string; and 900 more"));
  }
}

TEST_CASE("long names are cut where an error says its place") {
  const std::string name(100'000, 'x');
  const auto errors =
      errors_of(definition(R"("M":{},"N":{})", "\"" + name + R"(":{"shape":[1],"dtype":"bool"})"));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].path == "inputs." + name.substr(0, 200) + "….shape.0");
}

TEST_CASE("the rules of the model stop at the first that is broken") {
  const auto rule = [](const std::string& text) {
    const auto errors = errors_of(text);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].path.empty());
    return errors[0].message;
  };
  CHECK(rule(definition(R"("M":{})", R"("A":{"shape":["M"],"dtype":"bool"})")) ==
        "Output \"B\" references undefined axis \"N\"");
  CHECK(rule(definition(R"("M":{},"N":{})",
                        R"("A":{"shape":["Q"],"dtype":"bool"},"B":{"shape":null,"dtype":"bool"})")) ==
        "Input \"A\" references undefined axis \"Q\"");
  CHECK(rule(definition(R"("M":{},"N":{})", R"("B":{"shape":null,"dtype":"bool"})")) ==
        "Input and output names must not overlap");
  CHECK_THAT(rule(definition(R"("M":{},"N":{})", "", R"(,"constraints":["M > 0"," M"])")),
             Catch::StartsWith("Constraints must be valid Python expressions: "));
}

TEST_CASE("what nobody writes is refused before it is looked at long") {
  const auto message = [](const std::string& text) {
    const auto errors = errors_of(text);
    REQUIRE(errors.size() == 1);
    return errors[0].message;
  };
  std::string axes;
  std::string dimensions;
  for (int i = 0; i < 1001; ++i) axes += fmt::format("{}\"a{}\":{{}}", i == 0 ? "" : ",", i);
  for (int i = 0; i < 65; ++i) dimensions += i == 0 ? "\"N\"" : ",\"N\"";
  CHECK(message(definition(axes, R"("A":{"shape":null,"dtype":"bool"})")) ==
        "Axes: 1001 of them, more than 1000");
  std::string constraints = "\"M > 0\"";
  for (int i = 0; i < 1000; ++i) constraints += ",\"M > 0\"";
  CHECK(message(definition(R"("M":{},"N":{})", "", ",\"constraints\":[" + constraints + "]")) ==
        "Constraints: 1001 of them, more than 1000");
  const std::string rest = definition();
  const std::string reference = "    return A\\n";
  std::string large = rest;
  large.replace(large.find(reference), reference.size(), reference + std::string(1 << 20, ' '));
  CHECK_THAT(message(large),
             Catch::StartsWith("Reference: 10486") && Catch::EndsWith(" bytes, more than 1048576"));
  CHECK(
      message(definition(R"("N":{})", "", R"(,"constraints":["N > )" + std::string(1 << 20, ' ') + "1\"]")) ==
      "All constraints: 1048581 bytes, more than 32768");
  CHECK_THAT(
      message(definition(R"("N":{"type":"expr","expression":"1)" + std::string(1 << 20, ' ') + "\"}", "")),
      Catch::StartsWith("Expressions of all axes: ") && Catch::EndsWith("more than 16384"));
  std::string tensors;
  for (int i = 0; i < 65; ++i)
    tensors +=
        fmt::format(R"({}"A{}":{{"shape":[{}],"dtype":"bool"}})", i == 0 ? "" : ",", i, dimensions.substr(4));
  CHECK(message(definition(R"("N":{})", tensors)) ==
        "Dimensions of all tensors: 4162 of them, more than 4096");
  CHECK(message(definition(R"("N":{})", R"("A":{"shape":[)" + dimensions + R"(],"dtype":"bool"})")) ==
        "Dimensions of \"A\": 65 of them, more than 64");
}

TEST_CASE("the reference must be Python with a plain top-level run") {
  const auto with = [](const std::string& reference) {
    std::string text = definition();
    text.replace(text.find(R"(def run(A):\n    return A\n)"), 27, reference);
    return errors_of(text);
  };
  CHECK(with(R"(import torch\n@torch.no_grad()\ndef run(x):\n  pass\n)").empty());
  for (const char* other : {R"(def go(): pass)", R"(async def run(): pass)", R"(run = lambda: 0)",
                            R"(class C:\n  def run(self): pass)", R"(if 1:\n  def run(): pass)"}) {
    INFO(other);
    REQUIRE(with(other).size() == 1);
    CHECK(with(other)[0].message == "Reference must define a top-level function named 'run'");
  }
  CHECK_THAT(with(R"(def run(:)")[0].message, Catch::StartsWith("Reference must be valid Python code: "));
}

TEST_CASE("a definition is written as it was read, unknown keys last") {
  const std::string text =
      R"({"name":"d","op_type":"op","axes":{"M":{},"N":{"value":100000000000000000000,"description":null,"x":[1]}},)"
      R"("inputs":{"A":{"shape":["M"],"dtype":"int8","optional":true}},"outputs":{},)"
      R"("reference":"def run(A): pass","tags":[],"description":null,"constraints":["M>0"],"init":"x","check":1.50})";
  CHECK(to_json(parse_definition(text), json::Form::compact) == text);
}

TEST_CASE("upstream mode drops unknown keys") {
  const Definition read =
      parse_definition(definition(R"("M":{"parent":1},"N":{"value":4})",
                                  R"("A":{"shape":["M"],"dtype":"int8","optional":true})", R"(,"init":"x")"),
                       Mode::upstream);
  CHECK(read.unknown.empty());
  CHECK(read.axes[0].second.unknown.empty());
  CHECK(read.inputs[0].unknown.empty());
}

TEST_CASE("old spellings are understood, but not upstream's way") {
  std::string text = definition();
  text.replace(text.find("op_type"), 7, "type");
  text.replace(text.find("float32"), 7, "float8_e4m3");
  const Definition read = parse_definition(text);
  CHECK(read.op_type == "op");
  CHECK(read.inputs[0].dtype == "float8_e4m3fn");
  CHECK(read.unknown.empty());
  CHECK(errors_of(text, Mode::upstream).size() == 2);
}

TEST_CASE("axis values join the constants and the workload's") {
  const Definition read = parse_definition(definition());
  CHECK(axis_values(read, {{"M", 3}}) == AxisValues{{"M", 3}, {"N", 4}});
  CHECK(axis_values(read, {{"M", 3}, {"N", 4}}) == AxisValues{{"M", 3}, {"N", 4}});
  CHECK_THROWS_WITH(axis_values(read, {}), Catch::Contains("axis \"M\"") && Catch::Contains("has no value"));
  CHECK_THROWS_WITH(axis_values(read, {{"M", 3}, {"Q", 1}}), Catch::StartsWith("axis \"Q\" is not an axis"));
  CHECK_THROWS_WITH(axis_values(read, {{"M", 3}, {"N", 5}}),
                    Catch::StartsWith("axis \"N\" is 4 in definition \"d\""));
  Integer huge(1);
  huge.digits = "100000000000000000000";
  CHECK_THROWS_WITH(axis_values(read, {{"M", huge}}), Catch::Contains("100000000000000000000"));
}

TEST_CASE("shapes follow from axis values") {
  const Definition read = parse_definition(
      definition(R"("M":{},"N":{"value":4})",
                 R"("A":{"shape":["M","N","M"],"dtype":"int8"},"s":{"shape":null,"dtype":"int8"})"));
  CHECK(shape_of(read.inputs[0], {{"M", 3}, {"N", 4}}) == std::vector<std::int64_t>{3, 4, 3});
  CHECK_FALSE(shape_of(read.inputs[1], {}));
  CHECK_THROWS_WITH(shape_of(read.inputs[0], {}), "Missing value for variable axis 'M'");
}

TEST_CASE("axes may follow from others") {
  const std::string axes =
      R"("half":{"type":"expr","expression":"(N * 2 + M) // 2","description":"of both"},)"
      R"("M":{"type":"var"},"N":{"type":"const","value":4},"K":{"type":"expr","expression":"N / 2"})";
  const std::string text = definition(axes, R"("A":{"shape":["M","half","1","K"],"dtype":"float64"})");
  const Definition read = parse_definition(text);
  CHECK(var_axes(read) == std::vector<std::string>{"M"});
  const AxisValues values = axis_values(read, {{"M", 3}});
  CHECK(values == AxisValues{{"M", 3}, {"N", 4}, {"half", 5}, {"K", 2}});
  CHECK(shape_of(read.inputs[0], values) == std::vector<std::int64_t>{3, 5, 1, 2});
  CHECK(axis_values_from_shapes(read, {{{3, 5, 1, 2}}}) == AxisValues{{"M", 3}});
  CHECK(axis_values(read, {{"M", 3}, {"half", 5}}) == values);
  CHECK_THROWS_WITH(axis_values(read, {{"M", 3}, {"half", 6}}),
                    Catch::Contains("\"half\" is (N * 2 + M) // 2 = 5"));
  CHECK(to_json(read, json::Form::compact) == text);
  CHECK_FALSE(errors_of(text, Mode::upstream).empty());
}

TEST_CASE("an axis expression has Python's meaning, and gives a size") {
  const auto value = [](const std::string& expression) {
    return axis_values(
               parse_definition(definition(R"("x":{"type":"expr","expression":")" + expression +
                                           R"("},"M":{"type":"var"},"N":{"type":"const","value":7})")),
               {{"M", 3}})
        .at("x");
  };
  CHECK(value("-N // -2 + 0 * M") == 3);
  CHECK(value("(-N) % M") == 2);
  CHECK(value("2 ** M") == 8);
  CHECK(value("+N * 4 / 2") == 14);
  CHECK_THROWS_WITH(value("N / 2"), "expression \"N / 2\": it is 3.5, which is no size");
  CHECK_THROWS_WITH(value("M - N"), "expression \"M - N\": it is -4, which is no size");
  CHECK_THROWS_WITH(value("N // (M - 3)"), Catch::Contains("division by zero"));
  CHECK_THROWS_WITH(value("N ** 99"), Catch::Contains("does not fit 64 bits"));
  for (const std::string wrong :
       {"", "N +", "x", "Q", "N.a", "N if M else 1", "1.5", "~N", "N << 1", "f(N)", "not N"}) {
    INFO(wrong);
    CHECK_FALSE(errors_of(definition(R"("x":{"type":"expr","expression":")" + wrong +
                                     R"("},"M":{"type":"var"},"N":{"type":"const","value":7})"))
                    .empty());
  }
}

TEST_CASE("SOL-ExecBench's definitions are read") {
  std::string text = definition();
  text.erase(text.find(R"("op_type":"op",)"), std::string(R"("op_type":"op",)").size());
  const Definition read = parse_definition(text);
  CHECK(read.op_type == "unknown");
  CHECK(to_json(read, json::Form::compact) == text);
  CHECK_FALSE(errors_of(text, Mode::upstream).empty());
  for (const std::string dtype : {"float64", "float4_e2m1fn_x2"}) {
    const std::string other = definition(R"("M":{"type":"var"},"N":{"type":"var"})",
                                         R"("A":{"shape":["M"],"dtype":")" + dtype + "\"}");
    CHECK(errors_of(other).empty());
    CHECK_FALSE(errors_of(other, Mode::upstream).empty());
  }
}

TEST_CASE("axis values follow from input shapes") {
  const Definition one = parse_definition(definition("\"M\":{},\"N\":{}"));
  CHECK(axis_values_from_shapes(one, Shapes{{{2, 4}}}) == AxisValues{{"M", 2}, {"N", 4}});
  const Definition two = parse_definition(definition(
      "\"M\":{},\"N\":{}",
      R"("A":{"shape":["M","N"],"dtype":"int8"},"s":{"shape":null,"dtype":"int8"},"C":{"shape":["M","N"],"dtype":"int8"})"));
  CHECK(axis_values_from_shapes(two, Shapes{{{2, 4}}, std::nullopt, {{2, 4}}}).size() == 2);
  CHECK_THROWS_WITH(axis_values_from_shapes(two, Shapes{{{2, 4}}, std::nullopt, {{3, 4}}}),
                    "Axis 'M' has different values for different input tensors: 2 and 3");
  CHECK_THROWS_WITH(axis_values_from_shapes(one, Shapes{{{2}}}),
                    "Input 'A''s defined dimension is 2 but the actual dimension is 1");
  const Definition output_only = parse_definition(definition("\"M\":{},\"N\":{}", ""));
  CHECK_THROWS_WITH(axis_values_from_shapes(output_only, {}), "Missing values for variable axes: {'M', 'N'}");
  const Definition constant = parse_definition(definition());
  CHECK(axis_values_from_shapes(constant, Shapes{{{2, 99}}}) == AxisValues{{"M", 2}});
}

// As for solutions: no version of fib may change them.
TEST_CASE("the content hash of a definition has the values that it always had") {
  CHECK(content_sha256(parse_definition(definition())) ==
        "85a7d39cf2a1644ede9f087a20505c3502ee5596cba83bdb9c2c04e4d702e829");
  CHECK(
      content_sha256(parse_definition(definition("\"M\":{},\"N\":{}", R"("A":{"shape":null,"dtype":"int8"})",
                                                 R"(,"constraints":["M > 1"],"tags":["t"])"))) ==
      "ada74a1c7d0fdfc2ec5cb39ad3c5ca7d111e2a0b4da292c522506ab86dad3ca8");
}
