#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eval/layout.h"
#include "model/definition.h"
#include "model/workload.h"

namespace fib::tensor {
class SafetensorsFile;
}

namespace fib::synthesis {

// What InputSets says of inputs that a function of the definition would make (model::InputKind::custom).
inline constexpr std::string_view kMadeByFunction = "inputs made by a function are not supported";

// What one input of one set is made of, for a device that makes it itself.
struct InputContent {
  enum class Kind { kRandom, kProbabilities, kFp8Pages, kScalar, kData } kind = Kind::kRandom;
  std::uint64_t key = 0;              // of random ones: of the stream (tensor/fill.h)
  std::uint64_t rows = 0;             // kProbabilities; kFp8Pages: pages
  std::uint64_t columns = 0;          // kProbabilities; kFp8Pages: values of a token
  std::uint64_t tokens = 0;           // kFp8Pages: of a page
  std::array<std::byte, 8> scalar{};  // kScalar, and every scalar input: what its slot holds
  const std::byte* data = nullptr;    // kData: slot.bytes bytes, valid as long as the sets are
  int exponent = 0;                   // kRandom: floats are multiplied by 2^exponent
};

// What takes the place of a workload's own inputs, by name.
struct Replacements {
  std::map<std::string, std::vector<std::byte>> tensors = {};  // the slot's bytes, whatever the workload says
  std::map<std::string, int> exponents = {};                   // InputContent::exponent of random floats
};

// How large random floats of 16 bits and more are: N(0,1), or times 1/2 or 1/4, for each input by itself (but
// for samplers, whose top_p would leave them fewer tokens). Of thousands of numbers from one distribution any
// reduction is nearly a constant, so that a solution that takes the constant would pass. Where outputs are
// small, more answers are within the tolerance: no call on smaller ones is timed.
enum class Scale : std::uint8_t { usual, smaller };

// Makes the input sets of one workload: random values by the counter-based generator, tensors from
// safetensors files, scalar literals. A set is a pure function of its seed. Not copyable (it maps files);
// const calls may come from any thread.
class InputSets {
 public:
  // `blobs` maps the input's name to its safetensors file. Throws Error naming the input when a file, key,
  // shape or dtype does not fit, or when the workload and the definition do not.
  InputSets(const model::Definition& definition, const model::Workload& workload, const eval::Layout& layout,
            const std::map<std::string, std::filesystem::path>& blobs, Replacements replacements = {});
  ~InputSets();
  InputSets(const InputSets&) = delete;
  InputSets& operator=(const InputSets&) = delete;

  // Writes the whole set `seed` (any text, usually a digest) to `buffer` of layout.input_bytes bytes, with up
  // to `threads` threads.
  void fill(std::string_view seed, std::byte* buffer, unsigned threads, Scale scale = Scale::usual) const;

  // What fill() would write, input by input; scalars are drawn already (kScalar).
  [[nodiscard]] std::vector<InputContent> contents(std::string_view seed, Scale scale = Scale::usual) const;

  // No input is random: every seed gives the same set.
  [[nodiscard]] bool fixed() const;

 private:
  struct Source;
  [[nodiscard]] Source make_source(const model::Workload& workload, const eval::Slot& slot,
                                   const std::map<std::string, std::filesystem::path>& blobs);
  const tensor::SafetensorsFile& open(const std::filesystem::path& path);

  eval::Layout layout_;
  Replacements replacements_;
  bool indexer_ = false;   // a DSA indexer: the input "k_index_cache_fp8" holds pages of float8 keys
  bool sampling_ = false;  // op_type "sampling": the input "probs" holds probabilities
  std::vector<Source> sources_;
  std::map<std::filesystem::path, std::unique_ptr<tensor::SafetensorsFile>> files_;
};

}  // namespace fib::synthesis
