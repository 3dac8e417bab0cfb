#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/he/context.h"

/// Rows of residues as they are stored: each residue takes the bits of its modulus and no more,
/// residue i the bits from i · bits on, of bytes whose least significant bit is the first. As a
/// ring dimension is a multiple of 64, rows end with a whole word and have no slack: different
/// bytes are different rows.
///
/// Nothing here has a branch or an address that depends on residues, but for whether they all are
/// below their moduli.
namespace tacet::he {

/// The bytes of a row of `n` residues.
auto packed_size(size_t n, const Modulus& modulus) -> size_t;
/// The bytes of a row for each modulus.
auto packed_size(size_t n, std::span<const Modulus> moduli) -> size_t;

/// Writes `row`, a multiple of 64 residues modulo `modulus`, to `packed_size` bytes, by kernels for
/// `isa`.
void pack_row(Isa isa, std::span<const uint64_t> row, const Modulus& modulus, std::byte* out);
/// Reads what `pack_row` wrote; whether all residues are below `modulus`.
[[nodiscard]] auto unpack_row(Isa isa, const std::byte* in, const Modulus& modulus,
                              std::span<uint64_t> row) -> bool;

/// Writes `rows`, of which number i is modulo `moduli[i]`, to `packed_size` bytes.
void pack_rows(const Context& context, std::span<const uint64_t* const> rows,
               std::span<const Modulus> moduli, std::byte* out);

/// Rows of `packed_size` bytes. An error that names the modulus if a residue is not below it;
/// `what` is the object that the rows are of.
auto unpack_rows(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                 std::string_view what, Wipe wipe = Wipe::No) -> Result<Rows>;
/// The same into rows that are there.
auto unpack_rows_into(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                      std::string_view what, std::span<uint64_t* const> rows) -> Status;

}  // namespace tacet::he
