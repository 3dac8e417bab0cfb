#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tacet::cli {

/// Of parts that run encrypted before a program, under a key of all parties.
struct EncryptedPlan {
  std::vector<std::string> names{};
  uint64_t rounds = 0;
  uint64_t bytes_sent = 0;      ///< the most of any party
  uint64_t key_bytes_sent = 0;  ///< of these, to make the key
  double seconds = 0;
};

/// What is known of a run by parties before it.
struct RunPlan {
  struct Input {
    std::string name, type;
    std::string supplier;  ///< a party; empty for what all know
    std::string value;     ///< of what all know
  };
  struct Result {
    std::string name, type;
    std::string receiver;  ///< a party; empty for all
  };
  /// A value that is revealed on the way to the results.
  struct Reveal {
    unsigned line = 0;
    std::string type;
    std::string receiver;  ///< a party; empty for all
  };
  struct Link {
    std::string a, b;
    uint64_t bytes_there = 0;  ///< from `a` to `b`
    uint64_t bytes_back = 0;
    double latency_milliseconds = 0;
    double megabits = 0;  ///< 0: unlimited
    double seconds = 0;   ///< that the messages of this link take
  };

  std::string program;
  std::string protocol;
  std::string truncation;
  std::string correlations;  ///< of `semi2k`, else empty
  std::vector<std::string> parties{};
  std::string dealer{};
  std::string self{};            ///< of tacet.toml, if it is one of its parties
  std::string run_digest{};      ///< empty for a run of this machine alone
  std::string program_digest{};  ///< whatever the public inputs are
  std::vector<Input> inputs{};
  std::vector<Result> results{};
  std::vector<Reveal> reveals{};
  uint64_t rounds = 0;
  uint64_t bytes_sent = 0;  ///< by the program, the most of any party
  std::optional<EncryptedPlan> encrypted{};
  uint64_t n_instructions = 0;
  bool is_certain = true;
  std::vector<Link> links{};
  std::string link_source{};  ///< where latencies and bandwidths are from; empty if nowhere
  double compute_seconds = 0;
  double seconds = 0;  ///< of all
  uint64_t memory_bytes = 0;

  [[nodiscard]] auto has_public_inputs() const -> bool;
};

/// For people.
auto plan_as_text(const RunPlan& plan) -> std::string;

/// One JSON object and a line end.
auto plan_as_json(const RunPlan& plan) -> std::string;

}  // namespace tacet::cli
