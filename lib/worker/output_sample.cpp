#include "worker/output_sample.h"

#include <random>
#include <string>

namespace fib::worker {
namespace {

constexpr std::uint64_t kWholeBytes = 4096;
constexpr std::uint64_t kPieceBytes = 64;
constexpr int kPieces = 32;

std::vector<Door::Piece> pieces_of(std::uint64_t output_bytes, std::string_view seed) {
  if (output_bytes == 0) return {};
  if (output_bytes <= kWholeBytes) return {{0, output_bytes}};
  std::mt19937_64 random(std::stoull(std::string(seed.substr(0, 16)), nullptr, 16));
  std::vector<Door::Piece> pieces;
  for (int i = 0; i < kPieces; ++i) pieces.push_back({random() % (output_bytes - kPieceBytes), kPieceBytes});
  return pieces;
}

}  // namespace

OutputSample::OutputSample(Door& door, std::uint32_t place, std::uint64_t output_bytes, std::string_view seed)
    : pieces_(pieces_of(output_bytes, seed)), bytes_(door.read_outputs(place, pieces_)) {}

bool OutputSample::differs(Door& door, std::uint32_t place) const {
  return !pieces_.empty() && door.read_outputs(place, pieces_) != bytes_;
}

}  // namespace fib::worker
