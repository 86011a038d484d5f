#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::synthesis {

// Which inputs of a workload are to be made, in the definition's order: those whose file is missing
// (`missing`, by name), random integers that mean something (meaning.h), and random floats that would make
// the reference overflow (make_inputs).
[[nodiscard]] std::vector<std::string> inputs_to_make(const model::Definition& definition,
                                                      const model::Workload& workload,
                                                      const std::set<std::string>& missing);

// Inputs in place of those that a workload names.
struct MadeInputs {
  model::Workload workload;  // with the made floats random and the made scalars literal
  std::map<std::string, std::vector<std::byte>> tensors;  // elements of the made integer tensors
  std::map<std::string, int> exponents;  // random floats that are 2^exponent times as large as others
};

// Makes `inputs`. Integers follow from the workload's uuid and so are the same in every run; integer tensors
// of the files in `blobs` (input -> file) are what the new ones go with. Floats and 8 bit numbers that are
// just numbers (Meaning::bytes) are random, new in every call, as the format's own. One exception: the keys
// of op type "gdn" are drawn small enough that their length is below 1, as that of the normalised keys of
// real models; each token multiplies the state by 1 - beta |k|^2, which of N(0,1) keys ends with infinity
// after some dozen tokens. Throws Error as make_integers does.
[[nodiscard]] MadeInputs make_inputs(const model::Definition& definition, const model::Workload& workload,
                                     const std::vector<std::string>& inputs,
                                     const std::map<std::string, std::filesystem::path>& blobs);

}  // namespace fib::synthesis
