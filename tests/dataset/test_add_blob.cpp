#include <unistd.h>

#include <catch2/catch.hpp>

#include "dataset/add_blob.h"
#include "dataset/temporary_dataset.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

std::string add(const fs::path& root, const std::string& content, const std::string& definition = "d") {
  return dataset::add_blob(root, "op", definition, "some-uuid",
                           [&](int fd) { util::write_all(fd, content, "blob"); });
}

std::size_t files_below(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_directory() ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("a blob lies where the layout wants it, and nothing else remains") {
  const testing::TemporaryDataset data;
  const std::string path = add(data.root(), "content");
  CHECK(path == "blob/workloads/op/d/d_some-uuid.safetensors");
  CHECK(util::read_file(data.root() / path) == "content");
  CHECK(files_below(data.root()) == 1);
  dataset::remove_blob(data.root(), path);
  CHECK(files_below(data.root()) == 0);
  dataset::remove_blob(data.root(), path);
}

TEST_CASE("a blob that cannot be written leaves nothing") {
  const testing::TemporaryDataset data;
  CHECK_THROWS_WITH(dataset::add_blob(data.root(), "op", "d", "u",
                                      [](int fd) {
                                        util::write_all(fd, "half", "blob");
                                        throw Error("no more");
                                      }),
                    "no more");
  CHECK(files_below(data.root()) == 0);
}

TEST_CASE("no blob is written through links or by hostile names") {
  const testing::TemporaryDataset data;
  const testing::TemporaryDataset elsewhere;
  fs::create_directory_symlink(elsewhere.root(), data.root() / "blob");
  CHECK_THROWS_AS(add(data.root(), "x"), Error);
  CHECK(files_below(elsewhere.root()) == 0);
  fs::remove(data.root() / "blob");
  CHECK_THROWS_AS(add(data.root(), "x", "../../../up"), Error);
  CHECK(files_below(data.root()) == 0);
}
