#pragma once

#include "compiler/views/backends/support.h"

/// The part of code for node-seal that is the same for all programs.
namespace tacet::backends {

/// Methods of both sides: vectors of slots. Of integers, or of reals.
auto node_seal_vectors(bool is_integer) -> std::vector<SupportPiece>;
/// Methods of the client, and of the server.
auto node_seal_client(bool is_integer) -> std::vector<SupportPiece>;
auto node_seal_server(bool is_integer) -> std::vector<SupportPiece>;
/// Parameters and contexts, with the primes' sizes in `part.primeBits`.
auto node_seal_context(bool is_integer) -> std::string_view;
/// What reads arguments, runs both sides and prints results.
auto node_seal_driver(bool is_integer, size_t n_parts) -> std::string;

}  // namespace tacet::backends
