#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/digest.h"
#include "engine/he/serialisation.h"
#include "engine/he_runtime/bundle_values.h"

/// What client and server of a computation under encryption send each other, as bytes:
///
///     keys       the client's evaluation keys, public       client -> server
///     inputs     its encrypted numbers                      client -> server
///     results    encrypted                                  server -> client
///
/// Each is a header and a sequence of objects, and so is the client's secret key. The header says
/// what it is, and has the digests of the program, of the keys and of the inputs that it belongs
/// to: readers reject what was made for others. What no other digest covers, secret keys and
/// results, ends with a digest of its own: readers reject what was damaged.
namespace tacet::cli {

/// What bytes of an exchange are.
enum class ExchangeFile : uint8_t {
  Secret = 1,
  Keys = 2,
  Inputs = 3,
  Results = 4,
  /// Of a joint key: one of the inputs, encrypted by the one that has it.
  Contribution = 5,
  /// Of a joint key: what one of its holders keeps.
  KeyShare = 6,
};

/// Bytes from elsewhere, and how messages call them: by a path, or by a word.
struct NamedBytes {
  std::string name;
  std::span<const std::byte> bytes;
};

/// Of a program, or of all that was sent.
using FileDigest = engine::BundleDigest;

/// What bytes belong to; digests of what is made after them are zero.
struct Belonging {
  FileDigest program{};
  FileDigest keys{};
  FileDigest inputs{};

  friend auto operator==(const Belonging&, const Belonging&) -> bool = default;
};

auto digest_of_file(std::span<const std::byte> bytes) -> FileDigest;

/// The first bytes: a magic number with a version, and which of the four kinds it is, followed by
/// the digests.
inline constexpr std::string_view kExchangeMagic = "tacet exchange 2";
inline constexpr size_t kExchangeHeaderSize = kExchangeMagic.size() + 1 + 3 * sizeof(FileDigest);

/// The header, for objects to be put behind it.
auto header_of(ExchangeFile kind, const Belonging& belonging) -> he::Bytes;

/// What bytes of this kind say they belong to. Of keys and inputs the header alone is enough.
auto read_header(const NamedBytes& given, ExchangeFile kind) -> Result<Belonging>;

/// What keys belong to, if they are of this program.
auto read_keys_header(const NamedBytes& keys, const FileDigest& program) -> Result<Belonging>;

/// What inputs belong to, if they are under keys that belong to `keys`, of the name `keys_name`.
auto read_inputs_header(const NamedBytes& inputs, const Belonging& keys, std::string_view keys_name)
    -> Result<Belonging>;

/// What results of such inputs belong to.
auto belonging_of_inputs(const NamedBytes& inputs, const Belonging& keys,
                         std::string_view keys_name) -> Result<Belonging>;

/// A digest of a file of which the header was read, and nothing else yet.
auto digester_of_header(std::span<const std::byte> bytes) -> he::Digester;

/// The objects behind a header that was read.
auto behind_header(std::span<const std::byte> bytes) -> std::span<const std::byte>;

/// Bytes that were made for something else.
auto foreign(const std::string& name, std::string_view what) -> Error;
/// The same for another program.
auto of_other_program(const std::string& name) -> Error;

/// An error of a content, with its name.
auto of_file(const std::string& name, const Error& error) -> Error;

/// Whether a kind ends with its digest.
auto is_sealed(ExchangeFile kind) -> bool;

/// Puts the digest of all that is there at its end.
template <class Bytes>
void seal(Bytes& file) {
  const FileDigest digest = digest_of_file(file);
  file.insert(file.end(), digest.begin(), digest.end());
}

/// A header and the objects behind it, sealed if the kind is.
template <class Bytes>
auto file_of(ExchangeFile kind, const Belonging& belonging, const Bytes& objects) -> Bytes {
  const he::Bytes header = header_of(kind, belonging);
  Bytes file(header.begin(), header.end());
  file.insert(file.end(), objects.begin(), objects.end());
  if (is_sealed(kind)) {
    seal(file);
  }
  return file;
}

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
