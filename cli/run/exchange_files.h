#pragma once

#include <string>
#include <string_view>

#include "cli/run/exchange_format.h"

/// Client and server of a computation under encryption as two processes that exchange files, in a
/// folder that both see or that is copied between them: `keys`, `inputs` and `results`. The
/// client's secret key is a file of its own that only the user may read and that never leaves the
/// client.
namespace tacet::cli {

struct ExchangePlace {
  std::string folder;
  std::string secret_file;
};

/// All of a file. `writer` is the role that would have written it, if any.
auto read_bytes(const std::string& path, std::string_view writer = {}) -> Result<SecureBytes>;

/// A file that was read.
struct ExchangedFile {
  std::string path;
  SecureBytes content;

  [[nodiscard]] auto named() const -> NamedBytes { return {path, content}; }
};

/// The same, with its path.
auto read_exchanged(std::string path, std::string_view writer) -> Result<ExchangedFile>;

/// Bytes as `write_or_create` takes them.
auto text_of(std::span<const std::byte> bytes) -> std::string_view;

/// Writes what the client makes. Results of an earlier exchange are removed.
auto write_client_files(const ExchangePlace& place, const he::Bytes& keys, const he::Bytes& inputs,
                        const SecureBytes& secret) -> Status;

/// The files that the server gets.
struct GivenFiles {
  ExchangedFile keys;
  ExchangedFile inputs;
};

auto read_client_files(const ExchangePlace& place) -> Result<GivenFiles>;

auto write_results(const ExchangePlace& place, const he::Bytes& results) -> Status;

/// The two files that the client decrypts with.
struct ResultFiles {
  ExchangedFile results;
  ExchangedFile secret;
};

auto read_result_files(const ExchangePlace& place) -> Result<ResultFiles>;

}  // namespace tacet::cli
