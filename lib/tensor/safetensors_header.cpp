#include "tensor/safetensors_header.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "util/error.h"

namespace fib::tensor {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostHeaderBytes = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

constexpr std::array<std::pair<DType, std::string_view>, 12> kNames{{
    {DType::kFloat64, "F64"},
    {DType::kFloat32, "F32"},
    {DType::kFloat16, "F16"},
    {DType::kBFloat16, "BF16"},
    {DType::kFloat8E4M3FN, "F8_E4M3"},
    {DType::kFloat8E5M2, "F8_E5M2"},
    {DType::kInt64, "I64"},
    {DType::kInt32, "I32"},
    {DType::kInt16, "I16"},
    {DType::kInt8, "I8"},
    {DType::kUInt8, "U8"},
    {DType::kBool, "BOOL"},
}};

std::optional<DType> dtype_of(std::string_view name) {
  for (const auto& [dtype, known] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

// The header's text, without the eight bytes of its length.
std::string_view header_text(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes)
    throw Error("the file has {} bytes, fewer than a header's length takes", file.size());
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>(file[i]);
  if (length > kMostHeaderBytes)
    throw Error("the header claims {} bytes; at most {} are allowed, so this is no safetensors file", length,
                kMostHeaderBytes);
  if (length > file.size() - kLengthBytes)
    throw Error("the header claims {} bytes, but the file ends after {}", length, file.size() - kLengthBytes);
  return {reinterpret_cast<const char*>(file.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

Shape read_shape(const simdjson::dom::element& value) {
  simdjson::dom::array sizes;
  if (value.get_array().get(sizes) != simdjson::SUCCESS) throw Error("\"shape\" is not a list");
  Shape shape;
  for (const simdjson::dom::element size : sizes) {
    std::int64_t number = 0;
    if (size.get_int64().get(number) != simdjson::SUCCESS || number < 0)
      throw Error("\"shape\" holds something that is not a number of elements");
    shape.push_back(number);
  }
  return shape;
}

void read_offsets(const simdjson::dom::element& value, SafetensorsEntry& entry) {
  simdjson::dom::array offsets;
  if (value.get_array().get(offsets) != simdjson::SUCCESS || offsets.size() != 2)
    throw Error("\"data_offsets\" is not a list of two numbers");
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (offsets.at(0).get_uint64().get(begin) != simdjson::SUCCESS ||
      offsets.at(1).get_uint64().get(end) != simdjson::SUCCESS)
    throw Error("\"data_offsets\" holds something that is not a number of bytes");
  if (begin > end) throw Error("its data ends at {}, before it begins at {}", end, begin);
  entry.begin = begin;
  entry.end = end;
}

void check_size(const SafetensorsEntry& entry) {
  const std::optional<std::int64_t> count = element_count(entry.shape);
  if (!count) throw Error("shape {} has more elements than 63 bits can count", to_string(entry.shape));
  if (!entry.dtype) return;
  const std::size_t bytes = bytes_of(*entry.dtype, static_cast<std::size_t>(*count));
  if (bytes != entry.end - entry.begin)
    throw Error("{} of shape {} takes {} bytes, but its data has {}", entry.dtype_name,
                to_string(entry.shape), bytes, entry.end - entry.begin);
}

SafetensorsEntry read_entry(const simdjson::dom::element& value) {
  simdjson::dom::object fields;
  if (value.get_object().get(fields) != simdjson::SUCCESS) throw Error("its description is not an object");
  SafetensorsEntry entry;
  std::set<std::string_view> seen;
  for (const auto [key, field] : fields) {
    if (!seen.insert(key).second) throw Error("\"{}\" is given twice", key);
    std::string_view text;
    if (key == "dtype") {
      if (field.get_string().get(text) != simdjson::SUCCESS) throw Error("\"dtype\" is not a string");
      entry.dtype_name = text;
      entry.dtype = dtype_of(text);
    } else if (key == "shape") {
      entry.shape = read_shape(field);
    } else if (key == "data_offsets") {
      read_offsets(field, entry);
    }
  }
  for (const std::string_view key : {"dtype", "shape", "data_offsets"}) {
    if (!seen.contains(key)) throw Error("\"{}\" is missing", key);
  }
  check_size(entry);
  return entry;
}

std::map<std::string, std::string> read_metadata(const simdjson::dom::element& value) {
  simdjson::dom::object fields;
  if (value.get_object().get(fields) != simdjson::SUCCESS) throw Error("\"{}\" is not an object", kMetadata);
  std::map<std::string, std::string> metadata;
  for (const auto [key, field] : fields) {
    std::string_view text;
    if (field.get_string().get(text) != simdjson::SUCCESS)
      throw Error("\"{}\" holds \"{}\", which is not a string", kMetadata, key);
    metadata.insert_or_assign(std::string(key), std::string(text));
  }
  return metadata;
}

// Tensors in the order of their data must follow each other from the first to the last byte of the buffer.
void check_cover(const SafetensorsHeader& header, std::size_t buffer_bytes) {
  std::vector<std::pair<const std::string*, const SafetensorsEntry*>> order;
  for (const auto& [name, entry] : header.entries) order.emplace_back(&name, &entry);
  std::ranges::stable_sort(order, {},
                           [](const auto& item) { return std::pair(item.second->begin, item.second->end); });
  std::size_t covered = 0;
  for (const auto& [name, entry] : order) {
    if (entry->end > buffer_bytes)
      throw Error("tensor \"{}\" ends at byte {} of a buffer of {} bytes; the file is cut off or damaged",
                  *name, entry->end, buffer_bytes);
    if (entry->begin < covered)
      throw Error("tensor \"{}\" begins at byte {}, inside another that ends at {}", *name, entry->begin,
                  covered);
    if (entry->begin > covered)
      throw Error("bytes {} to {} of the buffer, before tensor \"{}\", belong to no tensor", covered,
                  entry->begin, *name);
    covered = entry->end;
  }
  if (covered != buffer_bytes)
    throw Error("bytes {} to {} at the end of the buffer belong to no tensor", covered, buffer_bytes);
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file) {
  const std::string_view text = header_text(file);
  if (!text.starts_with('{')) throw Error("the header does not begin with a brace");
  simdjson::dom::parser parser;
  simdjson::dom::object tensors;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get_object().get(tensors);
  if (error != simdjson::SUCCESS)
    throw Error("the header is not a JSON object: {}", simdjson::error_message(error));
  SafetensorsHeader header;
  header.size = kLengthBytes + text.size();
  bool metadata_seen = false;
  for (const auto [name, value] : tensors) {
    if (name == kMetadata ? std::exchange(metadata_seen, true) : header.entries.contains(name))
      throw Error("the name \"{}\" occurs twice", name);
    if (name == kMetadata) {
      header.metadata = read_metadata(value);
      continue;
    }
    try {
      header.entries.emplace(name, read_entry(value));
    } catch (const Error& reason) {
      throw reason.with_context(fmt::format("tensor \"{}\"", name));
    }
  }
  check_cover(header, file.size() - header.size);
  return header;
}

std::optional<std::string_view> safetensors_name(DType dtype) {
  for (const auto& [known, name] : kNames) {
    if (known == dtype) return name;
  }
  return std::nullopt;
}

}  // namespace fib::tensor
