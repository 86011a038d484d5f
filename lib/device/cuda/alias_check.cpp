#include "device/cuda/alias_check.h"

#include <algorithm>

namespace fib::device::cuda {
namespace {

// The driver maps memory in pages of this size (cuMemGetAllocationGranularity), each from its beginning.
constexpr std::uint64_t kPage = std::uint64_t{2} << 20U;
constexpr std::uint64_t kWord = sizeof(std::uint32_t);

// How many words at `offset`, a page later, two pages later and so on lie within so many bytes.
std::uint64_t pages_of(std::uint64_t bytes, std::uint64_t offset) {
  return bytes < offset + kWord ? 0 : (bytes - offset - kWord) / kPage + 1;
}

}  // namespace

void AliasCheck::read(const Column& column, std::uint32_t* words) {
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.srcDevice = column.first;
  rows.srcPitch = kPage;
  rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  rows.dstHost = words;
  rows.dstPitch = kWord;
  rows.WidthInBytes = kWord;
  rows.Height = column.count;
  context_.check(context_.driver().copy_rows(&rows, context_.stream()), "cuMemcpy2DAsync");
}

void AliasCheck::write(CUdeviceptr element, const std::uint32_t* word) {
  context_.check(context_.driver().copy_to_device(element, word, kWord, context_.stream()),
                 "cuMemcpyHtoDAsync");
}

std::uint64_t AliasCheck::changes(const std::vector<Column>& columns, CUdeviceptr element) {
  std::uint64_t count = 0;
  for (const auto& column : columns) count += column.count;
  if (2 * count + 2 > words_) {
    words_ = 0;
    pinned_.reset();
    pinned_.emplace(context_, (2 * count + 2) * kWord);
    words_ = 2 * count + 2;
  }
  auto* const old = reinterpret_cast<std::uint32_t*>(pinned_->data());
  std::uint32_t* const other = old + 1;
  std::uint32_t* const before = other + 1;
  std::uint32_t* const after = before + count;
  const auto read_all = [&](std::uint32_t* words) {
    for (const auto& column : columns) {
      read(column, words);
      words += column.count;
    }
  };
  read({element, 1}, old);
  read_all(before);
  context_.wait();
  *other = ~*old;
  write(element, other);
  read_all(after);
  write(element, old);
  context_.wait();
  std::uint64_t changed = 0;
  for (std::uint64_t i = 0; i < count; ++i) changed += before[i] != after[i] ? 1 : 0;
  return changed;
}

bool AliasCheck::is_mapped_twice(const Range& data, std::uint64_t random) {
  const auto [begin, bytes] = data;
  if (bytes < kPage + kWord) return false;
  // So that there are two pages at least that have the element.
  const std::uint64_t places = std::min(kPage, bytes - kPage) / kWord;
  const std::uint64_t offset = random % places * kWord;
  const Column column{begin + offset, pages_of(bytes, offset)};
  const std::uint64_t chosen = random / places % column.count;
  return changes({column}, column.first + chosen * kPage) > 1;
}

// Mappings begin at whole pages, so that the same word of memory lies at the same place of its page.
bool AliasCheck::shares_page_with(const Range& data, const std::vector<Range>& others, std::uint64_t random) {
  const auto [begin, bytes] = data;
  if (bytes < kWord) return false;
  const CUdeviceptr element = begin + random % (bytes / kWord) * kWord;
  std::vector<Column> columns;
  for (const auto& [other, other_bytes] : others) {
    const std::uint64_t offset = (element - other) % kPage;
    if (const auto pages = pages_of(other_bytes, offset); pages > 0)
      columns.push_back({other + offset, pages});
  }
  return !columns.empty() && changes(columns, element) > 0;
}

}  // namespace fib::device::cuda
