#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mpc/party.h"
#include "engine/mpc/protocol.h"
#include "engine/net/links.h"

/// For tests of protocols that tolerate a liar: runs in which one party's messages are altered.
namespace tacet::mpc {

/// What becomes of what the liar sends. A message is one call of `Party::send`; messages and bytes
/// are counted from the beginning of the run, keys included, over all receivers.
enum class Alteration : uint8_t {
  None,
  Byte,       ///< one byte, by exclusive or
  Message,    ///< all bytes of a message, at random
  Drop,       ///< a message is not sent
  Repeat,     ///< it is sent twice
  Replay,     ///< instead of it, the last one of its size that was sent to the same party
  Swap,       ///< it is sent behind the next one to the same party
  Misdirect,  ///< instead of it, the last one of its size that was sent to another party
  Often,      ///< one byte in `position`, at random
};

struct Attack {
  Rank liar = 0;
  Alteration alteration = Alteration::None;
  size_t position = 0;  ///< of the byte or of the message
  uint8_t mask = 1;
  uint64_t seed = 0;
};
[[nodiscard]] auto describe(const Attack& attack) -> std::string;

/// Something to compute, and whether a result is right.
struct AttackedProgram {
  std::string_view name;
  std::function<Task<RingArray>(Party&)> run;
  std::function<bool(const RingArray&)> is_right;
};

/// What became of a party.
struct Fate {
  std::optional<RingArray> result{};
  net::LinkStatus failure{};
  std::optional<Lie> lie{};
};
struct AttackOutcome {
  std::vector<Fate> fates{};  ///< by rank; the liar's own means nothing
  size_t n_bytes = 0;         ///< that the liar sent
  size_t n_messages = 0;
};

/// Runs the program with the protocol of this name. The liar never ends the run itself, whatever it
/// finds. A party that waits for what does not come gives up after `patience`.
auto run_attacked(std::string_view protocol, Rank n_parties, const AttackedProgram& program,
                  const Attack& attack, std::chrono::milliseconds patience) -> AttackOutcome;

/// What is wrong with an outcome, empty if nothing: an honest party has a wrong result, a party
/// that followed the protocol is the only one to be accused, or a run was attacked by a byte that
/// all parties got and yet one waited in vain.
auto problem_of(const AttackOutcome& outcome, const AttackedProgram& program, const Attack& attack)
    -> std::string;

}  // namespace tacet::mpc
