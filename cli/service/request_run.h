#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "cli/service/limits.h"

namespace tacet::service {

/// What the command line of `tacet request` says.
struct RequestOptions {
  cli::RunOptions run;      ///< the file, values, inputs, format, output, statistics and threads
  std::string address;      ///< of the service, `HOST:PORT`
  std::string certificate;  ///< a file: the service's
  std::string key;          ///< a file: the client's private key
  std::string keys_folder;  ///< of the keys for encryption; empty: beside the program
  uint64_t connect_seconds = 30;
  uint64_t answer_seconds = 600;
  uint64_t most_results_mib = 1024;
};

/// Encrypts, requests, decrypts and prints. Makes keys if there are none, and sends them if the
/// service does not hold them.
auto run_request(const RequestOptions& options, cli::Invocation& invocation) -> cli::ExitCode;

}  // namespace tacet::service
