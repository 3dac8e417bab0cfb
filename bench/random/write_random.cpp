// Writes reproducible random numbers to standard output until the reader closes: input for tests of
// random numbers.
//
//     write_random KEY stream the blocks of one place in sequence
//     write_random KEY places the first block of each iteration of a loop
//     write_random KEY calls            the first block of each of 64 draws, in one call after the
//     other

#include <cstdio>
#include <string_view>
#include <vector>

#include "engine/random/public_random.h"

namespace {

using tacet::engine::Block;
using tacet::engine::PublicRandomStream;
using tacet::engine::RngState;

constexpr size_t kWords = size_t{1} << 16;

auto write(const std::vector<uint64_t>& words) -> bool {
  return std::fwrite(words.data(), sizeof(uint64_t), words.size(), stdout) == words.size();
}

void write_stream(const RngState& root) {
  PublicRandomStream stream(root);
  std::vector<uint64_t> words(kWords);
  do {
    stream.fill(words);
  } while (write(words));
}

/// `place(i)` is where block `i` is from.
template <class Place>
void write_places(Place place) {
  std::vector<uint64_t> words;
  for (uint64_t i = 0;; ++i) {
    const Block block = place(i).source().block(0);
    words.insert(words.end(), block.begin(), block.end());
    if (words.size() == kWords) {
      if (!write(words)) {
        return;
      }
      words.clear();
    }
  }
}

}  // namespace

auto main(int argc, char** argv) -> int {
  const auto key = argc == 3 ? tacet::engine::parse_random_key(argv[1]) : std::nullopt;
  const std::string_view what = argc == 3 ? argv[2] : "";
  if (!key) {
    std::fputs("usage: write_random HEX stream|places|calls\n", stderr);
    return 2;
  }
  const RngState root(*key);
  if (what == "stream") {
    write_stream(root);
  } else if (what == "places") {
    write_places([&](uint64_t iteration) { return root.split({}, std::span(&iteration, 1)); });
  } else if (what == "calls") {
    const auto draws = tacet::engine::split_bits(64);
    write_places([&](uint64_t i) {
      const uint64_t call = uint64_t{1} << 63 | i / draws.size();
      return root.split(draws[i % draws.size()], std::span(&call, 1));
    });
  } else {
    return 2;
  }
  return 0;
}
