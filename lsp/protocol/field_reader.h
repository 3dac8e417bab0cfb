#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lsp/protocol/json.h"
#include "lsp/protocol/types.h"

namespace tacet::lsp {

/// Reads members of one JSON object, for decoders. The first thing that is missing or
/// of the wrong type is remembered with its path; what is read after it is empty.
/// Readers of nested objects share the error and must not outlive the JSON value.
class FieldReader {
 public:
  /// `error` must be empty and outlive the reader.
  FieldReader(const Json& object, std::string& error);

  /// Is the member there, and not null?
  [[nodiscard]] auto has(const char* member) const -> bool;

  [[nodiscard]] auto is_string(const char* member) const -> bool;

  auto object(const char* member) -> FieldReader;
  auto string(const char* member) -> std::string;
  auto integer(const char* member) -> int64_t;
  auto boolean(const char* member, bool fallback) -> bool;
  auto position(const char* member) -> Position;
  auto range(const char* member) -> Range;
  auto positions(const char* member) -> std::vector<Position>;
  auto ranges(const char* member) -> std::vector<Range>;

  /// The elements of an array as objects; the strings of an array.
  auto objects(const char* member) -> std::vector<FieldReader>;
  auto strings(const char* member) -> std::vector<std::string>;

  /// Notes that a member has a value out of its range.
  void fail(const char* member, const char* expected);

 private:
  FieldReader(const Json* object, std::string path, std::string& error);

  auto get(const char* member) -> const Json*;
  auto position() -> Position;
  auto uinteger(const char* member) -> uint32_t;

  /// Null after an error.
  const Json* object_;
  std::string path_;
  std::string& error_;
};

/// `value`, unless reading it left an error.
template <class T>
auto decoded(T value, std::string error) -> Result<T> {
  if (!error.empty()) {
    return Error{std::move(error)};
  }
  return value;
}

}  // namespace tacet::lsp
