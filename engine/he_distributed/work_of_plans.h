#pragma once

#include "engine/distribution/distribution.h"
#include "engine/he_model/operation_times.h"
#include "engine/he_runtime/plan.h"

namespace tacet::engine {

/// A program and the parameters that matter for its cost.
struct WorkOfProgram {
  const HeProgram* program = nullptr;
  const Plan* plan = nullptr;
  he::Scheme scheme = he::Scheme::Bfv;
  std::vector<unsigned> data_prime_bits;
  size_t n_special = 1;
  /// Whether the root encrypts something for each of its results.
  bool hides_results = false;
};

/// The keys that nodes of a program need.
enum class WorkKeyKind : uint8_t { Relinearisation, Rotation, Swap, Bootstrapping };

/// One of the keys of a work graph.
struct WorkKeyPlace {
  uint32_t part = 0;
  WorkKeyKind kind{};
  uint32_t steps = 0;  ///< of a rotation

  friend auto operator<=>(const WorkKeyPlace&, const WorkKeyPlace&) = default;
};

/// The plans of the parts of a bundle as one graph of work.
struct WorkOfPlans {
  distribution::WorkGraph graph;
  std::vector<WorkKeyPlace> keys;  ///< of the graph's keys
  std::vector<std::vector<uint32_t>>
      nodes;  ///< of each part's plan, those of the graph, or `kNone`
  std::vector<std::pair<uint32_t, uint32_t>>
      places;  ///< of each node of the graph: part, plan node
};

/// The costs of ciphertexts' operations by the model's times; digits that rotations share are work
/// that each machine does itself. Plaintexts cost nothing, as each machine prepares its own before.
auto work_of_plans(const std::vector<WorkOfProgram>& programs, const he::OperationTimes& times)
    -> WorkOfPlans;

}  // namespace tacet::engine
