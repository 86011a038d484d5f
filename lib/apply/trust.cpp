#include "apply/trust.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "dataset/paths.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::apply {
namespace {

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string trust_key(const model::Solution& solution, const model::Definition& definition) {
  return util::Sha256().add(model::content_sha256(solution)).add(model::content_sha256(definition)).hex();
}

std::filesystem::path trust_file() {
  const char* named = std::getenv("FIB_TRUST_FILE");  // NOLINT: not changed
  if (named != nullptr && *named != '\0') return named;
  const auto folder = dataset::config_folder();
  if (folder.empty()) throw Error("HOME is not set: name the list of trusted solutions by FIB_TRUST_FILE");
  return folder / "trusted.txt";
}

TrustList read_trust(const std::filesystem::path& file) {
  TrustList list;
  if (!std::filesystem::exists(file)) return list;
  std::istringstream lines(util::read_file(file));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string hash = line.substr(0, line.find(' '));
    if (!is_sha256(hash)) throw Error("{}:{}: begins with no SHA-256 of a solution", file.string(), number);
    list[hash] = line.size() > hash.size() ? line.substr(hash.size() + 1) : "";
  }
  return list;
}

void write_trust(const std::filesystem::path& file, const TrustList& list) {
  std::string text = "# Solutions that may be applied: SHA-256 of each, and its name (fib apply trust)\n";
  for (const auto& [hash, name] : list) text.append(hash).append(" ").append(name).append("\n");
  util::write_file_atomic(file, text);
  ::chmod(file.c_str(), S_IRUSR | S_IWUSR);
}

}  // namespace fib::apply
