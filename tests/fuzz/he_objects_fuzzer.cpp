// Whatever bytes are read as objects of the homomorphic engine, they are rejected with a reason, or
// are the bytes that the object is stored as.
//
// The first byte of an input chooses the scheme, and whether header and checksum are made right
// before the bytes are read: hardly any mutation gets past the checksum by itself.

#include "tests/serialisation/sample_objects.h"

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  static const std::vector<tacet::he::SampleWorld> kWorlds = tacet::he::make_sample_worlds();
  if (size == 0) {
    return 0;
  }
  constexpr unsigned kAsItStands = 0x80;
  const tacet::he::SampleWorld& world = kWorlds[(data[0] & ~kAsItStands) % kWorlds.size()];
  const auto input = std::as_bytes(std::span(data + 1, size - 1));
  tacet::he::Bytes bytes(input.begin(), input.end());
  if ((data[0] & kAsItStands) == 0) {
    repair(world, bytes);
  }
  load(world, bytes);
  return 0;
}
