#pragma once

#include <span>

#include "base/executor.h"
#include "base/result.h"
#include "engine/cggi/objects.h"
#include "engine/cggi/server_key.h"
#include "engine/cggi/table.h"

namespace tacet::cggi {

struct Term {
  uint32_t index = 0;  ///< of a ciphertext
  int32_t weight = 0;
};

/// One programmable bootstrap: the sum of terms and an offset, looked up in a table.
struct BootstrapTask {
  std::span<const Term> terms;
  Torus offset = 0;
  uint32_t table = 0;
  /// The results of the table's 2^log2_tables tables are this ciphertext and those behind it.
  uint32_t first_output = 0;
};

/// How work is divided: tasks that share a pass over the key are a batch, batches are independent.
struct Batching {
  Executor& executor;
  unsigned n_threads = 1;  ///< of the executor
  size_t lock_step = kMaxLockStep;
};

/// Runs tasks that do not depend on each other. An error if ciphertexts belong to another key, a
/// number is out of range, or an output is an input, or an output twice.
///
/// The results are those of each task alone, whatever the batching is.
auto bootstrap(const ServerKey& key, std::span<const Table> tables,
               std::span<const BootstrapTask> tasks, Ciphertexts& values, const Batching& batching)
    -> Status;

}  // namespace tacet::cggi
