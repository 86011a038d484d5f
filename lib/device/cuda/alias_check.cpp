#include "device/cuda/alias_check.h"

#include <algorithm>

namespace fib::device::cuda {
namespace {

// The driver maps memory in pages of this size (cuMemGetAllocationGranularity), each from its beginning.
constexpr std::uint64_t kPage = std::uint64_t{2} << 20U;
constexpr std::uint64_t kWord = sizeof(std::uint32_t);

}  // namespace

void AliasCheck::read(CUdeviceptr data, std::uint64_t pages, std::uint32_t* words) {
  for (std::uint64_t page = 0; page < pages; ++page)
    context_.check(
        context_.driver().copy_to_host(words + page, data + page * kPage, kWord, context_.stream()),
        "cuMemcpyDtoHAsync");
  context_.wait();
}

void AliasCheck::write(CUdeviceptr element, const std::uint32_t* word) {
  context_.check(context_.driver().copy_to_device(element, word, kWord, context_.stream()),
                 "cuMemcpyHtoDAsync");
}

bool AliasCheck::is_mapped_twice(CUdeviceptr data, std::uint64_t bytes, std::uint64_t random) {
  if (bytes < kPage + kWord) return false;
  // So that there are two pages at least that have the element.
  const std::uint64_t places = std::min(kPage, bytes - kPage) / kWord;
  const std::uint64_t offset = random % places * kWord;
  const CUdeviceptr first = data + offset;
  const std::uint64_t pages = std::max<std::uint64_t>(1, (bytes - offset - kWord) / kPage + 1);
  if (2 * pages + 1 > words_) {
    words_ = 2 * pages + 1;
    pinned_.reset();
    pinned_.emplace(context_, words_ * kWord);
  }
  auto* const before = reinterpret_cast<std::uint32_t*>(pinned_->data());
  std::uint32_t* const after = before + pages;
  std::uint32_t* const other = after + pages;
  read(first, pages, before);
  const std::uint64_t chosen = random / places % pages;
  *other = ~before[chosen];
  write(first + chosen * kPage, other);
  read(first, pages, after);
  write(first + chosen * kPage, before + chosen);
  context_.wait();
  std::uint64_t changed = 0;
  for (std::uint64_t page = 0; page < pages; ++page) changed += before[page] != after[page] ? 1 : 0;
  return changed > 1;
}

}  // namespace fib::device::cuda
