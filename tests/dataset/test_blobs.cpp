#include <catch2/catch.hpp>

#include "dataset/blobs.h"
#include "dataset/temporary_dataset.h"
#include "util/error.h"

using namespace fib;
using dataset::BlobForm;
using testing::TemporaryDataset;

namespace {

constexpr const char* kFolderForm = "blob/workloads/op/d/d_u.safetensors";
constexpr const char* kFlatForm = "blob/workloads/op/d_u.safetensors";

}  // namespace

TEST_CASE("a blob is found where its path says") {
  const TemporaryDataset files;
  const auto path = files.write(kFolderForm, "x");
  for (const std::string prefix : {"", "./"}) {
    const auto blob = dataset::resolve_blob(files.root(), "d", prefix + kFolderForm);
    REQUIRE(blob);
    CHECK(blob->file == std::filesystem::canonical(path));
    CHECK(blob->form == BlobForm::as_written);
  }
}

TEST_CASE("a blob is found in the other of the two forms") {
  const auto [stored, written] =
      GENERATE(table<std::string, std::string>({{kFolderForm, kFlatForm}, {kFlatForm, kFolderForm}}));
  const TemporaryDataset files;
  const auto path = files.write(stored, "x");
  const auto blob = dataset::resolve_blob(files.root(), "d", "./" + written);
  REQUIRE(blob);
  CHECK(blob->file == std::filesystem::canonical(path));
  CHECK(blob->form == BlobForm::other_form);
}

TEST_CASE("leading components of a blob's path are left out one by one") {
  const TemporaryDataset files;
  const auto path = files.write(kFolderForm, "x");
  for (const std::string prefix : {"flashinfer-trace/", "/data/elsewhere/", "../other/"}) {
    INFO(prefix);
    const auto blob = dataset::resolve_blob(files.root(), "d", prefix + kFolderForm);
    REQUIRE(blob);
    CHECK(blob->file == std::filesystem::canonical(path));
    CHECK(blob->form == BlobForm::stripped);
  }
}

TEST_CASE("of a blob's path at most 64 components are left out, and what no file can be called is nowhere") {
  const TemporaryDataset files;
  (void)files.write("b.safetensors", "x");
  const auto below = [](int folders) {
    std::string path;
    for (int i = 0; i < folders; ++i) path += "p/";
    return path + "b.safetensors";
  };
  CHECK(dataset::resolve_blob(files.root(), "d", below(63)));
  CHECK_FALSE(dataset::resolve_blob(files.root(), "d", below(64)));
  CHECK_FALSE(dataset::resolve_blob(files.root(), "d", below(100'000)));
}

TEST_CASE("a blob that is nowhere is nothing") {
  const TemporaryDataset files;
  for (const char* path : {kFolderForm, "", ".", "/", "blob/", "x"}) {
    CHECK_FALSE(dataset::resolve_blob(files.root(), "d", path));
  }
}

TEST_CASE("a blob outside of the root is refused unless allowed") {
  const TemporaryDataset files;
  const TemporaryDataset outside;
  const auto secret = outside.write("secret.safetensors", "x");
  std::filesystem::create_symlink(secret, files.root() / "link.safetensors");
  const std::string relative = std::filesystem::relative(secret, files.root()).string();
  for (const std::string& path : {secret.string(), relative, std::string("link.safetensors")}) {
    INFO(path);
    CHECK_THROWS_AS(dataset::resolve_blob(files.root(), "d", path), Error);
    const auto blob = dataset::resolve_blob(files.root(), "d", path, dataset::Confinement::none);
    REQUIRE(blob);
    CHECK(blob->file == std::filesystem::canonical(secret));
  }
}

TEST_CASE("what a program keeps for itself in a dataset is no blob") {
  const TemporaryDataset files;
  files.write(".git/config", "token");
  std::filesystem::create_directories(files.root() / "blob");
  std::filesystem::create_symlink("../.git/config", files.root() / "blob/x.safetensors");
  for (const char* path : {".git/config", "blob/x.safetensors"}) {
    CHECK_THROWS_WITH(dataset::resolve_blob(files.root(), "d", path), Catch::Contains("is hidden"));
    CHECK(dataset::resolve_blob(files.root(), "d", path, dataset::Confinement::none));
  }
}

TEST_CASE("a root with a name that another one begins with is not the other") {
  const TemporaryDataset files;
  const auto other = files.write("data-other/x.safetensors", "x");
  std::filesystem::create_directories(files.root() / "data");
  CHECK_THROWS_AS(dataset::resolve_blob(files.root() / "data", "d", "../data-other/x.safetensors"), Error);
  CHECK(dataset::resolve_blob(files.root() / "data-other/", "d", "x.safetensors"));
}

TEST_CASE("Git LFS pointers are recognised") {
  const TemporaryDataset files;
  CHECK(dataset::is_lfs_pointer(
      files.write("a", "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 1\n")));
  CHECK_FALSE(dataset::is_lfs_pointer(files.write("b", "version https://git-lfs")));
  CHECK_FALSE(dataset::is_lfs_pointer(files.write("c", std::string(100, '\0'))));
  CHECK_FALSE(dataset::is_lfs_pointer(files.root() / "missing"));
}
