#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

/// Random text for tests: programs derived from the grammar itself, and edits.
namespace tacet::testing {

using Random = std::mt19937_64;

enum class Start : uint8_t { Module, ArrayProgram };

/// Derives sentences of `grammar/grammar.js` at random, so that every production, also one added
/// tomorrow, is met. Sentences are well-formed but mean nothing.
class ProgramGenerator {
 public:
  ProgramGenerator();
  ~ProgramGenerator();
  ProgramGenerator(const ProgramGenerator&) = delete;
  auto operator=(const ProgramGenerator&) -> ProgramGenerator& = delete;

  /// About `size` tokens. Tokens are separated by spaces, line ends and comments at random.
  auto program(Random& random, Start start, int size) const -> std::string;

 private:
  struct Grammar;
  std::unique_ptr<Grammar> grammar_;
};

/// Changes `text` at random: bytes, tokens, pieces of `other`, deletions, doublings.
auto mutate(Random& random, std::string text, const std::string& other) -> std::string;

}  // namespace tacet::testing
