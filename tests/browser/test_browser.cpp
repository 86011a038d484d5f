// The harness that tests of pages use: a real Chromium over small pages of the test's own.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "support/browser.h"
#include "support/browser_tests.h"
#include "support/keys.h"
#include "support/process.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib::testing;
using Catch::Matchers::Contains;

namespace {

// Files of HTML, each with `body` behind a head.
struct Pages {
  TemporaryFolder folder;

  [[nodiscard]] std::filesystem::path add(const std::string& body, const std::string& head = "",
                                          const std::string& name = "page.html") const {
    const auto path = folder.path() / name;
    fib::util::write_file_atomic(path, "<!doctype html><html><head><meta charset=utf-8><title>t</title>" +
                                           head + "</head><body>" + body + "</body></html>");
    return path;
  }
};

// Sets an environment variable until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// Whether a process lives and is no zombie.
bool lives(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("State:", 0) == 0) return line.find('Z') == std::string::npos;
  }
  return false;
}

// A big-endian number of four bytes.
int number_at(const std::string& bytes, std::size_t place) {
  int number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number * 256 + static_cast<unsigned char>(bytes.at(place + i));
  return number;
}

// Width and height that a PNG file says it has (its first chunk, IHDR, stands at byte 8).
std::pair<int, int> png_size(const std::string& png) {
  REQUIRE(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  REQUIRE(png.substr(12, 4) == "IHDR");
  REQUIRE(png.substr(png.size() - 8, 4) == "IEND");
  return {number_at(png, 16), number_at(png, 20)};
}

}  // namespace

TEST_CASE("a page's scripts run, or do not", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  const auto file = pages.add(
      "<p id=p class='a b'>still</p><p>two</p><noscript><i>none</i></noscript>"
      "<script>document.getElementById('p').textContent = 'ran'</script>");
  Browser browser;
  const bool scripts = GENERATE(true, false);
  PageOptions options;
  options.scripts = scripts;
  Page page = browser.open(file, options);
  CHECK(page.text("#p") == (scripts ? "ran" : "still"));
  CHECK(page.count("p") == 2);
  CHECK(page.texts("p").at(1) == "two");
  CHECK(page.count("noscript i") == (scripts ? 0 : 1));
  CHECK(page.attributes("p") == std::map<std::string, std::string>{{"id", "p"}, {"class", "a b"}});
  CHECK(page.evaluate("({a: [1, 'x', null], b: document.title})").dump() == R"({"a":[1,"x",null],"b":"t"})");
  CHECK(page.evaluate("Promise.resolve(3)") == 3);
  CHECK(page.evaluate("undefined").is_null());
  CHECK_THROWS_WITH(page.evaluate("nothing.at.all"), Contains("nothing is not defined"));
  CHECK_THROWS_WITH(page.text("#q"), Contains("nothing matches #q"));
  CHECK(page.errors().empty());
  CHECK(page.requests().empty());
}

TEST_CASE("errors of a page are seen", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  Browser browser;
  Page page =
      browser.open(pages.add("<script>console.log('fine'); console.error('bad', 3)</script>"
                             "<script>setTimeout(() => { throw new Error('late'); }, 1)</script>"
                             "<script>missing()</script>"));
  page.evaluate("new Promise(done => setTimeout(done, 20))");
  const auto errors = page.errors();
  REQUIRE(errors.size() == 3);
  CHECK(errors[0] == "console.error: bad 3");
  CHECK_THAT(errors[1], Contains("ReferenceError: missing is not defined"));
  CHECK_THAT(errors[2], Contains("Error: late"));
}

TEST_CASE("what violates a security policy is an error", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  Browser browser;
  Page page =
      browser.open(pages.add("<p>still</p><script>document.querySelector('p').textContent = 'ran'</script>",
                             "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"));
  CHECK(page.text("p") == "still");
  REQUIRE(page.errors().size() == 1);
  CHECK_THAT(page.errors()[0], Contains("Content Security Policy"));
}

TEST_CASE("what a page asks for is seen and not had", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  Browser browser;
  Page page = browser.open(
      pages.add("<img src='http://127.0.0.1:9/x.png'><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
                "<script>fetch('http://example.com/y').catch(() => document.title = 'failed')</script>"
                "<iframe src='http://127.0.0.1:9999/f.html'></iframe>",
                "<link rel=stylesheet href=own.css>", "ä page+.html"));
  page.wait_until("document.title === 'failed'");
  auto requests = page.requests();
  std::sort(requests.begin(), requests.end());
  CHECK(requests == std::vector<std::string>{"file://" + (pages.folder.path() / "own.css").string(),
                                             "http://127.0.0.1:9/x.png", "http://127.0.0.1:9999/f.html",
                                             "http://example.com/y"});
  const auto errors = page.errors();
  CHECK(std::count_if(errors.begin(), errors.end(), [](const std::string& error) {
          return error.find("Failed to load resource") == 0 && error.find("x.png") != std::string::npos;
        }) == 1);
  CHECK(page.evaluate("document.images[0].naturalWidth") == 0);
}

TEST_CASE("media queries see what the options say", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  const auto file = pages.add("<p>a</p>",
                              "<style>p { color: rgb(1, 2, 3) }"
                              "@media (prefers-color-scheme: dark) { p { color: rgb(4, 5, 6) } }"
                              "@media print { p { display: none } }"
                              "@media (prefers-reduced-motion: reduce) { p { margin-top: 7px } }"
                              "@media (max-width: 500px) { p { opacity: 0.5 } }</style>");
  Browser browser;
  Page plain = browser.open(file);
  CHECK(plain.style("p", "color") == "rgb(1, 2, 3)");
  CHECK(plain.visible("p"));
  CHECK(plain.style("p", "margin-top") != "7px");
  CHECK(plain.style("p", "opacity") == "1");
  PageOptions options;
  options.dark = options.print = options.reduced_motion = true;
  options.scripts = false;
  options.width = 400;
  Page other = browser.open(file, options);
  CHECK(other.style("p", "color") == "rgb(4, 5, 6)");
  CHECK_FALSE(other.visible("p"));
  CHECK(other.style("p", "margin-top") == "7px");
  CHECK(other.style("p", "opacity") == "0.5");
  CHECK(other.evaluate("innerWidth") == 400);
}

TEST_CASE("clicks and keys are those of a user", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  const auto file = pages.add(
      "<div style='height: 3000px'></div><input id=i><button id=b>x</button><a href='#b'>l</a>"
      "<div id=under>u</div><div id=over style='position: fixed; inset: 0; display: none'></div>"
      "<script>const seen = []; for (const kind of ['click', 'keydown', 'mouseover'])"
      " document.addEventListener(kind, e => seen.push([kind, e.target.id, e.key ?? '', "
      "e.isTrusted]))</script>");
  Browser browser;
  Page page = browser.open(file);
  const auto seen = [&](const std::string& event) {
    return page.evaluate("seen").dump().find(event) != std::string::npos;
  };
  page.hover("#b");
  CHECK(seen(R"(["mouseover","b","",true])"));
  CHECK_FALSE(seen("click"));
  page.click("#b");
  CHECK(seen(R"(["click","b","",true])"));
  page.click("#i");
  page.type("a+Zß€/ 1");
  CHECK(page.evaluate("document.activeElement.value") == "a+Zß€/ 1");
  CHECK(seen(R"(["keydown","i","€",true])"));
  page.press("Control+a");
  page.press("Delete");
  page.type("xy");
  page.press("ArrowLeft");
  page.press("Backspace");
  CHECK(page.evaluate("document.activeElement.value") == "y");
  page.press("Tab");
  CHECK(page.evaluate("document.activeElement.id") == "b");
  page.press("Shift+Tab");
  CHECK(page.evaluate("document.activeElement.id") == "i");
  page.evaluate("document.getElementById('over').style.display = 'block'");
  CHECK_THROWS_WITH(page.click("#under"), Contains("#under is covered by <div id=\"over\""));
  CHECK_THROWS_WITH(page.press("Entr"), "no key is named 'Entr'");
}

TEST_CASE("a page without scripts takes clicks and keys", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  PageOptions options;
  options.scripts = false;
  Browser browser;
  Page page = browser.open(pages.add("<details><summary>s</summary><p>d</p></details><input>"), options);
  CHECK_FALSE(page.visible("p"));
  page.click("summary");
  CHECK(page.visible("p"));
  page.press("Enter");  // the summary has the focus
  CHECK_FALSE(page.visible("p"));
  page.press("Tab");
  page.type("z");
  CHECK(page.evaluate("document.querySelector('input').value") == "z");
}

TEST_CASE("screenshots are of the viewport or of the whole page", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  PageOptions options;
  options.width = 320;
  options.height = 200;
  Browser browser;
  Page page = browser.open(
      pages.add("<div style='height: 1500px; background: red'></div>", "<style>body { margin: 0 }</style>"),
      options);
  CHECK(png_size(page.screenshot()) == std::make_pair(320, 200));
  CHECK(png_size(page.screenshot(true)) == std::make_pair(320, 1500));
}

TEST_CASE("pages have storage of their own, which a reload keeps", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  const auto file = pages.add("<b id=b>x</b>");
  PageOptions options;
  options.fragment = "b";
  Browser browser;
  Page first = browser.open(file, options);
  CHECK(first.evaluate("location.hash") == "#b");
  first.evaluate("localStorage.setItem('k', 'v'); window.mark = 1");
  first.reload();
  CHECK(first.evaluate("[localStorage.getItem('k'), window.mark ?? null, location.hash]").dump() ==
        R"(["v",null,"#b"])");
  Page second = browser.open(file);
  CHECK(second.evaluate("localStorage.getItem('k')").is_null());
}

TEST_CASE("how long a page took to load is measured", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  Browser browser;
  Page page = browser.open(pages.add(
      "<p>a</p><script>const t = performance.now(); while (performance.now() < t + 300) continue</script>"));
  CHECK(page.load_ms() >= 300);
  CHECK(page.load_ms() < 30000);
  const auto paint = page.first_paint_ms();
  REQUIRE(paint);
  CHECK(*paint > 0);
  CHECK(*paint < 30000);
}

TEST_CASE("a file that is not there and a page that hangs are errors", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  Browser browser(std::chrono::seconds(5));
  CHECK_THROWS_WITH((void)browser.open(pages.folder.path() / "none.html"), Contains("ERR_FILE_NOT_FOUND"));
  Page page = browser.open(pages.add("<p>a</p>"));
  CHECK_THROWS_WITH(page.wait_until("1 > 2"), "never true: 1 > 2");
  CHECK_THROWS_WITH(page.evaluate("(() => { for (;;); })()"), "waited 5000 ms for Runtime.evaluate");
}

TEST_CASE("nothing of a browser remains", "[browser]") {
  if (skips_without_chromium()) return;
  const Pages pages;
  const Variable temporary("TMPDIR", pages.folder.path());
  std::vector<int> processes;
  {
    const auto file = pages.add("<p>a</p>");
    Browser browser;
    const Page page = browser.open(file);
    processes = browser.processes();
    CHECK(std::count_if(processes.begin(), processes.end(), lives) >= 2);  // itself and the page's renderer
  }
  for (const int process : processes) CHECK_FALSE(lives(process));
  CHECK(processes_marked(pages.folder.path().filename()).empty());
  for (const auto& entry : std::filesystem::directory_iterator(pages.folder.path())) {
    CHECK(entry.path().filename() == "page.html");
  }
}

TEST_CASE("chromium is found by FIB_CHROMIUM and in PATH", "[browser]") {
  const TemporaryFolder folder;
  const Variable path("PATH", "/nowhere:" + folder.path().string());
  const Variable none("FIB_CHROMIUM", "");
  CHECK_FALSE(find_chromium());
  CHECK_THROWS_WITH(Browser(), Contains("chromium is not installed"));
  std::filesystem::create_symlink("/bin/false", folder.path() / "google-chrome");
  CHECK(find_chromium() == folder.path() / "google-chrome");
  CHECK_THROWS_WITH(Browser(), Contains("the browser has ended") || Contains("does not take"));
  const Variable named("FIB_CHROMIUM", "/nowhere/browser");
  CHECK(find_chromium() == "/nowhere/browser");
  CHECK_THROWS_WITH(Browser(), Contains("cannot start /nowhere/browser"));
}

TEST_CASE("keys are named as in KeyboardEvent.key", "[browser]") {
  CHECK(key_named("Control+Shift+x").modifiers == 10);
  CHECK(key_named("Control+Shift+x").text.empty());
  CHECK(key_named("Shift+X").text == "X");
  CHECK(key_named("Control++").name == "+");
  CHECK(key_named("Space").name == " ");
  CHECK(key_named("7").code == "Digit7");
  CHECK_THROWS_WITH(key_named("Ctrl+x"), "no modifier key is named as in 'Ctrl+x'");
}
