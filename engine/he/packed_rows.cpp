#include "engine/he/packed_rows.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>

#include "base/declassify.h"
#include "engine/ring/bit_packing.h"

namespace tacet::he {
namespace {

auto bits_of(const Modulus& modulus) -> unsigned {
  return static_cast<unsigned>(std::bit_width(modulus.value - 1));
}

/// Where each row begins, and behind the last one.
auto offsets_of(size_t n, std::span<const Modulus> moduli) -> std::vector<size_t> {
  std::vector<size_t> offsets = {0};
  for (const Modulus& modulus : moduli) {
    offsets.push_back(offsets.back() + packed_size(n, modulus));
  }
  return offsets;
}

}  // namespace

auto packed_size(size_t n, const Modulus& modulus) -> size_t {
  return n / 8 * bits_of(modulus);
}

auto packed_size(size_t n, std::span<const Modulus> moduli) -> size_t {
  return offsets_of(n, moduli).back();
}

void pack_row(Isa isa, std::span<const uint64_t> row, const Modulus& modulus, std::byte* out) {
  ring::packing_kernels(isa).pack(row.data(), row.size(), bits_of(modulus), out);
}

auto unpack_row(Isa isa, const std::byte* in, const Modulus& modulus, std::span<uint64_t> row)
    -> bool {
  const uint64_t too_large = ring::packing_kernels(isa).unpack(in, row.size(), bits_of(modulus),
                                                               modulus.value, row.data());
  return declassified(too_large) == 0;
}

void pack_rows(const Context& context, std::span<const uint64_t* const> rows,
               std::span<const Modulus> moduli, std::byte* out) {
  const std::vector<size_t> offsets = offsets_of(context.n(), moduli);
  context.for_each(moduli.size(), [&](size_t i) {
    pack_row(context.isa(), {rows[i], context.n()}, moduli[i], out + offsets[i]);
  });
}

auto unpack_rows_into(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                      std::string_view what, std::span<uint64_t* const> rows) -> Status {
  const std::vector<size_t> offsets = offsets_of(context.n(), moduli);
  std::atomic<size_t> bad_row = moduli.size();
  context.for_each(moduli.size(), [&](size_t i) {
    if (!unpack_row(context.isa(), in + offsets[i], moduli[i], {rows[i], context.n()})) {
      bad_row = i;
    }
  });
  if (bad_row != moduli.size()) {
    return Error{fmt::format("the {} has a residue that is not less than its modulus {}", what,
                             moduli[bad_row].value)};
  }
  return std::monostate{};
}

auto unpack_rows(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                 std::string_view what, Wipe wipe) -> Result<Rows> {
  Rows rows = context.rows(moduli.size(), wipe);
  if (Status status = unpack_rows_into(context, in, moduli, what, rows.row_pointers()); !status) {
    return status.error();
  }
  return rows;
}

}  // namespace tacet::he
