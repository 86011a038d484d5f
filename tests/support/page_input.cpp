// What goes in and comes out of a page as a user has it: mouse, keyboard, picture.
#include <stdexcept>

#include "support/keys.h"
#include "support/page.h"

namespace fib::testing {
namespace {

using nlohmann::json;

// Base64 with padding (RFC 4648), as the protocol sends bytes.
std::string decoded(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned window = 0;
  int bits = 0;
  for (const char letter : text) {
    const auto digit = digits.find(letter);
    if (digit == std::string::npos) break;
    window = (window << 6U) | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((window >> static_cast<unsigned>(bits)) & 0xFFU);
  }
  return bytes;
}

json key_event(const Key& key, const std::string& type) {
  json event = {{"type", type},
                {"key", key.name},
                {"code", key.code},
                {"windowsVirtualKeyCode", key.number},
                {"modifiers", key.modifiers}};
  if (type == "keyDown") event["text"] = key.text;
  return event;
}

// Scrolls element e to the middle of the viewport; says where it is and whether a click there would hit it.
const char* const place_of_element = R"((() => {
  e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  const r = e.getClientRects()[0];
  if (!r) return {problem: 'is not displayed'};
  const x = r.x + r.width / 2, y = r.y + r.height / 2;
  const hit = document.elementFromPoint(x, y);
  if (!hit || !e.contains(hit)) return {problem: 'is covered by ' + (hit ? hit.outerHTML.slice(0, 100) : 'nothing')};
  return {x, y};
})())";

}  // namespace

void Page::move_to(const std::string& selector) {
  const json place = ask(selector, place_of_element);
  if (place.contains("problem")) {
    throw std::runtime_error(selector + " " + place.at("problem").get<std::string>());
  }
  mouse_x_ = place.at("x");
  mouse_y_ = place.at("y");
  mouse("mouseMoved");
}

void Page::mouse(const std::string& type) {
  json event = {{"type", type}, {"x", mouse_x_}, {"y", mouse_y_}};
  if (type != "mouseMoved") event.update({{"button", "left"}, {"clickCount", 1}});
  call("Input.dispatchMouseEvent", event);
}

void Page::hover(const std::string& selector) { move_to(selector); }

void Page::click(const std::string& selector) {
  move_to(selector);
  mouse("mousePressed");
  mouse("mouseReleased");
}

void Page::press(const std::string& key) {
  const Key pressed = key_named(key);
  call("Input.dispatchKeyEvent", key_event(pressed, "keyDown"));
  call("Input.dispatchKeyEvent", key_event(pressed, "keyUp"));
}

void Page::type(const std::string& text) {
  for (const auto& character : characters_of(text)) press(character == "\n" ? "Enter" : character);
}

std::string Page::screenshot(bool full_page) {
  json options = {{"format", "png"}};
  if (full_page) {
    const json size = call("Page.getLayoutMetrics").at("cssContentSize");
    options["captureBeyondViewport"] = true;
    options["clip"] = {
        {"x", 0}, {"y", 0}, {"width", size.at("width")}, {"height", size.at("height")}, {"scale", 1}};
  }
  return decoded(call("Page.captureScreenshot", options).at("data"));
}

}  // namespace fib::testing
