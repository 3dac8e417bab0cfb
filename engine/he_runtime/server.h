#pragma once

#include <memory>

#include "engine/he_runtime/ciphertext_exchange.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/hide_results.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/prepared.h"

namespace tacet::engine {

struct Plan;

/// What a server keeps encoded by default.
inline constexpr uint64_t kMostPreparedBytes = uint64_t{4} << 30;

/// A program ready to run on ciphertexts, any number of times and from any number of threads: all
/// that depends on the server's numbers alone is computed, encoded and transformed.
class HeServer {
 public:
  /// `values` has the server's arrays. An error if the program does not fit the context or numbers
  /// are missing. Plaintexts that ciphertexts are multiplied by are encoded now, but for those that
  /// would take more than `most_bytes` in all, and for one evaluation but for those that are used
  /// once: these are kept as coefficients and transformed at each use. Progress is in encodings and
  /// the vectors that they are made of.
  static auto make(HeProgram program, he::ContextRef context, const HeValues& values,
                   const HeProgress& progress = {}, uint64_t most_bytes = kMostPreparedBytes,
                   HeEvaluations evaluations = HeEvaluations::Many) -> Result<HeServer>;

  /// The same for one machine of several: `share` is what it does of the program's plan.
  static auto make_share(HeProgram program, he::ContextRef context, const HeValues& values,
                         Plan share, const HeProgress& progress = {},
                         uint64_t most_bytes = kMostPreparedBytes) -> Result<HeServer>;

  HeServer(HeServer&&) noexcept;
  auto operator=(HeServer&&) noexcept -> HeServer&;
  ~HeServer();

  [[nodiscard]] auto program() const -> const HeProgram&;
  [[nodiscard]] auto facts() const -> const HeFacts&;
  /// What evaluations do, by counts, and the time that it took to prepare them.
  [[nodiscard]] auto preparation() const -> const HeStatistics&;

  /// `evaluate`, and what hides the server's numbers in the results (`hide_results`) if there are
  /// any: what a server may send.
  auto answer(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
              he::SecureRandom& random, HeStatistics& statistics,
              const HeProgress& progress = {}) const -> Result<std::vector<he::Ciphertext>>;

  /// The results, in the order of `output_elements`, from ciphertexts in the order of
  /// `input_elements`. They show the server's numbers to who has the secret key. Instructions that
  /// do not wait for each other run on the context's threads at once; what comes out is the same
  /// words for any number of threads. A ciphertext that is needed no more becomes the result of the
  /// instruction that needed it last. Adds time and memory to `statistics`. Progress is in
  /// operations on ciphertexts.
  auto evaluate(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                HeStatistics& statistics, const HeProgress& progress = {}) const
      -> Result<std::vector<he::Ciphertext>>;

  /// What `evaluate` does, for a machine's share. The machine that has the client's inputs calls
  /// `check_request` first; others have none. It returns the outputs that its share has.
  auto evaluate_share(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                      CiphertextExchange& exchange, HeStatistics& statistics,
                      const HeProgress& progress = {}) const -> Result<std::vector<he::Ciphertext>>;
  /// Whether `evaluate` would take these.
  [[nodiscard]] auto check_request(const std::vector<he::Ciphertext>& inputs,
                                   const HeEvaluationKeys& keys) const -> Status;
  /// What `answer` does with the results of `evaluate`; `check_hiding` says before whether it can.
  auto hide(std::vector<he::Ciphertext> results, const HeEvaluationKeys& keys,
            he::SecureRandom& random, HeStatistics& statistics) const
      -> Result<std::vector<he::Ciphertext>>;
  [[nodiscard]] auto check_hiding(const HeEvaluationKeys& keys) const -> Status;

 private:
  struct State;
  static auto make_state(std::unique_ptr<State> state, const HeValues& values,
                         const HeProgress& progress, uint64_t most_bytes, HeEvaluations evaluations)
      -> Result<HeServer>;
  [[nodiscard]] auto run(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                         CiphertextExchange* exchange, HeStatistics& statistics,
                         const HeProgress& progress) const -> Result<std::vector<he::Ciphertext>>;
  explicit HeServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacet::engine
