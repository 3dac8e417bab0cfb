#include "lsp/protocol/field_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tacet::lsp {

FieldReader::FieldReader(const Json& object, std::string& error)
    : FieldReader(&object, {}, error) {}

FieldReader::FieldReader(const Json* object, std::string path, std::string& error)
    : object_(object), path_(std::move(path)), error_(error) {
  if (object_ != nullptr && !object_->is_object()) {
    object_ = nullptr;
    if (error_.empty()) {
      error_ = fmt::format("{}: expected an object", path_.empty() ? "params" : path_);
    }
  }
}

void FieldReader::fail(const char* member, const char* expected) {
  if (error_.empty()) {
    const char* dot = path_.empty() ? "" : ".";
    error_ = fmt::format("{}{}{}: expected {}", path_, dot, member, expected);
  }
}

auto FieldReader::has(const char* member) const -> bool {
  if (object_ == nullptr) {
    return false;
  }
  auto found = object_->find(member);
  return found != object_->end() && !found->is_null();
}

auto FieldReader::is_string(const char* member) const -> bool {
  return has(member) && object_->find(member)->is_string();
}

auto FieldReader::get(const char* member) -> const Json* {
  return has(member) ? &*object_->find(member) : nullptr;
}

auto FieldReader::object(const char* member) -> FieldReader {
  const Json* value = get(member);
  if (value == nullptr) {
    fail(member, "an object");
  }
  std::string path = path_.empty() ? member : path_ + "." + member;
  return {value, std::move(path), error_};
}

auto FieldReader::string(const char* member) -> std::string {
  const Json* value = get(member);
  if (value == nullptr || !value->is_string()) {
    fail(member, "a string");
    return {};
  }
  return value->get_ref<const std::string&>();
}

auto FieldReader::integer(const char* member) -> int64_t {
  const Json* value = get(member);
  if (value == nullptr || !value->is_number_integer()) {
    fail(member, "an integer");
    return 0;
  }
  return value->get<int64_t>();
}

auto FieldReader::uinteger(const char* member) -> uint32_t {
  const Json* value = get(member);
  bool is_good = value != nullptr && value->is_number_unsigned();
  if (!is_good) {
    fail(member, "an unsigned integer");
    return 0;
  }
  // Some clients send 2^53 - 1 or more for "the end"; all of it means past the end.
  return static_cast<uint32_t>(std::min<uint64_t>(value->get<uint64_t>(), UINT32_MAX));
}

auto FieldReader::boolean(const char* member, bool fallback) -> bool {
  const Json* value = get(member);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_boolean()) {
    fail(member, "a boolean");
    return fallback;
  }
  return value->get<bool>();
}

auto FieldReader::position() -> Position {
  const uint32_t line = uinteger("line");
  return {line, uinteger("character")};
}

auto FieldReader::position(const char* member) -> Position {
  return object(member).position();
}

auto FieldReader::positions(const char* member) -> std::vector<Position> {
  std::vector<Position> found;
  for (FieldReader& at : objects(member)) {
    found.push_back(at.position());
  }
  return found;
}

auto FieldReader::ranges(const char* member) -> std::vector<Range> {
  std::vector<Range> found;
  for (FieldReader& at : objects(member)) {
    const Position start = at.position("start");
    found.push_back({start, at.position("end")});
  }
  return found;
}

auto FieldReader::range(const char* member) -> Range {
  FieldReader at = object(member);
  Position start = at.position("start");
  return {start, at.position("end")};
}

auto FieldReader::objects(const char* member) -> std::vector<FieldReader> {
  std::vector<FieldReader> readers;
  const Json* value = get(member);
  if (value == nullptr || !value->is_array()) {
    fail(member, "an array");
    return readers;
  }
  std::string path = path_.empty() ? member : path_ + "." + member;
  for (const Json& element : *value) {
    readers.push_back({&element, fmt::format("{}[{}]", path, readers.size()), error_});
  }
  return readers;
}

auto FieldReader::strings(const char* member) -> std::vector<std::string> {
  std::vector<std::string> found;
  const Json* value = get(member);
  if (value == nullptr || !value->is_array()) {
    fail(member, "an array of strings");
    return found;
  }
  for (const Json& element : *value) {
    if (!element.is_string()) {
      fail(member, "an array of strings");
      return found;
    }
    found.push_back(element.get<std::string>());
  }
  return found;
}

}  // namespace tacet::lsp
