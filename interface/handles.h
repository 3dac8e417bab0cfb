#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"
#include "base/wipe.h"
#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"
#include "cli/run/bitwise_client.h"
#include "cli/run/bitwise_server.h"
#include "cli/run/encrypted_program.h"
#include "cli/run/run_report.h"
#include "cli/run/run_target.h"
#include "include/tacet.h"
#include "lsp/ide/plan_store.h"

/// What is behind the handles of the C interface.

struct tacet_bytes {
  std::variant<std::string, std::vector<std::byte>, tacet::SecureBytes> content;
};

struct tacet_diagnostics {
  struct Entry {
    std::string code;
    std::string message;
    std::string path;
    uint32_t severity = 0;
    uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
  };

  std::vector<Entry> entries;
  std::string text;
  std::string json;
};

struct tacet_error {
  tacet_status status = TACET_INTERNAL;
  std::string message;
  std::unique_ptr<tacet_diagnostics> diagnostics;
};

struct tacet_cancellation {
  tacet::CancellationToken token;
};

struct tacet_options {
  std::vector<std::pair<std::string, std::string>> given;
};

namespace tacet::interface {

/// A module with what it imports. `mutex` is held by who uses anything of it.
struct Sources {
  cli::LoadedFile file;
  program::Frontend frontend;
  cli::SourceSet shown;
  cli::LoadedProgram program;
  ide::PlanStore plans{he::default_operation_times()};
  std::recursive_timed_mutex mutex;
};

/// A parameter or result as C sees it.
struct Field {
  std::string name, type, owner, bound;
  interpret::ElementType element;
  bool is_secret = false;
  std::vector<uint64_t> shape;
  double error = 0;
};

/// A function compiled for a device. Does not change.
struct Program {
  std::string name;
  std::string device;
  std::string notes;
  cli::RunOptions options;
  std::vector<Field> parameters;
  std::vector<Field> results;
  /// Of a program that was compiled here, not read.
  std::shared_ptr<Sources> sources{};
  names::ItemId item{};
  bool is_coordinator = false;
  /// Its parameters and results are those of the whole program.
  interpret::Executable executable{};
  std::optional<cli::EncryptedProgram> encrypted{};  ///< of a device function for `he`
  std::optional<engine::MpcProgram> parties{};       ///< of one for `mpc`
};

}  // namespace tacet::interface

struct tacet_sources {
  std::shared_ptr<tacet::interface::Sources> sources;
};

struct tacet_program {
  std::shared_ptr<const tacet::interface::Program> program;
};

struct tacet_values {
  std::vector<tacet::interpret::EntryResult> results;
  std::vector<std::vector<std::byte>> elements;  ///< as wide as their types
  std::vector<tacet::interpret::Value> values;
  tacet::cli::RunStatistics statistics;
  mutable std::once_flag json_made, costs_made;
  mutable std::string json, costs;  ///< made when somebody wants them
};

struct tacet_client {
  std::shared_ptr<const tacet::interface::Program> program;
  std::variant<tacet::cli::ArithmeticClient, tacet::cli::BitwiseClient> client;
};

struct tacet_server {
  std::shared_ptr<const tacet::interface::Program> program;
  std::variant<tacet::cli::ArithmeticServer, tacet::cli::BitwiseServer> server;
};
