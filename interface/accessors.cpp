#include "cli/version_info.h"
#include "interface/errors.h"

using tacet::interface::copy_known;

uint32_t tacet_abi(void) {
  return TACET_ABI;
}

const char* tacet_version(void) {
  static const std::string version(tacet::cli::kVersion);
  return version.c_str();
}

const void* tacet_bytes_data(const tacet_bytes* bytes) {
  return std::visit([](const auto& content) -> const void* { return content.data(); },
                    bytes->content);
}

size_t tacet_bytes_size(const tacet_bytes* bytes) {
  return std::visit([](const auto& content) { return content.size(); }, bytes->content);
}

void tacet_bytes_free(tacet_bytes* bytes) {
  delete bytes;
}

size_t tacet_diagnostics_count(const tacet_diagnostics* diagnostics) {
  return diagnostics->entries.size();
}

int tacet_diagnostics_get(const tacet_diagnostics* diagnostics, size_t number,
                          tacet_diagnostic* diagnostic) {
  if (number >= diagnostics->entries.size()) {
    return 0;
  }
  const tacet_diagnostics::Entry& entry = diagnostics->entries[number];
  const tacet_diagnostic found{.struct_size = sizeof(tacet_diagnostic),
                               .code = entry.code.c_str(),
                               .message = entry.message.c_str(),
                               .path = entry.path.c_str(),
                               .severity = entry.severity,
                               .line = entry.line,
                               .column = entry.column,
                               .end_line = entry.end_line,
                               .end_column = entry.end_column};
  return copy_known(found, diagnostic) ? 1 : 0;
}

const char* tacet_diagnostics_text(const tacet_diagnostics* diagnostics) {
  return diagnostics->text.c_str();
}

const char* tacet_diagnostics_json(const tacet_diagnostics* diagnostics) {
  return diagnostics->json.c_str();
}

void tacet_diagnostics_free(tacet_diagnostics* diagnostics) {
  delete diagnostics;
}

uint32_t tacet_error_status(const tacet_error* error) {
  return error->status;
}

const char* tacet_error_message(const tacet_error* error) {
  return error->message.c_str();
}

const tacet_diagnostics* tacet_error_diagnostics(const tacet_error* error) {
  return error->diagnostics.get();
}

void tacet_error_free(tacet_error* error) {
  delete error;
}

tacet_cancellation* tacet_cancellation_new(const tacet_cancellation* parent) {
  return new tacet_cancellation{parent == nullptr ? tacet::CancellationToken()
                                                  : parent->token.child()};
}

void tacet_cancellation_cancel(const tacet_cancellation* cancellation) {
  cancellation->token.cancel();
}

int tacet_cancellation_is_cancelled(const tacet_cancellation* cancellation) {
  return cancellation->token.is_cancelled() ? 1 : 0;
}

void tacet_cancellation_free(tacet_cancellation* cancellation) {
  delete cancellation;
}

void tacet_options_free(tacet_options* options) {
  delete options;
}

void tacet_sources_free(tacet_sources* sources) {
  delete sources;
}

void tacet_program_free(tacet_program* program) {
  delete program;
}

void tacet_values_free(tacet_values* values) {
  delete values;
}

void tacet_client_free(tacet_client* client) {
  delete client;
}

void tacet_server_free(tacet_server* server) {
  delete server;
}
