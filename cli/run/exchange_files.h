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

/// Client and server of a computation under encryption as two processes that exchange files, in a
/// folder that both see or that is copied between them:
///
///     keys       the client's evaluation keys, public       client -> server
///     inputs     its encrypted numbers                      client -> server
///     results    encrypted                                  server -> client
///
/// Each file is a header and a sequence of objects. The client's secret key is a file of its own
/// that only the user may read and that never leaves the client.
///
/// The header has the file's kind, and the digests of the program, of the keys file and of the
/// inputs file that it belongs to: readers reject files made for others.
namespace tacet::cli {

struct ExchangePlace {
  std::string folder;
  std::string secret_file;
};

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

/// A header and the objects behind it.
template <class Bytes>
auto file_of(ExchangeFile kind, const Belonging& belonging, const Bytes& objects) -> Bytes {
  const he::Bytes header = header_of(kind, belonging);
  Bytes file(header.begin(), header.end());
  file.insert(file.end(), objects.begin(), objects.end());
  return file;
}

/// Writes what the client makes, each with its header. Results of an earlier exchange are removed.
auto write_client_files(const ExchangePlace& place, const he::Bytes& keys, const he::Bytes& inputs,
                        const SecureBytes& secret) -> Status;

/// The files that the server gets, which belong together and to its program.
struct GivenFiles {
  std::string keys_path;
  std::string inputs_path;
  SecureBytes keys;
  SecureBytes inputs;
  Belonging belonging;  ///< of the results
};

auto read_client_files(const FileDigest& program, const ExchangePlace& place) -> Result<GivenFiles>;

auto write_results(const ExchangePlace& place, const he::Bytes& results) -> Status;

/// The two files that the client decrypts with.
struct ResultFiles {
  std::string path;
  SecureBytes results;
  SecureBytes secret;
};

auto read_result_files(const FileDigest& program, const ExchangePlace& place)
    -> Result<ResultFiles>;

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
