#pragma once

#include "engine/he/serialisation.h"

/// Ciphertexts between machines that trust each other, with the same parameters: the body of the
/// stored form, without the envelope and its checksum, which takes longer than packing.
namespace tacet::he {

/// Writes behind those that are there. After an error they are of no use.
auto append_bare(const Context& context, const Ciphertext& ciphertext, Bytes& out) -> Status;

/// What `append_bare` wrote. Fields without sense, and residues that are not below their modulus,
/// are errors.
auto read_bare(const Context& context, std::span<const std::byte> bytes) -> Result<Ciphertext>;

}  // namespace tacet::he
