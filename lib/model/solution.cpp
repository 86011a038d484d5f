#include "model/solution.h"

#include <algorithm>

#include "util/hash.h"

namespace fib::model {
namespace {

constexpr std::string_view kSeparator = "::";

bool names_cpu(const std::string& hardware) {
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  constexpr std::string_view kCpu = "cpu";
  return std::equal(hardware.begin(), hardware.end(), kCpu.begin(), kCpu.end(), same);
}

std::string joined_sources(const Solution& solution) {
  std::string text;
  for (const SourceFile& source : solution.sources) text += source.path + source.content;
  return text;
}

std::string joined_dependencies(const Solution& solution) {
  std::string text;
  if (!solution.spec.dependencies) return text;
  for (const std::string& dependency : *solution.spec.dependencies) text += dependency;
  return text;
}

std::string binding_of(const Solution& solution) {
  return solution.spec.binding_text.value_or(std::nullopt).value_or("");
}

std::string language_of(const Spec& spec) {
  return spec.language == Language::unknown ? spec.language_text : std::string(name_of(spec.language));
}

void add_list(util::Sha256& hash, const std::optional<std::vector<std::string>>& list) {
  hash.add(static_cast<std::uint64_t>(list ? list->size() : 0));
  if (!list) return;
  for (const std::string& text : *list) hash.add(text);
}

void add_options(util::Sha256& hash, const CompileOptions& options) {
  add_list(hash, options.cflags);
  add_list(hash, options.cuda_cflags);
  add_list(hash, options.ld_flags);
}

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::python:
      return "python";
    case Language::triton:
      return "triton";
    case Language::cpp:
      return "cpp";
    case Language::cuda:
      return "cuda";
    case Language::tilelang:
      return "tilelang";
    case Language::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(DeviceKind kind) { return kind == DeviceKind::cpu ? "cpu" : "cuda"; }

std::string_view Spec::entry_file() const {
  return std::string_view(entry_point).substr(0, entry_point.find(kSeparator));
}

std::string_view Spec::entry_symbol() const {
  const std::size_t at = entry_point.find(kSeparator);
  return at == std::string::npos ? std::string_view()
                                 : std::string_view(entry_point).substr(at + kSeparator.size());
}

const SourceFile* Solution::entry_source() const {
  for (const SourceFile& source : sources) {
    if (source.path == spec.entry_file()) return &source;
  }
  return nullptr;
}

bool may_run_on(const Solution& solution, DeviceKind kind) {
  const auto& hardware = solution.spec.target_hardware;
  switch (solution.spec.language) {
    case Language::python:
    case Language::triton:
      return true;
    case Language::cuda:
    case Language::tilelang:
      return kind == DeviceKind::cuda;
    case Language::cpp:
      if (kind == DeviceKind::cpu) return std::any_of(hardware.begin(), hardware.end(), names_cpu);
      return !std::all_of(hardware.begin(), hardware.end(), names_cpu);
    case Language::unknown:
      break;
  }
  return false;
}

std::string upstream_hash(const Solution& solution) {
  return util::sha1_hex(solution.definition + language_of(solution.spec) + solution.spec.entry_point +
                        binding_of(solution) + joined_dependencies(solution) + joined_sources(solution));
}

std::string legacy_hash(const Solution& solution) {
  return util::sha1_hex(solution.name + solution.definition + language_of(solution.spec) +
                        solution.spec.entry_point + binding_of(solution) + joined_dependencies(solution) +
                        joined_sources(solution));
}

std::string oldest_hash(const Solution& solution) {
  return util::sha1_hex(solution.name + solution.definition + language_of(solution.spec) +
                        solution.spec.entry_point + joined_dependencies(solution) + joined_sources(solution));
}

std::string package_name(const Solution& solution, std::string_view prefix) {
  std::string name;
  for (const char c : solution.name) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    // One underscore a character, not a byte.
    if (kept || (static_cast<unsigned char>(c) & 0xc0) != 0x80) name += kept ? c : '_';
  }
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') name.insert(0, "_");
  return std::string(prefix) + name + "_" + upstream_hash(solution).substr(0, 6);
}

std::string unique_name(const Solution& solution) {
  return solution.name + "_" + upstream_hash(solution).substr(0, 8);
}

std::string content_sha256(const Solution& solution) {
  const Spec& spec = solution.spec;
  util::Sha256 hash;
  hash.add("fib solution 1").add(solution.definition).add(language_of(spec)).add(spec.entry_point);
  hash.add(binding_of(solution));
  hash.add(!spec.destination_passing ? "absent" : *spec.destination_passing ? "true" : "false");
  add_list(hash, spec.target_hardware);
  add_list(hash, spec.dependencies);
  add_options(hash, spec.compile_options.value_or(CompileOptions()));
  hash.add(spec.launch ? spec.launch->dump() : "").add(spec.workspace ? spec.workspace->dump() : "");
  hash.add(static_cast<std::uint64_t>(solution.sources.size()));
  for (const SourceFile& source : solution.sources) hash.add(source.path).add(source.content);
  return hash.hex();
}

}  // namespace fib::model
