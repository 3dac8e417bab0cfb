#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/serialisation.h"
#include "engine/he_runtime/bundle_values.h"

/// The files of an exchange (`he_exchange.h`): a header, which says what the file belongs to, and
/// objects.
namespace tacet::cli {

/// What a file of an exchange is.
enum class ExchangeFile : uint8_t { Secret = 1, Keys = 2, Inputs = 3, Results = 4 };

/// Of a program, or of a whole file.
using FileDigest = engine::BundleDigest;

/// What a file belongs to; digests of what is made after it are zero.
struct Belonging {
  FileDigest program{};
  FileDigest keys{};
  FileDigest inputs{};

  friend auto operator==(const Belonging&, const Belonging&) -> bool = default;
};

/// All of a file. `writer` is the role that would have written it, if any.
auto read_bytes(const std::string& path, std::string_view writer = {}) -> Result<SecureBytes>;

auto digest_of_file(std::span<const std::byte> bytes) -> FileDigest;

/// The header of a file, for objects to be put behind it.
auto header_of(ExchangeFile kind, const Belonging& belonging) -> he::Bytes;

/// What a file of this kind says it belongs to.
auto read_header(const std::string& path, ExchangeFile kind, std::span<const std::byte> bytes)
    -> Result<Belonging>;

/// The objects of a file whose header was read.
auto behind_header(std::span<const std::byte> bytes) -> std::span<const std::byte>;

/// A file that was made for something else.
auto foreign(const std::string& path, std::string_view what) -> Error;

/// An error of a file's content, with its name.
auto of_file(const std::string& path, const Error& error) -> Error;

/// Objects that are in a row.
class ObjectRow {
 public:
  explicit ObjectRow(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The bytes of the object in front, which are left behind.
  auto next() -> Result<std::span<const std::byte>>;
  [[nodiscard]] auto is_empty() const -> bool { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tacet::cli
