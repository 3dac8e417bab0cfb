#pragma once

#include <array>
#include <memory>

#include "cli/progress.h"
#include "cli/run/he_device.h"
#include "engine/cggi_runtime/client.h"
#include "engine/cggi_runtime/server.h"

namespace tacet::cli {

/// What computing under CGGI cost.
struct CggiCosts {
  HeSide side = HeSide::Both;
  cggi::Parameters parameters{};
  double log2_failure = 0;  ///< of the whole program, by the noise model
  size_t n_bootstraps = 0;
  size_t depth = 0;  ///< bootstraps that follow one another
  size_t n_input_ciphertexts = 0;
  size_t n_output_ciphertexts = 0;
  uint64_t key_bytes = 0;    ///< of the evaluation key, as it is sent
  uint64_t input_bytes = 0;  ///< of what the client encrypts, as it is sent
  uint64_t bytes_sent = 0;   ///< by client or server, the larger of both
  unsigned n_threads = 1;
  double keygen_seconds = 0;
  double prepare_seconds = 0;  ///< expanding the evaluation key
  double encrypt_seconds = 0;
  double evaluate_seconds = 0;
  double decrypt_seconds = 0;
};

/// What a run gave, and what that cost.
struct CggiDeviceRun {
  engine::CggiValues outputs;
  CggiCosts costs;
};

/// What is the same for every run of a program.
auto costs_of(const engine::CggiProgram& program, HeSide side, unsigned n_threads) -> CggiCosts;

/// Adds what another run cost.
void add_costs(const CggiCosts& from, CggiCosts& to);

/// Both keys of a client.
struct CggiKeys {
  cggi::SecretKey secret;
  cggi::EvaluationKey evaluation;
};

/// `line` shows the phases.
auto make_keys_on_cggi(const engine::CggiProgram& program, CggiCosts& costs, PhaseLine& line)
    -> Result<CggiKeys>;

/// What a server has before it knows any client: a program of which all that depends on the
/// server's own numbers is computed. Any number of evaluators share one.
struct CggiPreparation {
  static auto make(const engine::CggiProgram& program, engine::CggiValues values)
      -> Result<std::shared_ptr<const CggiPreparation>>;

  std::array<std::byte, 32> digest{};  ///< of the program as it was compiled
  cggi::Parameters parameters{};
  engine::CggiProgram program{};
  engine::CggiValues values{};
};

/// The server's side with a key that is ready to use. For use by several threads.
class CggiEvaluator {
 public:
  static auto make(std::shared_ptr<const CggiPreparation> preparation,
                   const cggi::EvaluationKey& key, CggiCosts& costs, PhaseLine& line)
      -> Result<CggiEvaluator>;
  /// `values` has the server's numbers.
  static auto make(const engine::CggiProgram& program, const cggi::EvaluationKey& key,
                   engine::CggiValues values, CggiCosts& costs, PhaseLine& line)
      -> Result<CggiEvaluator>;

  auto evaluate(const cggi::FreshCiphertexts& inputs, CggiCosts& costs, PhaseLine& line) const
      -> Result<cggi::Ciphertexts>;

  /// The memory that the key takes, in bytes.
  [[nodiscard]] auto key_memory() const -> uint64_t { return key_.size(); }

 private:
  CggiEvaluator(std::shared_ptr<const CggiPreparation> preparation, cggi::ServerKey key)
      : preparation_(std::move(preparation)), key_(std::move(key)) {}

  std::shared_ptr<const CggiPreparation> preparation_;
  cggi::ServerKey key_;
};

/// Runs a program in this process, client and server in one. `values` has the numbers of all
/// inputs. With `wants_bytes`, what would be sent is counted.
auto run_on_cggi(const engine::CggiProgram& program, const engine::CggiValues& values,
                 unsigned n_threads, bool wants_bytes, PhaseLine& line) -> Result<CggiDeviceRun>;

}  // namespace tacet::cli
