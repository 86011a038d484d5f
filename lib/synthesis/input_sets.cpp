#include "synthesis/input_sets.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "eval/dsa_indexer.h"
#include "tensor/convert.h"
#include "tensor/fill.h"
#include "tensor/safetensors.h"
#include "tensor/shape.h"
#include "util/hash.h"

namespace fib::synthesis {
namespace {

// Below this, starting threads costs more than it saves.
constexpr std::uint64_t kThreadedBytes = 1 << 20;

std::uint64_t key_of(std::string_view seed, std::size_t input) {
  util::Sha256 hash;
  const std::string digest = hash.add(seed).add(static_cast<std::uint64_t>(input)).hex();
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

double as_double(const model::Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar.value);
}

std::int64_t as_integer(const model::Scalar& scalar) {
  if (const auto* real = std::get_if<double>(&scalar.value)) {
    const auto limit = static_cast<double>(std::numeric_limits<std::int64_t>::max());
    if (!(*real > -limit && *real < limit)) throw Error("{} does not fit an integer", *real);
    return static_cast<std::int64_t>(*real);
  }
  if (const auto* truth = std::get_if<bool>(&scalar.value)) return *truth ? 1 : 0;
  return std::get<std::int64_t>(scalar.value);
}

// The 8 bytes of a scalar slot (eval/layout.h).
void store_scalar(tensor::DType dtype, const model::Scalar& scalar, std::byte* target) {
  if (tensor::is_floating(dtype)) {
    const double value = as_double(scalar);
    std::memcpy(target, &value, sizeof value);
  } else {
    const std::int64_t value = as_integer(scalar);
    std::memcpy(target, &value, sizeof value);
  }
}

// One element of a file, which may lie anywhere.
model::Scalar scalar_from(tensor::DType dtype, const std::byte* data) {
  alignas(8) std::byte element[8] = {};
  std::memcpy(element, data, tensor::bytes_of(dtype, 1));
  if (dtype == tensor::DType::kInt64) {
    std::int64_t value = 0;
    std::memcpy(&value, element, sizeof value);
    return {value, {}};
  }
  double value = 0;
  tensor::to_double(dtype, element, &value, 1);
  return {value, {}};
}

constexpr std::int64_t kScaleBytes = 4;

// [pages, tokens, 1, values + 4] of bytes.
bool holds_fp8_pages(const eval::Slot& slot) {
  return slot.shape.size() == 4 && slot.shape[2] == 1 && slot.shape[3] >= kScaleBytes &&
         (slot.dtype == tensor::DType::kInt8 || slot.dtype == tensor::DType::kUInt8);
}

void random_scalar(tensor::DType dtype, std::uint64_t key, std::byte* target) {
  alignas(8) std::byte element[8] = {};
  tensor::fill_random(dtype, key, element, 1, 1);
  store_scalar(dtype, scalar_from(dtype, element), target);
}

bool is_scaled(const eval::Slot& slot) {
  using tensor::DType;
  return !slot.scalar && (slot.dtype == DType::kFloat64 || slot.dtype == DType::kFloat32 ||
                          slot.dtype == DType::kFloat16 || slot.dtype == DType::kBFloat16);
}

// Half of N(0,1), or a fourth.
int smaller_exponent(std::uint64_t key) { return -1 - static_cast<int>(key % 2); }

}  // namespace

struct InputSets::Source {
  using Kind = InputContent::Kind;
  Kind kind = Kind::kRandom;
  model::Scalar scalar;
  const std::byte* data = nullptr;
  int exponent = 0;
};

InputSets::InputSets(const model::Definition& definition, const model::Workload& workload,
                     const eval::Layout& layout, const std::map<std::string, std::filesystem::path>& blobs,
                     Replacements replacements)
    : layout_(layout),
      replacements_(std::move(replacements)),
      indexer_(eval::is_dsa_indexer(definition)),
      // Also of definitions that renormalise probabilities, which are compared like any other.
      sampling_(definition.op_type == "sampling") {
  for (const auto& [name, spec] : workload.inputs) {
    bool known = false;
    for (const auto& slot : layout_.inputs) known = known || slot.name == name;
    if (!known) throw Error("the workload gives an input \"{}\" that the definition does not have", name);
  }
  for (const auto& slot : layout_.inputs) {
    try {
      sources_.push_back(make_source(workload, slot, blobs));
    } catch (const Error& error) {
      throw error.with_context(fmt::format("input \"{}\"", slot.name));
    }
  }
}

InputSets::~InputSets() = default;

const tensor::SafetensorsFile& InputSets::open(const std::filesystem::path& path) {
  auto& file = files_[path];
  if (!file) file = std::make_unique<tensor::SafetensorsFile>(path);
  return *file;
}

InputSets::Source InputSets::make_source(const model::Workload& workload, const eval::Slot& slot,
                                         const std::map<std::string, std::filesystem::path>& blobs) {
  const model::InputSpec* spec = model::find(workload.inputs, slot.name);
  Source source;
  const bool probabilities = sampling_ && slot.name == "probs" && !slot.scalar;
  source.kind = probabilities ? Source::Kind::kProbabilities : Source::Kind::kRandom;
  if (const auto made = replacements_.tensors.find(slot.name); made != replacements_.tensors.end()) {
    if (slot.scalar || made->second.size() != slot.bytes)
      throw Error("what was made for it has another size");
    source.kind = Source::Kind::kData;
    source.data = made->second.data();
    return source;
  }
  if (const auto scaled = replacements_.exponents.find(slot.name); scaled != replacements_.exponents.end())
    source.exponent = scaled->second;
  if (indexer_ && slot.name == "k_index_cache_fp8" && holds_fp8_pages(slot))
    source.kind = Source::Kind::kFp8Pages;
  if (spec == nullptr || spec->kind == model::InputKind::random) return source;
  if (spec->kind == model::InputKind::custom) throw Error("{}", kMadeByFunction);
  if (spec->kind == model::InputKind::scalar) {
    if (!slot.scalar) throw Error("the workload gives a scalar, the definition a tensor");
    std::byte probe[8];
    store_scalar(slot.dtype, spec->scalar, probe);  // throws now rather than at the first call
    source.kind = Source::Kind::kScalar;
    source.scalar = spec->scalar;
    return source;
  }
  const auto path = blobs.find(slot.name);
  if (path == blobs.end()) {
    throw Error(
        "its file {} was not found; inputs are made in place of missing files with: fib run "
        "--synthesize-missing",
        spec->path);
  }
  const auto found = open(path->second).find(spec->tensor_key);
  if (!found) throw Error("no tensor \"{}\" in {}", spec->tensor_key, path->second.string());
  if (found->dtype != slot.dtype) {
    throw Error("expected {}, got {} in {}", tensor::name_of(slot.dtype), tensor::name_of(found->dtype),
                path->second.string());
  }
  if (slot.scalar) {
    if (found->bytes != tensor::bytes_of(slot.dtype, 1)) throw Error("expected one element for a scalar");
    source.kind = Source::Kind::kScalar;
    source.scalar = scalar_from(slot.dtype, found->data);
    return source;
  }
  if (found->shape != slot.shape) {
    throw Error("expected shape {}, got {} in {}", tensor::to_string(slot.shape),
                tensor::to_string(found->shape), path->second.string());
  }
  source.kind = Source::Kind::kData;
  source.data = found->data;
  return source;
}

std::vector<InputContent> InputSets::contents(std::string_view seed, Scale scale) const {
  using Kind = InputContent::Kind;
  std::vector<InputContent> contents;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const eval::Slot& slot = layout_.inputs[i];
    InputContent content;
    content.kind = slot.scalar ? Kind::kScalar : sources_[i].kind;
    content.key = key_of(seed, i);
    content.data = sources_[i].data;
    content.exponent = sources_[i].exponent;
    const bool is_asked = scale == Scale::smaller && !sampling_;
    if (is_asked && content.kind == Kind::kRandom && content.exponent == 0 && is_scaled(slot))
      content.exponent = smaller_exponent(content.key);
    if (content.kind == Kind::kProbabilities) {
      content.columns = slot.shape.empty() ? 1 : static_cast<std::uint64_t>(slot.shape.back());
      content.rows = content.columns == 0 ? 0 : slot.count() / content.columns;
    }
    if (content.kind == Kind::kFp8Pages) {
      content.rows = static_cast<std::uint64_t>(slot.shape[0]);
      content.tokens = static_cast<std::uint64_t>(slot.shape[1]);
      content.columns = static_cast<std::uint64_t>(slot.shape[3] - kScaleBytes);
    }
    if (sources_[i].kind == Kind::kScalar)
      store_scalar(slot.dtype, sources_[i].scalar, content.scalar.data());
    if (slot.scalar && sources_[i].kind == Kind::kRandom)
      random_scalar(slot.dtype, content.key, content.scalar.data());
    contents.push_back(content);
  }
  return contents;
}

void InputSets::fill(std::string_view seed, std::byte* buffer, unsigned threads, Scale scale) const {
  using Kind = InputContent::Kind;
  const auto all = contents(seed, scale);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const eval::Slot& slot = layout_.inputs[i];
    const InputContent& content = all[i];
    std::byte* target = buffer + slot.offset;
    const unsigned used = slot.bytes < kThreadedBytes ? 1 : threads;
    switch (content.kind) {
      case Kind::kScalar:
        std::memcpy(target, content.scalar.data(), content.scalar.size());
        break;
      case Kind::kData:
        std::memcpy(target, content.data, slot.bytes);
        break;
      case Kind::kProbabilities:
        tensor::fill_probabilities(slot.dtype, content.key, target, content.rows, content.columns, used);
        break;
      case Kind::kFp8Pages:
        tensor::fill_fp8_pages(content.key, target, content.rows, content.tokens, content.columns, used);
        break;
      case Kind::kRandom:
        tensor::fill_random(slot.dtype, content.key, target, slot.count(), used);
        if (content.exponent != 0)
          tensor::scale_by_power(slot.dtype, target, slot.count(), content.exponent, used);
    }
  }
}

bool InputSets::fixed() const {
  for (const auto& source : sources_) {
    if (source.kind != Source::Kind::kScalar && source.kind != Source::Kind::kData) return false;
  }
  return true;
}

}  // namespace fib::synthesis
