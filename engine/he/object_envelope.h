#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "engine/he/byte_fields.h"
#include "engine/he/digest.h"
#include "engine/he/serialisation.h"

/// What every stored object begins and ends with (docs/subsystems/he.md has the format).
namespace tacet::he {

constexpr size_t kEnvelopeHeaderSize = kObjectHeaderSize;
constexpr size_t kChecksumSize = 16;
constexpr size_t kEnvelopeSize = kEnvelopeHeaderSize + kChecksumSize;

/// Writes the body of an object.
inline auto body_writer(std::span<std::byte> object) -> FieldWriter {
  return FieldWriter(object.subspan(kEnvelopeHeaderSize, object.size() - kEnvelopeSize));
}

/// Writes header and checksum of an object whose body is in `object` already, from
/// `kEnvelopeHeaderSize` to `kChecksumSize` before its end. Its bytes are added to `file`, if there
/// is one, while the checksum is computed.
void seal_envelope(ObjectKind kind, Scheme scheme, const ParameterDigest& parameters,
                   std::span<std::byte> object, Digester* file = nullptr);

/// The body of an object of the wanted kind, or what is wrong with header, length or checksum.
/// Allocates nothing but the error. The object is added to `file`, if there is one, as above.
auto open_envelope(std::span<const std::byte> object, ObjectKind wanted, Digester* file = nullptr)
    -> Result<std::span<const std::byte>>;

/// The same for an object that goes with a context: another scheme or other parameters are errors.
auto open_envelope(const Context& context, std::span<const std::byte> object, ObjectKind wanted,
                   Digester* file = nullptr) -> Result<std::span<const std::byte>>;

}  // namespace tacet::he
