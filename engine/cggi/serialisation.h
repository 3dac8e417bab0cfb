#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/cggi/objects.h"

/// Objects as bytes, for files and networks. docs/subsystems/cggi.md has the format.
///
/// What comes from outside is not believed: every byte is checked before it is used, and what is
/// wrong with it is an error. A checksum finds damage; it proves nothing of who made the object.
/// Sizes are compared with the bytes that are there before anything is allocated.
namespace tacet::cggi {

using Bytes = std::vector<std::byte>;

/// What to do with parameters without security, which tests make.
enum class InsecureParameters { Refuse, Accept };

/// A bit of the keys is a bit. Takes a time that does not depend on the key, as does reading it;
/// the memory is wiped when it is freed.
auto serialise(const SecretKey& key) -> SecureBytes;
auto deserialise_secret_key(std::span<const std::byte> bytes,
                            InsecureParameters insecure = InsecureParameters::Refuse)
    -> Result<SecretKey>;

auto serialise(const EvaluationKey& key) -> Bytes;
auto deserialise_evaluation_key(std::span<const std::byte> bytes,
                                InsecureParameters insecure = InsecureParameters::Refuse)
    -> Result<EvaluationKey>;

/// Inputs: a word each.
auto serialise(const FreshCiphertexts& ciphertexts) -> Bytes;
auto deserialise_fresh_ciphertexts(std::span<const std::byte> bytes) -> Result<FreshCiphertexts>;

/// Results.
auto serialise(const Ciphertexts& ciphertexts) -> Bytes;
/// An error if they are not of the size that the parameters say.
auto deserialise_ciphertexts(const Parameters& parameters, std::span<const std::byte> bytes)
    -> Result<Ciphertexts>;

}  // namespace tacet::cggi
