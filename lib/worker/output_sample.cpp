#include "worker/output_sample.h"

#include <random>
#include <string>

namespace fib::worker {
namespace {

constexpr std::uint64_t kWholeBytes = 4096;
constexpr std::uint64_t kPieceBytes = 64;
constexpr int kPieces = 32;

// Of each output by itself: of all of their bytes a small one would be next to nothing.
std::vector<Door::Piece> pieces_of(const eval::Layout& layout, std::string_view seed) {
  std::mt19937_64 random(std::stoull(std::string(seed.substr(0, 16)), nullptr, 16));
  std::vector<Door::Piece> pieces;
  for (const eval::Slot& output : layout.outputs) {
    if (output.bytes == 0) continue;
    if (output.bytes <= kWholeBytes) {
      pieces.push_back({output.offset, output.bytes});
      continue;
    }
    for (int i = 0; i < kPieces; ++i)
      pieces.push_back({output.offset + random() % (output.bytes - kPieceBytes + 1), kPieceBytes});
  }
  return pieces;
}

}  // namespace

OutputSample::OutputSample(Door& door, std::uint32_t place, const eval::Layout& layout, std::string_view seed)
    : pieces_(pieces_of(layout, seed)), bytes_(door.read_outputs(place, pieces_)) {}

bool OutputSample::differs(Door& door, std::uint32_t place) const {
  return !pieces_.empty() && door.read_outputs(place, pieces_) != bytes_;
}

}  // namespace fib::worker
