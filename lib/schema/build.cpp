#include "schema/build.h"

namespace fib::schema {
namespace {

ordered_json of_type(const char* type) { return {{"type", type}}; }

}  // namespace

ordered_json any() { return true; }

ordered_json text() { return of_type("string"); }

ordered_json word() { return {{"type", "string"}, {"minLength", 1}}; }

ordered_json flag() { return of_type("boolean"); }

ordered_json count() { return {{"type", "integer"}, {"minimum", 0}}; }

ordered_json integer() { return of_type("integer"); }

ordered_json number() { return of_type("number"); }

ordered_json real() { return either({number(), one_of({"NaN", "Infinity", "-Infinity"})}); }

ordered_json one_of(const std::vector<std::string>& words) { return {{"enum", words}}; }

ordered_json constant(const ordered_json& value) { return {{"const", value}}; }

Members with(Members members, const Members& more) {
  members.insert(members.end(), more.begin(), more.end());
  return members;
}

ordered_json list_of(const ordered_json& item) { return {{"type", "array"}, {"items", item}}; }

ordered_json map_of(const ordered_json& value) {
  return {{"type", "object"}, {"additionalProperties", value}};
}

ordered_json or_null(const ordered_json& schema) { return either({schema, of_type("null")}); }

ordered_json either(const std::vector<ordered_json>& schemas) { return {{"anyOf", schemas}}; }

ordered_json object(const Members& required, const Members& optional) {
  ordered_json properties = ordered_json::object();
  ordered_json names = ordered_json::array();
  for (const auto& [name, schema] : required) {
    properties[name] = schema;
    names.push_back(name);
  }
  for (const auto& [name, schema] : optional) properties[name] = schema;
  ordered_json result = {{"type", "object"}, {"properties", properties}};
  if (!names.empty()) result["required"] = names;
  return result;
}

ordered_json titled(const std::string& title, const ordered_json& schema) {
  ordered_json result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  result.update(schema);
  return result;
}

}  // namespace fib::schema
