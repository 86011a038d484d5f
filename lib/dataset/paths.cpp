#include "dataset/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "util/error.h"
#include "util/utf8.h"

namespace fib::dataset {
namespace {

constexpr std::size_t kMaxComponent = 240;  // leaves room for suffixes below the 255 bytes of file systems

fs::path below(const fs::path& root, std::string_view folder, std::string_view op_type) {
  return root / folder / checked_component(op_type, "op_type");
}

// Of ASCII, and of Latin 1 as UTF-8 has it: what terminals obey.
bool has_control_characters(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const auto next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0U;
    if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next < 0xA0)) return true;
  }
  return false;
}

// Marks that nobody sees, and blanks that look like the plain one or like nothing: names that differ in them
// look the same.
bool has_invisible_characters(std::string_view name) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  // Unicode's default ignorable and format characters, its white space, what it gives no shape of its own
  // (fillers, joiners, the empty pattern of Braille), and what is for private use.
  constexpr std::array<Range, 35> kInvisible{
      {{0xA0, 0xA0},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},
       {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},
       {0x1680, 0x1680},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},   {0x2028, 0x202F},
       {0x205F, 0x206F},   {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xE000, 0xF8FF},
       {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFC},
       {0x1107F, 0x1107F}, {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1345F}, {0x16FE4, 0x16FE4},
       {0x1BCA0, 0x1BCA3}, {0x1D159, 0x1D159}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF}}};
  while (!name.empty()) {
    const util::Character character = util::first_character(name);
    constexpr char32_t kNone = 0xFFFE;  // and the one behind it, in each plane: no characters
    if ((character.code & kNone) == kNone) return true;
    if (std::any_of(kInvisible.begin(), kInvisible.end(), [code = character.code](const Range& range) {
          return range.first <= code && code <= range.last;
        }))
      return true;
    name.remove_prefix(character.bytes);
  }
  return false;
}

std::string definition_name(std::string_view definition) {
  return checked_component(definition, "definition");
}

fs::path from_environment(const char* variable, std::string_view folder) {
  const char* path = std::getenv(variable);
  if (path != nullptr && *path != '\0') return path;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0')
    throw Error("neither {} nor HOME is set; set {} to a folder", variable, variable);
  return fs::path(home) / ".cache" / "flashinfer_bench" / folder;
}

}  // namespace

std::string checked_component(std::string_view name, std::string_view what) {
  const auto refuse = [&](std::string_view why) {
    throw Error("{} \"{}\" cannot be a file or folder name: {}; rename it", what, name.substr(0, 80), why);
  };
  if (name.empty()) refuse("it is empty");
  if (name == "." || name == "..") refuse("it means another folder");
  if (name.find('/') != std::string_view::npos) refuse("it contains \"/\"");
  if (name.find('\0') != std::string_view::npos) refuse("it contains a NUL byte");
  if (has_control_characters(name)) refuse("it contains a control character");
  if (has_invisible_characters(name)) refuse("it contains a character that nobody sees");
  if (name.front() == ' ' || name.back() == ' ' || name.find("  ") != std::string_view::npos)
    refuse("it begins or ends with a blank, or has two in a row");
  if (name.starts_with('.')) refuse("it begins with \".\", as what programs hide");
  if (name.size() > kMaxComponent) refuse(fmt::format("it has more than {} bytes", kMaxComponent));
  return std::string(name);
}

fs::path definitions_folder(const fs::path& root) { return root / "definitions"; }
fs::path workloads_folder(const fs::path& root) { return root / "workloads"; }
fs::path solutions_folder(const fs::path& root) { return root / "solutions"; }
fs::path traces_folder(const fs::path& root) { return root / "traces"; }
fs::path blob_folder(const fs::path& root) { return root / "blob"; }
fs::path runs_file(const fs::path& root) { return root / "runs" / "runs.jsonl"; }

fs::path baselines_file(const fs::path& root) { return root / "runs" / "baselines.jsonl"; }

fs::path definition_file(const fs::path& root, std::string_view op_type, std::string_view definition) {
  return below(root, "definitions", op_type) / (definition_name(definition) + ".json");
}

fs::path workloads_file(const fs::path& root, std::string_view op_type, std::string_view definition) {
  return below(root, "workloads", op_type) / (definition_name(definition) + ".jsonl");
}

fs::path solution_file(const fs::path& root, std::string_view author, std::string_view op_type,
                       std::string_view definition, std::string_view solution) {
  const fs::path folder = solutions_folder(root) / checked_component(author, "author") /
                          checked_component(op_type, "op_type") / definition_name(definition);
  return folder / (checked_component(solution, "solution") + ".json");
}

fs::path traces_file(const fs::path& root, std::string_view author, std::string_view op_type,
                     std::string_view definition) {
  return traces_folder(root) / checked_component(author, "author") / checked_component(op_type, "op_type") /
         (definition_name(definition) + ".jsonl");
}

fs::path blob_file(const fs::path& root, std::string_view op_type, std::string_view definition,
                   std::string_view uuid) {
  const std::string name = definition_name(definition) + "_" + std::string(uuid);
  return blob_folder(root) / "workloads" / checked_component(op_type, "op_type") /
         definition_name(definition) / (checked_component(name, "blob") + ".safetensors");
}

fs::path torn_file(const fs::path& file, std::string_view time) {
  fs::path torn = file;
  torn += ".torn-";
  torn += time;
  return torn;
}

void expect_dataset_folder(const fs::path& root, std::string_view hint) {
  std::error_code unreadable;
  const fs::file_status status = fs::status(root, unreadable);
  if (fs::is_directory(status)) return;
  if (fs::exists(status)) throw Error("{} is a file, not a dataset folder; {}", root.string(), hint);
  throw Error("there is no dataset folder {}; {}", root.string(), hint);
}

fs::path config_folder() {
  const char* folder = std::getenv("XDG_CONFIG_HOME");  // NOLINT: not changed
  if (folder != nullptr && *folder != '\0') return fs::path(folder) / "fib";
  const char* home = std::getenv("HOME");  // NOLINT: not changed
  return home != nullptr && *home != '\0' ? fs::path(home) / ".config" / "fib" : fs::path();
}

fs::path default_dataset_path() { return from_environment("FIB_DATASET_PATH", "dataset"); }
fs::path default_cache_path() { return from_environment("FIB_CACHE_PATH", "cache"); }

fs::path own_cache_path() {
  fs::path cache = default_cache_path();
  std::error_code error;
  fs::create_directories(cache.parent_path(), error);
  (void)::mkdir(cache.c_str(), S_IRWXU);  // whatever the umask is
  struct stat info {};
  if (::stat(cache.c_str(), &info) != 0)
    throw Error("cannot make the cache {}: {}", cache.string(), std::strerror(errno));
  const char* hint = "what lies there is loaded and run; name another folder with FIB_CACHE_PATH";
  if (info.st_uid != ::geteuid())
    throw Error("the cache {} is of another user (uid {}), and {}", cache.string(), info.st_uid, hint);
  if ((info.st_mode & S_IWOTH) != 0)
    throw Error("everybody may write to the cache {}, and {}", cache.string(), hint);
  return cache;
}

}  // namespace fib::dataset
