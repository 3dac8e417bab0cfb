#pragma once

#include "engine/he/digest.h"
#include "engine/he/serialisation.h"

/// Objects of a file that has a digest of its own. The checksum of an object and the digest of the
/// file are computed side by side, which takes little longer than one of them.
namespace tacet::he {

/// `deserialise_ciphertext` of bytes of a file. `file` has what is before them in the file, and
/// afterwards the bytes, too. After an error it is of no use.
auto deserialise_ciphertext(const Context& context, std::span<const std::byte> bytes,
                            Digester& file) -> Result<Ciphertext>;

/// Writes the bytes of `serialise` behind those that are in `out`, and adds them to `file`. After
/// an error both are of no use.
auto append_serialised(const Context& context, const Ciphertext& ciphertext, Digester& file,
                       Bytes& out) -> Status;

}  // namespace tacet::he
