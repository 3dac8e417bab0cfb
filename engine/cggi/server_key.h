#pragma once

#include <memory>

#include "base/cpu.h"
#include "base/executor.h"
#include "base/result.h"
#include "engine/cggi/fourier_tables.h"
#include "engine/cggi/kernels.h"
#include "engine/cggi/objects.h"
#include "engine/ring/row_pool.h"

namespace tacet::cggi {

/// An evaluation key ready for use: expanded, the rotation key in Fourier form, in huge pages where
/// the system has them. Immutable; any number of threads may use it.
class ServerKey {
 public:
  /// An error if the key does not fit its parameters, or they fail `check_parameters`. The work is
  /// divided among the executor's threads.
  static auto make(const EvaluationKey& key, Executor& executor, Isa isa) -> Result<ServerKey>;

  [[nodiscard]] auto parameters() const -> const Parameters& { return parameters_; }
  [[nodiscard]] auto id() const -> KeyId { return id_; }
  [[nodiscard]] auto kernels() const -> const Kernels& { return *kernels_; }
  [[nodiscard]] auto tables() const -> const FourierTables& { return *tables_; }
  [[nodiscard]] auto rotation_shape() const -> const RotationShape& { return rotation_shape_; }
  [[nodiscard]] auto switch_shape() const -> const KeySwitchShape& { return switch_shape_; }

  /// The rotation key, and how many doubles are between its elements.
  [[nodiscard]] auto rotation_key() const -> const double*;
  [[nodiscard]] auto rotation_stride() const -> size_t;
  [[nodiscard]] auto switch_key() const -> const uint32_t*;

  /// Bytes in memory.
  [[nodiscard]] auto size() const -> size_t;

 private:
  ServerKey(const EvaluationKey& key, Isa isa);

  Parameters parameters_;
  KeyId id_;
  const Kernels* kernels_;
  std::unique_ptr<FourierTables> tables_;
  RotationShape rotation_shape_;
  KeySwitchShape switch_shape_;
  ring::Rows rotation_rows_;  ///< doubles, a row for each element
  ring::Rows switch_rows_;    ///< one row of 32-bit words
};

}  // namespace tacet::cggi
