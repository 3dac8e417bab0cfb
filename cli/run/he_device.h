#pragma once

#include "cli/progress.h"
#include "engine/he_runtime/bundle_values.h"
#include "engine/he_runtime/run_encrypted.h"

namespace tacet::cli {

/// Whose work it was.
enum class HeSide : uint8_t {
  Both,
  ClientBegins,  ///< makes keys and encrypts
  Server,
  ClientEnds,  ///< decrypts
};

/// What one of the processes of a server did.
struct RankCosts {
  std::string host;
  uint64_t n_operations = 0;
  double work_seconds = 0;
  uint64_t bytes_sent = 0;  ///< of ciphertexts, to others
  uint64_t key_bytes = 0;   ///< of keys that it was sent
};

/// What computing under encryption cost, all parts of a bundle together.
struct HeCosts {
  HeSide side = HeSide::Both;
  engine::HeStatistics statistics;
  he::Scheme scheme = he::Scheme::Bfv;
  he::Security security = he::Security::Bits128;
  size_t ring_dimension = 0;
  double modulus_bits = 0;             ///< special primes included; of the part with the most
  std::vector<uint64_t> plain_moduli;  ///< none of fixed-point numbers
  uint32_t scale_bits = 0;             ///< of fixed-point numbers: log2 of the scale
  double error_bound = 0;              ///< of these: how far results may be from the device `ref`'s
  double tolerance = 0;                ///< of these: how far they may be from exact ones
  size_t n_slots = 0;                  ///< of a ciphertext
  size_t n_input_plaintexts = 0;
  size_t n_rotation_keys = 0;
  unsigned n_key_holders = 1;      ///< of the key; several make it and decrypt together
  uint64_t joint_bytes = 0;        ///< that each of several holders sends, for keys and results
  bool has_server_inputs = false;  ///< which results hide, or show if they hide nothing
  double noise_budget_left = 0;    ///< measured, in bits, of the output with the least
  uint64_t bytes_sent = 0;         ///< by client or server, the larger of both
  uint64_t input_bytes = 0;        ///< of what the client encrypts
  uint64_t rotation_key_bytes = 0;
  unsigned n_threads = 1;
  /// Of plaintexts that the server prepares; others are encoded whenever they are used.
  uint64_t most_plaintext_bytes = engine::kMostPreparedBytes;
  std::vector<RankCosts> ranks;  ///< of a server that is several processes
  double keygen_seconds = 0;
  double prepare_seconds = 0;  ///< the server's encodings
};

/// What a run gave, and what that cost.
struct HeDeviceRun {
  engine::HeIntegers outputs;
  HeCosts costs;
};

/// What is the same for every run of a bundle: its scheme, ring and moduli.
auto costs_of(const engine::HeBundle& bundle, HeSide side, unsigned n_threads) -> HeCosts;

/// Adds what a part cost to what the others did.
void add_statistics(const engine::HeStatistics& from, engine::HeStatistics& to);

/// One part's parameters with all that is computed from them.
auto make_context(const engine::HeBundle& bundle, const engine::HeBundlePart& part,
                  unsigned n_threads) -> Result<he::ContextRef>;

/// Runs a bundle in this process, client and server in one: keys, encryption, evaluation,
/// decryption. `values` has the numbers of all inputs. With `wants_bytes`, ciphertexts and keys are
/// also serialised, to count what would be sent. `line` shows the phases. `most_plaintext_bytes` is
/// that of the costs.
auto run_on_he(const engine::HeBundle& bundle, const engine::HeIntegers& values, unsigned n_threads,
               uint64_t most_plaintext_bytes, bool wants_bytes, PhaseLine& line)
    -> Result<HeDeviceRun>;

}  // namespace tacet::cli
