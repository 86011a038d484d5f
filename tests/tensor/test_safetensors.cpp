#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tensor/safetensors.h"
#include "util/error.h"
#include "util/files.h"

namespace {

namespace fs = std::filesystem;
using fib::tensor::DType;
using fib::tensor::SafetensorsFile;
using fib::tensor::Shape;
using fib::tensor::TensorToWrite;
using fib::tensor::write_safetensors;

class Folder {
 public:
  Folder() : temporary_(fs::temp_directory_path(), "fib-safetensors-") {}

  [[nodiscard]] fs::path path(const std::string& name) const { return temporary_.path() / name; }

  // A file with exactly these bytes.
  [[nodiscard]] fs::path raw(const std::string& content) const {
    std::ofstream(path("raw.safetensors"), std::ios::binary) << content;
    return path("raw.safetensors");
  }

 private:
  fib::util::TemporaryFolder temporary_;
};

std::string length_field(std::uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

std::string with_header(const std::string& header, std::size_t buffer_bytes) {
  return length_field(header.size()) + header + std::string(buffer_bytes, 'x');
}

TEST_CASE("tensors that were written are found again, with names, shapes, dtypes and bytes") {
  const Folder folder;
  const float floats[] = {1, 2, 3, 4, 5, 6};
  const std::int64_t number = -7;
  const std::uint8_t flags[] = {1, 0, 1};
  write_safetensors(folder.path("t"),
                    {{"flags", DType::kBool, {3}, flags},
                     {"b/floats", DType::kFloat32, {2, 3}, floats},
                     {"number \"quoted\"", DType::kInt64, {}, &number},
                     {"none", DType::kFloat16, {4, 0}, nullptr}},
                    {{"format", "pt"}});
  SafetensorsFile first(folder.path("t"));
  const auto early = first.find("b/floats");
  const SafetensorsFile file(std::move(first));  // views outlive the move
  CHECK(file.names() == std::vector<std::string>{"b/floats", "flags", "none", "number \"quoted\""});
  CHECK(file.metadata().at("format") == "pt");
  REQUIRE(early.has_value());
  CHECK(early->dtype == DType::kFloat32);
  CHECK(early->shape == Shape{2, 3});
  REQUIRE(early->bytes == sizeof floats);
  CHECK(std::memcmp(early->data, floats, sizeof floats) == 0);
  const auto scalar = file.find("number \"quoted\"");
  REQUIRE(scalar.has_value());
  CHECK(scalar->shape.empty());
  CHECK(std::memcmp(scalar->data, &number, sizeof number) == 0);
  CHECK(std::memcmp(file.find("flags").value().data, flags, 3) == 0);
  CHECK(file.find("none").value().bytes == 0);
  CHECK_FALSE(file.find("flag").has_value());
  CHECK_FALSE(file.find("__metadata__").has_value());
}

TEST_CASE("every dtype of the format can be written and read, and lies aligned") {
  const Folder folder;
  const std::vector<std::byte> data(24);
  std::vector<TensorToWrite> tensors;
  for (const char* name : {"uint8", "bool", "int8", "int16", "int32", "int64", "float16", "bfloat16",
                           "float32", "float64", "float8_e4m3fn", "float8_e5m2"})
    tensors.push_back({name, fib::tensor::dtype_from_name(name).value(), {3}, data.data()});
  write_safetensors(folder.path("t"), tensors);
  const SafetensorsFile file(folder.path("t"));
  CHECK(file.names().size() == 12);
  for (const std::string& name : file.names()) {
    const auto view = file.find(name).value();
    CHECK(fib::tensor::name_of(view.dtype) == name);
    CHECK(reinterpret_cast<std::uintptr_t>(view.data) % fib::tensor::bytes_of(view.dtype, 1) == 0);
  }
}

TEST_CASE("writing does not depend on the order of the tensors") {
  const Folder folder;
  const double values[] = {1, 2};
  const TensorToWrite a{"a", DType::kFloat32, {2}, values};
  const TensorToWrite b{"b", DType::kFloat64, {2}, values};
  const TensorToWrite c{"c", DType::kFloat32, {3}, values};
  write_safetensors(folder.path("1"), {a, b, c});
  write_safetensors(folder.path("2"), {c, b, a});
  CHECK(fib::util::read_file(folder.path("1")) == fib::util::read_file(folder.path("2")));
}

TEST_CASE("an open file gets the same bytes") {
  const Folder folder;
  const float floats[] = {1, 2, 3, 4};
  const std::int64_t number = -7;
  const std::vector<TensorToWrite> tensors = {{"f", DType::kFloat32, {2, 2}, floats},
                                              {"n", DType::kInt64, {}, &number}};
  write_safetensors(folder.path("1"), tensors);
  const fib::util::UniqueFd fd(::open(folder.path("2").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  write_safetensors(fd.get(), "2", tensors);
  CHECK(fib::util::read_file(folder.path("1")) == fib::util::read_file(folder.path("2")));
  CHECK_THROWS_AS(write_safetensors(-1, "2", tensors), fib::Error);
}

TEST_CASE("what the format cannot hold is not written") {
  const Folder folder;
  const double value = 0;
  const auto write = [&](const std::vector<TensorToWrite>& tensors) {
    write_safetensors(folder.path("t"), tensors);
  };
  CHECK_THROWS_AS(write({{"a", DType::kFloat32, {}, &value}, {"a", DType::kInt8, {}, &value}}), fib::Error);
  CHECK_THROWS_AS(write({{"__metadata__", DType::kInt8, {}, &value}}), fib::Error);
  CHECK_THROWS_AS(write({{"a", DType::kFloat4E2M1, {2}, &value}}), fib::Error);
  CHECK_THROWS_AS(write({{"a", DType::kInt8, {-1}, &value}}), fib::Error);
  CHECK_FALSE(fs::exists(folder.path("t")));
}

TEST_CASE("headers that other programs write are read") {
  const Folder folder;
  // Padding behind the object, tensors in another order than their data, unknown fields, data at odd
  // addresses.
  const std::string header = R"({"b":{"shape":[2],"data_offsets":[1,3],"dtype":"U8","extra":null},)"
                             R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"__metadata__":{}}   )";
  const SafetensorsFile file(folder.raw(length_field(header.size()) + header + "\x01zy"));
  CHECK(std::memcmp(file.find("b").value().data, "zy", 2) == 0);
  CHECK(file.find("a").value().dtype == DType::kBool);
  CHECK(SafetensorsFile(folder.raw(with_header("{}", 0))).names().empty());
}

TEST_CASE("a tensor of an unsupported dtype is an error only for whoever asks for it") {
  const Folder folder;
  const SafetensorsFile file(folder.raw(with_header(
      R"({"u":{"dtype":"U32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"I8","shape":[2],"data_offsets":[4,6]}})",
      6)));
  CHECK(file.find("a").value().bytes == 2);
  CHECK_THROWS_WITH(file.find("u"), Catch::Contains("\"u\"") && Catch::Contains("U32"));
}

// One tensor's description with the given fields.
std::string tensor(const std::string& fields) { return R"({"t":{)" + fields + "}}"; }

TEST_CASE("every broken file is refused with its reason") {
  struct Row {
    std::string content;
    const char* reason;
  };
  const std::string good = R"("dtype":"U8","shape":[4],"data_offsets":[0,4])";
  const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  const Row rows[] = {
      {"", "fewer than a header's length"},
      {"1234567", "fewer than a header's length"},
      {length_field(100'000'001) + "{}", "at most 100000000"},
      {length_field(~std::uint64_t{0}) + "{}", "at most 100000000"},
      {length_field(3) + "{}", "the file ends after 2"},
      {length_field(0), "does not begin with a brace"},
      {with_header(" {}", 0), "does not begin with a brace"},
      {with_header("[]", 0), "does not begin with a brace"},
      {with_header("{", 0), "not a JSON object"},
      {with_header("{} {}", 0), "not a JSON object"},
      {with_header("{\"\xff\":1}", 0), "not a JSON object"},
      {with_header(R"({"t":5})", 4), "tensor \"t\": its description is not an object"},
      {with_header(tensor(R"("shape":[4],"data_offsets":[0,4])"), 4), "\"dtype\" is missing"},
      {with_header(tensor(R"("dtype":"U8","data_offsets":[0,4])"), 4), "\"shape\" is missing"},
      {with_header(tensor(R"("dtype":"U8","shape":[4])"), 4), "\"data_offsets\" is missing"},
      {with_header(tensor(R"("dtype":8,"shape":[4],"data_offsets":[0,4])"), 4), "\"dtype\" is not a string"},
      {with_header(tensor(R"("dtype":"U8","shape":4,"data_offsets":[0,4])"), 4), "\"shape\" is not a list"},
      {with_header(tensor(R"("dtype":"U8","shape":[-4],"data_offsets":[0,4])"), 4),
       "not a number of elements"},
      {with_header(tensor(R"("dtype":"U8","shape":[4.0],"data_offsets":[0,4])"), 4),
       "not a number of elements"},
      {with_header(tensor(R"("dtype":"U8","shape":["4"],"data_offsets":[0,4])"), 4),
       "not a number of elements"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4,4])"), 4), "list of two numbers"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":"0,4")"), 4), "list of two numbers"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[-1,3])"), 4), "not a number of bytes"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4.5])"), 4), "not a number of bytes"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[4,0])"), 4),
       "ends at 0, before it begins"},
      {with_header(tensor(good + R"(,"dtype":"I8")"), 4), "\"dtype\" is given twice"},
      {with_header(tensor(R"("dtype":"F32","shape":[4],"data_offsets":[0,4])"), 4),
       "takes 16 bytes, but its data has 4"},
      {with_header(tensor(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0),
       "63 bits"},
      {with_header(tensor(R"("dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0])"), 0),
       "64 bits"},
      {with_header(tensor(R"("dtype":"U8","shape":[0,4294967296,4294967296],"data_offsets":[0,0])"), 0),
       "63 bits"},
      {with_header(tensor(good), 3), "cut off or damaged"},
      {with_header(tensor(good), 5), "bytes 4 to 5 at the end"},
      {with_header(tensor(R"("dtype":"U8","shape":[4],"data_offsets":[1,5])"), 5),
       "bytes 0 to 1 of the buffer"},
      {with_header("{}", 1), "bytes 0 to 1 at the end"},
      {with_header("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})", 7),
       "inside another"},
      {with_header("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4),
       "inside another"},
      {with_header("{" + a + R"(,"b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}})", 9),
       "belong to no tensor"},
      {with_header("{" + a + "," + a + "}", 4), "\"a\" occurs twice"},
      {with_header(R"({"__metadata__":{},"__metadata__":{}})", 0), "\"__metadata__\" occurs twice"},
      {with_header(R"({"__metadata__":{"a":1}})", 0), "\"a\", which is not a string"},
      {with_header(R"({"__metadata__":[]})", 0), "\"__metadata__\" is not an object"},
  };
  const Folder folder;
  for (const Row& row : rows) {
    INFO(row.reason);
    const fs::path path = folder.raw(row.content);
    CHECK_THROWS_WITH(SafetensorsFile(path, "blobs/x.safetensors"),
                      Catch::StartsWith("blobs/x.safetensors: ") && Catch::Contains(row.reason));
    CHECK_THROWS_AS(SafetensorsFile(path), fib::Error);
  }
}

TEST_CASE("a header may be cut off anywhere without harm") {
  const std::string whole =
      with_header(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})", 8);
  const Folder folder;
  for (std::size_t length = 0; length < whole.size(); ++length)
    REQUIRE_THROWS_AS(SafetensorsFile(folder.raw(whole.substr(0, length))), fib::Error);
  CHECK_NOTHROW(SafetensorsFile(folder.raw(whole)));
}

TEST_CASE("a Git LFS pointer is recognised, with the command that fetches the data") {
  const Folder folder;
  const fs::path path = folder.raw("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n");
  CHECK_THROWS_WITH(SafetensorsFile(path, "blob/workloads/x.safetensors"),
                    Catch::Contains("git lfs pull --include blob/workloads/x.safetensors"));
}

TEST_CASE("files that cannot be read are errors that name them") {
  const Folder folder;
  CHECK_THROWS_WITH(SafetensorsFile(folder.path("missing")), Catch::Contains("missing"));
  CHECK_THROWS_WITH(SafetensorsFile(folder.path("")), Catch::Contains("not a regular file"));
}

}  // namespace
