#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/he_format/bundle.h"
#include "engine/he_joint_runtime/joint_links.h"
#include "engine/program/he/residues.h"

namespace tacet::engine {

/// What a party brings to the evaluation of a program whose results nobody decrypts.
struct SharedInputs {
  HeIntegers own{};                              ///< the client's arrays that this party has
  std::map<std::string, net::Rank> suppliers{};  ///< of all the client's arrays, who has them
  HeIntegers common{};                           ///< the server's arrays, which all have alike
  unsigned n_threads = 1;
};

/// What a party gets.
struct SharedOutputs {
  /// By result, row by row: this party's shares, uniform numbers of [0, modulus). The numbers are
  /// the sums of all parties' shares, taken modulo the modulus and near zero.
  std::map<std::string, std::vector<uint64_t>> shares{};
  uint64_t rounds = 0;
  uint64_t key_bytes_sent = 0;  ///< of them, to make the keys
  uint64_t bytes_sent = 0;      ///< to all others together
};

/// Whether parties can take shares of a bundle's results: integers of one part, for as many holders
/// of the key. Else why not, and what would help.
auto check_sharable(const HeBundle& bundle, unsigned n_parties) -> Status;

/// All parties of the links make keys for this run alone, encrypt their inputs for each other,
/// evaluate the program, each for itself, and take shares of the results: the parties' noise hides
/// that of the results by the program's bound, and uniform masks hide all slots. So that nobody
/// need be believed about a ciphertext, none travels but those of inputs. Rounds: two for the seed,
/// those of keys (`make_joint_keys`), one for the inputs and one for the shares.
auto run_to_shares(JointLinks& links, const HeBundle& bundle, const SharedInputs& inputs,
                   he::SecureRandom& random) -> Result<SharedOutputs>;

}  // namespace tacet::engine
