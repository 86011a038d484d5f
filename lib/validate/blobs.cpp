#include "validate/blobs.h"

#include "util/error.h"

namespace fib::validate {

FoundBlob Blobs::find(const std::string& path) const {
  FoundBlob found;
  if (mode_ == model::Mode::upstream) {
    std::error_code error;
    if (std::filesystem::exists(root_ / path, error)) found.file = root_ / path;
    return found;
  }
  try {
    if (const auto blob = dataset::resolve_blob(root_, definition_, path)) {
      found.file = blob->file;
      found.form = blob->form;
    }
  } catch (const Error& error) {
    found.error = error.what();
  }
  return found;
}

const OpenedBlob& Blobs::open(const std::filesystem::path& file) {
  const auto known = opened_.find(file);
  if (known != opened_.end()) return known->second;
  OpenedBlob blob;
  try {
    blob.file = std::make_shared<const tensor::SafetensorsFile>(file);
  } catch (const Error& error) {
    blob.error = error.what();
  }
  return opened_.emplace(file, std::move(blob)).first->second;
}

std::optional<tensor::TensorView> Blobs::tensor(const std::string& path, const std::string& key) {
  const FoundBlob found = find(path);
  if (!found.file) return std::nullopt;
  const OpenedBlob& blob = open(*found.file);
  if (!blob.file) return std::nullopt;
  try {
    return blob.file->find(key);
  } catch (const Error&) {  // a dtype that fib does not know
    return std::nullopt;
  }
}

}  // namespace fib::validate
