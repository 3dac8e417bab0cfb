#pragma once

struct bio_st;

namespace tacet::net {

/// How OpenSSL reads and writes a socket: as `BIO_s_socket` does, but a write to a disconnected
/// peer is an error and no signal, and what is written is kept until it is flushed, so that many
/// records of TLS leave in one call. The socket stays whose it is. Null when memory is out.
[[nodiscard]] auto new_quiet_socket(int socket) -> bio_st*;

/// While it is held, reading finds nothing, so that others may peek at the first bytes.
void hold_quiet_socket(bio_st* bio, bool is_held);

/// Sends what was written. False if some of it is left; `errno` says why.
[[nodiscard]] auto flush_quiet_socket(bio_st* bio) -> bool;

}  // namespace tacet::net
