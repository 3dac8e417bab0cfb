#pragma once

#include <span>

#include "engine/cggi/bootstrap.h"

namespace tacet::cggi {

/// A task whose operands are known to be there.
struct BootstrapJob {
  std::span<const Term> terms;
  Torus offset = 0;
  const Table* table = nullptr;
  Torus* first_output = nullptr;  ///< as many ciphertexts as the table has tables
};

/// Runs independent jobs on `values`, which they do not write.
void run_jobs(const ServerKey& key, std::span<const BootstrapJob> jobs, const Ciphertexts& values,
              const Batching& batching);

/// Which ciphertexts a set of tasks reads and writes.
class Accesses {
 public:
  explicit Accesses(size_t n_values) : states_(n_values) {}

  auto read(uint32_t index) -> Status;
  auto write(uint32_t index) -> Status;

 private:
  enum class State : uint8_t { Unused, Read, Written };

  auto check_range(uint32_t index) const -> Status;

  std::vector<State> states_;
};

}  // namespace tacet::cggi
