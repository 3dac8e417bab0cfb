#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/he/serialisation.h"

/// Small stored objects of every kind, and what is asked of bytes that may have been one: for the
/// fuzzer and for the test of mutations.
namespace tacet::he {

/// A context, and objects of it.
struct SampleWorld {
  ContextRef context;
  struct Sample {
    std::string name;
    Bytes bytes;
  };
  std::vector<Sample> samples;
};

/// One for each scheme; the objects are the same in every run.
auto make_sample_worlds() -> std::vector<SampleWorld>;

/// Makes header and checksum those of an object of the world, so that its body is parsed. Bytes
/// that are too few for an object stay as they are.
void repair(const SampleWorld& world, std::span<std::byte> object);

/// Deserialises the bytes as the kind that they say they are. Whether they were accepted; then
/// checks that they are what serialising the object gives.
auto load(const SampleWorld& world, std::span<const std::byte> bytes) -> bool;

}  // namespace tacet::he
