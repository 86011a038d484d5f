#include "util/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>

#include "util/error.h"

namespace fib::util {
namespace {

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

void check(bool ok) {
  if (!ok) throw Error("OpenSSL cannot compute a digest; check the installation of libcrypto");
}

Context begin(const EVP_MD* algorithm) {
  Context context(EVP_MD_CTX_new());
  check(context && EVP_DigestInit_ex(context.get(), algorithm, nullptr) == 1);
  return context;
}

void update(EVP_MD_CTX* context, std::string_view data) {
  check(EVP_DigestUpdate(context, data.data(), data.size()) == 1);
}

std::string end(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context, bytes.data(), &size) == 1);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

std::string digest(const EVP_MD* algorithm, std::string_view data) {
  const Context context = begin(algorithm);
  update(context.get(), data);
  return end(context.get());
}

}  // namespace

std::string sha1_hex(std::string_view data) { return digest(EVP_sha1(), data); }
std::string sha256_hex(std::string_view data) { return digest(EVP_sha256(), data); }

std::string sha256_of_file(const std::filesystem::path& file, const std::atomic<bool>* interrupted) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error("cannot open {}", file.string());
  const Context context = begin(EVP_sha256());
  std::string piece(kPiece, '\0');
  while (stream) {
    if (interrupted != nullptr && *interrupted) throw Error("interrupted");
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    update(context.get(), std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())));
  }
  if (!stream.eof()) throw Error("cannot read {}", file.string());
  return end(context.get());
}

struct Sha256::State {
  Context context = begin(EVP_sha256());
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view part) {
  add(static_cast<std::uint64_t>(part.size()));
  update(state_->context.get(), part);
  return *this;
}

Sha256& Sha256::add(std::uint64_t number) {
  std::array<char, 8> bytes{};  // little-endian on every machine
  for (auto& byte : bytes) {
    byte = static_cast<char>(number & 0xff);
    number >>= 8;
  }
  update(state_->context.get(), {bytes.data(), bytes.size()});
  return *this;
}

std::string Sha256::hex() { return end(state_->context.get()); }

}  // namespace fib::util
