#include "tensor/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "util/error.h"
#include "util/files.h"
#include "util/shell_word.h"

namespace fib::tensor {

namespace {

constexpr std::string_view kPointerMark = "version https://git-lfs.github.com/spec/v1";
constexpr std::size_t kAlignment = 8;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SafetensorsHeader read_header(std::span<const std::byte> file, const std::string& shown_as) {
  if (as_text(file).starts_with(kPointerMark))
    throw Error("{} is a Git LFS pointer, not the data; run: git lfs pull --include {}", shown_as,
                util::shell_word(shown_as));
  try {
    return parse_safetensors_header(file);
  } catch (const Error& reason) {
    throw reason.with_context(shown_as);
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path, const std::string& shown_as)
    : shown_as_(shown_as.empty() ? path.string() : shown_as),
      file_(path),
      header_(read_header(file_.bytes(), shown_as_)) {}

std::optional<TensorView> SafetensorsFile::find(std::string_view name) const {
  const auto found = header_.entries.find(name);
  if (found == header_.entries.end()) return std::nullopt;
  const SafetensorsEntry& entry = found->second;
  if (!entry.dtype)
    throw Error("{}: tensor \"{}\" has the dtype {}, which is not supported", shown_as_, name,
                entry.dtype_name);
  const std::byte* data = file_.bytes().data() + header_.size + entry.begin;
  return TensorView{*entry.dtype, entry.shape, data, entry.end - entry.begin};
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : header_.entries) names.push_back(name);
  return names;
}

namespace {

std::size_t checked_bytes(const TensorToWrite& tensor) {
  const std::optional<std::int64_t> count = element_count(tensor.shape);
  if (!count) throw Error("tensor \"{}\" cannot have the shape {}", tensor.name, to_string(tensor.shape));
  return bytes_of(tensor.dtype, static_cast<std::size_t>(*count));
}

void check_names(const std::vector<TensorToWrite>& tensors) {
  std::vector<std::string> names;
  for (const TensorToWrite& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw Error("two tensors have the name \"{}\"", *twice);
  if (std::ranges::binary_search(names, "__metadata__"))
    throw Error("a tensor cannot have the name \"__metadata__\", which the format reserves");
}

std::string little_endian(std::uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

// Everything in front of the tensors' bytes. Sorts `tensors` as their bytes are to follow.
std::string head_of(std::vector<TensorToWrite>& tensors, const std::map<std::string, std::string>& metadata) {
  check_names(tensors);
  std::ranges::sort(tensors, [](const TensorToWrite& a, const TensorToWrite& b) {
    return std::tuple(bits_of(b.dtype), a.name) < std::tuple(bits_of(a.dtype), b.name);
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    const std::optional<std::string_view> dtype = safetensors_name(tensor.dtype);
    if (!dtype) throw Error("tensor \"{}\": the format has no {}", tensor.name, name_of(tensor.dtype));
    const std::size_t end = begin + checked_bytes(tensor);
    header[tensor.name] = {{"dtype", *dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return little_endian(text.size()) + text;
}

std::string_view bytes_in(const TensorToWrite& tensor) {
  return {static_cast<const char*>(tensor.data), checked_bytes(tensor)};
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::string content = head_of(tensors, metadata);
  for (const TensorToWrite& tensor : tensors) content += bytes_in(tensor);
  util::write_file_atomic(path, content);
}

void write_safetensors(int fd, const std::string& shown_as, std::vector<TensorToWrite> tensors) {
  util::write_all(fd, head_of(tensors, {}), shown_as);
  for (const TensorToWrite& tensor : tensors) util::write_all(fd, bytes_in(tensor), shown_as);
}

}  // namespace fib::tensor
