#include <algorithm>

#include "base/check.h"
#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/movement_costs.h"
#include "engine/mpc_model/programs/dispatch_costs.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_model {

void Dispatch::sorted(uint64_t n_values, uint64_t n_kept) {
  const uint64_t n = size_of(type(0));
  const bool has_range = instruction_.op != MpcOpcode::TopK && !instruction_.numbers.empty();
  const unsigned width = is_bool(type(0)) ? 1
                         : has_range      ? static_cast<unsigned>(instruction_.numbers[1])
                                          : width_of(type(0).element);
  const unsigned ring = ring_bits_of(type(0).element);
  path({"sort", width <= 8 ? "move_to" : "less_of_bits"});
  result_.is_average = width > 8 && n > 2;
  const Cost all = sort(protocol_, width, n, ring, n_values);
  // A part of the order asks less; how much less is not known.
  result_.is_greatest = n_kept < n;
  then_rest(all);
}

/// Column by column.
void Dispatch::by_secret_places(uint64_t n_rows, uint64_t n_columns) {
  const unsigned ring = ring_bits_of(type(0).element);
  const uint64_t n_indices = size_of(type(1));
  const unsigned width = width_of(type(1).element);
  const bool is_scatter = instruction_.op == MpcOpcode::ScatterSecret;
  path({name_});
  if (is_scatter && is_bool(type(2))) {
    then_rest(protocol_.bits_to_arithmetic(1, size_of(type(2)), ring));
  }
  const auto of_column = is_scatter ? scatter_secret : gather_secret;
  Cost columns;
  for (uint64_t c = 0; c < n_columns; ++c) {
    columns = beside(columns, of_column(protocol_, width, n_rows, n_indices, ring));
  }
  then_rest(columns);
}

void Dispatch::move_secretly() {
  const MpcOpcode op = instruction_.op;
  const MpcType& table = type(0);
  const uint64_t n_rows = op == MpcOpcode::TopK || op == MpcOpcode::Sort || op == MpcOpcode::SortBy
                              ? size_of(table)
                              : static_cast<uint64_t>(table.extents[0]);
  const uint64_t n_columns = size_of(table) / std::max<uint64_t>(n_rows, 1);
  const unsigned ring = ring_bits_of(table.element);
  if (is_bool(table)) {
    then_rest(protocol_.bits_to_arithmetic(1, size_of(table), ring));
  }
  switch (engine::secret_movement_kind_of(op)) {
    case engine::MpcSecretMovementKind::Shuffle:
      path({"shuffle", "permute"});
      then_rest(shuffle(protocol_, n_rows, ring, n_columns));
      break;
    case engine::MpcSecretMovementKind::Sort:
      sorted(0, n_rows);
      break;
    case engine::MpcSecretMovementKind::TopK:
      sorted(0, static_cast<uint64_t>(instruction_.numbers[0]));
      break;
    case engine::MpcSecretMovementKind::SortBy:
      if (is_bool(type(1))) {
        then_rest(protocol_.bits_to_arithmetic(1, size_of(type(1)), 64));
      }
      sorted(size_of(type(1)) / std::max<uint64_t>(n_rows, 1), n_rows);
      break;
    case engine::MpcSecretMovementKind::Permute:
      path({"move_from", "shuffle"});
      then_rest(move_from(protocol_, n_rows, ring, n_columns));
      break;
    case engine::MpcSecretMovementKind::Gather:
    case engine::MpcSecretMovementKind::Scatter:
      by_secret_places(n_rows, n_columns);
      break;
    case engine::MpcSecretMovementKind::None:
      TACET_CHECK(false, "not an instruction of secret movement");
  }
  if (is_bool(type_)) {
    then_rest(to_bits(protocol_, 1, n_));
  }
}

}  // namespace tacet::mpc_model
