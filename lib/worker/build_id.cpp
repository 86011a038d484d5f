#include <elf.h>
#include <link.h>

#include <cstring>

#include "worker/messages.h"

namespace fib::worker {
namespace {

struct Search {
  std::uintptr_t address;
  std::string found;
};

bool contains(const dl_phdr_info& object, std::uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& segment = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

std::string build_id_in(const char* note, std::size_t size) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof header);
    const char* name = note + sizeof header;
    const char* value = name + padded(header.n_namesz);
    const std::size_t whole = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
    if (whole > size) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string hex;
      for (std::size_t i = 0; i < header.n_descsz; ++i) {
        hex += fmt::format("{:02x}", static_cast<unsigned char>(value[i]));
      }
      return hex;
    }
    note += whole;
    size -= whole;
  }
  return {};
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (!contains(*object, search->address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && search->found.empty(); ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto address = object->dlpi_addr + segment.p_vaddr;
    search->found =
        build_id_in(reinterpret_cast<const char*>(address), segment.p_memsz);  // NOLINT: it is one
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<std::uintptr_t>(&visit), {}};
  ::dl_iterate_phdr(visit, &search);
  if (search.found.empty()) throw Error("this build of fib has no build id; link it with -Wl,--build-id");
  return search.found;
}

}  // namespace fib::worker
