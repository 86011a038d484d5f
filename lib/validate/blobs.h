#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/blobs.h"
#include "model/errors.h"
#include "tensor/safetensors.h"

namespace fib::validate {

// Where a workload's blob is, if anywhere.
struct FoundBlob {
  std::optional<std::filesystem::path> file;
  dataset::BlobForm form = dataset::BlobForm::as_written;
  std::string error;  // the file may not be used, for it lies outside of the dataset
};

// A safetensors file, or why it cannot be read.
struct OpenedBlob {
  std::shared_ptr<const tensor::SafetensorsFile> file;
  std::string error;
};

// The blobs of one definition's workloads, each opened once. One thread at a time.
class Blobs {
 public:
  Blobs(std::filesystem::path root, std::string definition, model::Mode mode)
      : root_(std::move(root)), definition_(std::move(definition)), mode_(mode) {}

  // Upstream takes whatever is at root/path. Lenient knows the other forms of the path (dataset/blobs.h) and
  // stays inside of the root.
  [[nodiscard]] FoundBlob find(const std::string& path) const;
  [[nodiscard]] const OpenedBlob& open(const std::filesystem::path& file);
  // The tensor `key` of the blob at `path`; nothing when there is none or it cannot be read. The view is
  // valid while this object lives.
  [[nodiscard]] std::optional<tensor::TensorView> tensor(const std::string& path, const std::string& key);

 private:
  std::filesystem::path root_;
  std::string definition_;
  model::Mode mode_;
  std::map<std::filesystem::path, OpenedBlob> opened_;
};

}  // namespace fib::validate
