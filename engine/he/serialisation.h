#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/objects.h"

/// Objects as bytes, for files and networks. docs/subsystems/he.md has the format.
///
/// What comes from outside is not believed: every byte is checked before it is used, and what is
/// wrong with it is an error. A checksum finds damage; it proves nothing of who made the object.
/// For one object there is one sequence of bytes: whatever deserialises, serialises to the same
/// bytes again.
///
/// Memory: sizes are compared with the bytes that are there before anything is allocated, so that
/// an object of s bytes takes at most `max_expansion(context, kind)` · s bytes of rows, and what it
/// says of itself cannot change that. Seeds are expanded only where the other half of the object is
/// there in full.
///
/// Time: O(size), and the transforms of a secret key. Independent rows are handled by the
/// context's threads.
namespace tacet::he {

using Bytes = std::vector<std::byte>;

/// What a stored object is. The numbers are part of the format.
enum class ObjectKind : uint8_t {
  Parameters = 1,
  SecretKey = 2,
  PublicKey = 3,
  RelinearisationKey = 4,
  RotationKeys = 5,
  Plaintext = 6,
  Ciphertext = 7,
  BootstrappingKeys = 8,
  JointShare = 9,  ///< of `engine/he_joint`
};

/// As errors call it; empty for a number that is no kind.
auto object_kind_name(ObjectKind kind) -> std::string_view;

/// What the first `kObjectHeaderSize` bytes of an object say.
struct ObjectHeader {
  ObjectKind kind{};
  Scheme scheme{};
  ParameterDigest parameters{};
  /// Of the whole object, in bytes: where the next one begins if several are in a row.
  size_t size = 0;
};

constexpr size_t kObjectHeaderSize = 52;

/// Looks at a header alone: nothing of what follows is checked, or need be there.
auto read_object_header(std::span<const std::byte> bytes) -> Result<ObjectHeader>;

/// The bytes of rows that a byte of an object can become, at most.
auto max_expansion(const Context& context, ObjectKind kind) -> size_t;

auto serialise(const Parameters& parameters) -> Bytes;

/// What to do with parameters without security, which tests make.
enum class InsecureParameters { Refuse, Accept };

/// Parameters, validated like a request: primes are primes of the right form, and the modulus is
/// not larger than the promised security allows.
auto deserialise_parameters(std::span<const std::byte> bytes,
                            InsecureParameters insecure = InsecureParameters::Refuse)
    -> Result<Parameters>;

/// Two bits a coefficient. The memory is wiped when it is freed; the caller is responsible for
/// copies. Takes a time that does not depend on the key, as does reading it.
auto serialise(const Context& context, const SecretKey& key) -> Result<SecureBytes>;
auto deserialise_secret_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<SecretKey>;

/// Of keys that anyone may have, the uniform half is stored as its seed.
auto serialise(const Context& context, const PublicKey& key) -> Result<Bytes>;
auto deserialise_public_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<PublicKey>;

auto serialise(const Context& context, const RelinearisationKey& key) -> Result<Bytes>;
auto deserialise_relinearisation_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<RelinearisationKey>;

auto serialise(const Context& context, const RotationKeys& keys) -> Result<Bytes>;
/// One of the keys, as a set of its own: for who loads keys when they are needed.
auto serialise_rotation_key(const Context& context, const RotationKeys& keys,
                            uint64_t galois_element) -> Result<Bytes>;
auto deserialise_rotation_keys(const Context& context, std::span<const std::byte> bytes)
    -> Result<RotationKeys>;
/// The keys of both sets, which must be of one secret key and have no Galois element in common.
auto join(RotationKeys a, RotationKeys b) -> Result<RotationKeys>;

/// For CKKS alone.
auto serialise(const Context& context, const BootstrappingKeys& keys) -> Result<Bytes>;
auto deserialise_bootstrapping_keys(const Context& context, std::span<const std::byte> bytes)
    -> Result<BootstrappingKeys>;

/// A message that is not encrypted: the memory is wiped when it is freed.
auto serialise(const Context& context, const Plaintext& plaintext) -> Result<SecureBytes>;
auto deserialise_plaintext(const Context& context, std::span<const std::byte> bytes)
    -> Result<Plaintext>;

/// With its estimate of noise. A ciphertext that still has a seed takes half the bytes.
auto serialise(const Context& context, const Ciphertext& ciphertext) -> Result<Bytes>;
/// The estimate of noise, the scale and the bound of a CKKS message are what the sender says:
/// they are checked for sense only, so a sender that lies spoils its own message.
auto deserialise_ciphertext(const Context& context, std::span<const std::byte> bytes)
    -> Result<Ciphertext>;

}  // namespace tacet::he
