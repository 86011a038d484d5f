#include "compile/elf_symbols.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "util/error.h"
#include "util/files.h"

namespace fib::compile {
namespace {

class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) : path_(path), bytes_(util::read_file(path)) {
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) broken();
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * header.e_shentsize));
    }
  }

  std::set<std::string> exported_functions() const {
    std::set<std::string> names;
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_DYNSYM) continue;
      if (section.sh_link >= sections_.size() || section.sh_entsize < sizeof(Elf64_Sym)) broken();
      for (std::uint64_t i = 0; i < section.sh_size / section.sh_entsize; ++i) {
        const auto symbol = at<Elf64_Sym>(section.sh_offset + i * section.sh_entsize);
        const auto type = ELF64_ST_TYPE(symbol.st_info);
        const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (function && symbol.st_shndx != SHN_UNDEF)
          names.insert(text(sections_[section.sh_link], symbol.st_name));
      }
    }
    return names;
  }

 private:
  [[noreturn]] void broken() const { throw Error("{} is not a 64-bit ELF library", path_.string()); }

  template <typename T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) broken();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string text(const Elf64_Shdr& strings, std::uint64_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset + offset >= bytes_.size()) broken();
    const char* begin = bytes_.data() + strings.sh_offset + offset;
    return std::string(begin, ::strnlen(begin, bytes_.size() - strings.sh_offset - offset));
  }

  std::filesystem::path path_;
  std::string bytes_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace

std::set<std::string> exported_functions(const std::filesystem::path& library) {
  return ElfFile(library).exported_functions();
}

}  // namespace fib::compile
