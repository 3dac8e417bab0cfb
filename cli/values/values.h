#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// Reads the values that a command line gives: a JSON literal, `@` and a file with what is meant of
/// it (`data_source.h`), `@-` for standard input (JSON or NumPy's format), which only one value may
/// be, or `@random`.
class ValueReader {
 public:
  /// `key` gives the key of random values, and is called if there is one.
  explicit ValueReader(std::function<engine::PublicRandomKey()> key) : key_(std::move(key)) {}

  auto read(const interpret::EntryParameter& parameter, std::string_view text)
      -> Result<interpret::Value>;

 private:
  auto read_file(const interpret::EntryParameter& parameter, std::string_view text)
      -> Result<interpret::Value>;
  auto read_standard_input(const interpret::EntryParameter& parameter) -> Result<interpret::Value>;

  std::function<engine::PublicRandomKey()> key_;
  std::string reader_of_standard_input_;
};

}  // namespace tacet::cli
