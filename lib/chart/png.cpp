#include "chart/png.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "util/error.h"
#include "util/shared_library.h"

namespace fib::chart {
namespace {

constexpr int kLargestSide = 32767;  // of a cairo image surface
constexpr int kArgb32 = 0;           // CAIRO_FORMAT_ARGB32

// From librsvg/rsvg.h and glib/gerror.h.
struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;
};
struct Length {
  double length = 0;
  int unit = 0;
};
struct GlibError {
  unsigned domain = 0;
  int code = 0;
  char* message = nullptr;
};
using WriteFunction = int (*)(void* closure, const unsigned char* data, unsigned length);

// The functions of librsvg 2.46 or later, cairo and glib. glib's come with librsvg.
struct Library {
  std::string problem;
  void* (*handle_new)(const unsigned char* data, std::size_t size, GlibError** error) = nullptr;
  void (*get_dimensions)(void* handle, int* has_width, Length* width, int* has_height, Length* height,
                         int* has_viewbox, Rectangle* viewbox) = nullptr;
  int (*render)(void* handle, void* cairo, const Rectangle* viewport, GlibError** error) = nullptr;
  void (*unref)(void* object) = nullptr;
  void (*error_free)(GlibError* error) = nullptr;
  void* (*surface_create)(int format, int width, int height) = nullptr;
  void (*surface_destroy)(void* surface) = nullptr;
  int (*surface_write)(void* surface, WriteFunction write, void* closure) = nullptr;
  void* (*cairo_create)(void* surface) = nullptr;
  void (*cairo_destroy)(void* cairo) = nullptr;
  int (*cairo_status)(void* cairo) = nullptr;
  const char* (*status_text)(int status) = nullptr;
};

class Loader {
 public:
  explicit Loader(std::string& problem) : problem_(problem) {}

  void open(const char* file, const char* package) {
    if (!problem_.empty()) return;
    library_ = util::SharedLibrary(file);
    if (!library_.is_open())
      problem_ = fmt::format("PNG files need {}, which cannot be opened; install the Debian package {}", file,
                             package);
  }

  template <typename Function>
  void find(const char* name, Function& function) {
    if (!library_.find(name, function) && problem_.empty())
      problem_ =
          fmt::format("{} has no function {}; PNG files need librsvg 2.46 or later", library_.file(), name);
  }

 private:
  std::string& problem_;
  util::SharedLibrary library_;
};

Library open_library() {
  Library library;
  Loader loader(library.problem);
  loader.open("librsvg-2.so.2", "librsvg2-2");
  loader.find("rsvg_handle_new_from_data", library.handle_new);
  loader.find("rsvg_handle_get_intrinsic_dimensions", library.get_dimensions);
  loader.find("rsvg_handle_render_document", library.render);
  loader.find("g_object_unref", library.unref);
  loader.find("g_error_free", library.error_free);
  loader.open("libcairo.so.2", "libcairo2");
  loader.find("cairo_image_surface_create", library.surface_create);
  loader.find("cairo_surface_destroy", library.surface_destroy);
  loader.find("cairo_surface_write_to_png_stream", library.surface_write);
  loader.find("cairo_create", library.cairo_create);
  loader.find("cairo_destroy", library.cairo_destroy);
  loader.find("cairo_status", library.cairo_status);
  loader.find("cairo_status_to_string", library.status_text);
  return library;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

using Owned = std::unique_ptr<void, void (*)(void*)>;

[[noreturn]] void fail(const Library& rsvg, GlibError* error) {
  std::string reason = error != nullptr && error->message != nullptr ? error->message : "no reason given";
  while (!reason.empty() && reason.back() == '\n') reason.pop_back();
  if (error != nullptr) rsvg.error_free(error);
  throw Error("librsvg cannot draw the chart: {}", reason);
}

void check(const Library& rsvg, int status) {
  if (status != 0) throw Error("cairo cannot write the PNG file: {}", rsvg.status_text(status));
}

Rectangle viewbox_of(const Library& rsvg, void* document) {
  int has_width = 0;
  int has_height = 0;
  int has_viewbox = 0;
  Length width;
  Length height;
  Rectangle box;
  rsvg.get_dimensions(document, &has_width, &width, &has_height, &height, &has_viewbox, &box);
  if (has_viewbox == 0 || !(box.width > 0) || !(box.height > 0))
    throw Error("the SVG has no viewBox with a width and a height, so its size as a PNG file is unknown");
  return box;
}

int append(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return 0;
}

}  // namespace

std::string png_problem() { return library().problem; }

std::string to_png(const std::string& svg, double scale) {
  const Library& rsvg = library();
  if (!rsvg.problem.empty()) throw Error(rsvg.problem);
  GlibError* error = nullptr;
  const auto* data = reinterpret_cast<const unsigned char*>(svg.data());
  const Owned document(rsvg.handle_new(data, svg.size(), &error), rsvg.unref);
  if (!document) fail(rsvg, error);
  const Rectangle box = viewbox_of(rsvg, document.get());
  scale = std::min(scale, kLargestSide / std::max(box.width, box.height));
  const Rectangle viewport{0, 0, std::max(1.0, std::round(box.width * scale)),
                           std::max(1.0, std::round(box.height * scale))};
  const Owned surface(
      rsvg.surface_create(kArgb32, static_cast<int>(viewport.width), static_cast<int>(viewport.height)),
      rsvg.surface_destroy);
  const Owned cairo(rsvg.cairo_create(surface.get()), rsvg.cairo_destroy);
  check(rsvg, rsvg.cairo_status(cairo.get()));
  if (rsvg.render(document.get(), cairo.get(), &viewport, &error) == 0) fail(rsvg, error);
  std::string png;
  check(rsvg, rsvg.surface_write(surface.get(), append, &png));
  return png;
}

}  // namespace fib::chart
