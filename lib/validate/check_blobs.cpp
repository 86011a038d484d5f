#include <fmt/format.h>

#include <algorithm>

#include "dataset/blobs.h"
#include "util/shell_word.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

class BlobCheck {
 public:
  BlobCheck(const Subject& subject, Blobs& blobs) : subject_(subject), blobs_(blobs) {}

  Messages run() {
    for (const Record& record : subject_.workloads->records) {
      for (const auto& [name, input] : record.trace.workload.inputs) {
        if (input.kind == model::InputKind::safetensors) check(record, name, input);
      }
    }
    return std::move(messages_);
  }

 private:
  void check(const Record& record, const std::string& name, const model::InputSpec& input) {
    const Place place{subject_.workloads->file, record.line};
    const std::string& uuid = record.trace.workload.uuid;
    const FoundBlob found = blobs_.find(input.path);
    if (!found.error.empty() && first(input.path)) {
      error(messages_, place, fmt::format("workload {}: {}", uuid, found.error));
    }
    if (!found.file) return;
    if (found.form != dataset::BlobForm::as_written && first(input.path)) {
      warning(
          messages_, place,
          fmt::format("workload {}: {} was found at {}; write that path", uuid, input.path,
                      found.file->lexically_relative(std::filesystem::weakly_canonical(subject_.tree.root))
                          .string()));
    }
    if (!dataset::is_lfs_pointer(*found.file)) {
      dtype(place, uuid, name, input);
    } else if (first(found.file->string())) {
      error(messages_, place,
            fmt::format("workload {}: {} is a Git LFS pointer without its data; fetch it with: git lfs pull "
                        "--include {}",
                        uuid, input.path, util::shell_word(input.path)));
    }
  }

  void dtype(const Place& place, const std::string& uuid, const std::string& name,
             const model::InputSpec& input) {
    const auto tensor = blobs_.tensor(input.path, input.tensor_key);
    const auto& inputs = subject_.definition->inputs;
    const auto expected = std::find_if(inputs.begin(), inputs.end(),
                                       [&](const model::TensorSpec& spec) { return spec.name == name; });
    if (!tensor || expected == inputs.end() || tensor::name_of(tensor->dtype) == expected->dtype) return;
    error(messages_, place,
          fmt::format("workload {}: {} is {} in {}, but the definition says {}; store it as {}", uuid, name,
                      tensor::name_of(tensor->dtype), input.path, expected->dtype, expected->dtype));
  }

  // Whether this is the first word about a file: workloads share files.
  bool first(const std::string& file) { return reported_.insert(file).second; }

  const Subject& subject_;
  Blobs& blobs_;
  std::set<std::string> reported_;
  Messages messages_;
};

}  // namespace

Messages check_blobs(const Subject& subject, Blobs& blobs) {
  if (subject.workloads == nullptr || subject.definition == nullptr) return {};
  return BlobCheck(subject, blobs).run();
}

}  // namespace fib::validate
