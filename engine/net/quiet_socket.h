#pragma once

struct bio_st;

namespace tacet::net {

/// How OpenSSL reads and writes a socket: as `BIO_s_socket` does, but a write to a peer that is
/// gone is an error and no signal. The socket stays whose it is. Null when memory is out.
[[nodiscard]] auto new_quiet_socket(int socket) -> bio_st*;

}  // namespace tacet::net
