#include "engine/cggi/bootstrap.h"

#include <fmt/format.h>

#include "engine/cggi/bootstrap_batch.h"

namespace tacet::cggi {
namespace {

auto check_table(const ServerKey& key, const Table& table) -> Status {
  if (table.polynomial.size() != key.parameters().polynomial_size || table.log2_tables > 8 ||
      (table.polynomial.size() >> table.log2_tables) < 2) {
    return Error{"the table was made for other parameters"};
  }
  return std::monostate{};
}

auto note_accesses(const BootstrapTask& task, std::span<const Table> tables, Accesses& accesses)
    -> Status {
  if (task.table >= tables.size()) {
    return Error{fmt::format("there is no table {}: there are {}", task.table, tables.size())};
  }
  for (const Term& term : task.terms) {
    if (Status status = accesses.read(term.index); !status) {
      return status;
    }
  }
  for (uint32_t s = 0; s < uint32_t{1} << tables[task.table].log2_tables; ++s) {
    if (Status status = accesses.write(task.first_output + s); !status) {
      return status;
    }
  }
  return std::monostate{};
}

}  // namespace

auto bootstrap(const ServerKey& key, std::span<const Table> tables,
               std::span<const BootstrapTask> tasks, Ciphertexts& values, const Batching& batching)
    -> Status {
  if (values.id() != key.id()) {
    return Error{"the ciphertexts belong to another key"};
  }
  for (const Table& table : tables) {
    if (Status status = check_table(key, table); !status) {
      return status;
    }
  }
  Accesses accesses(values.size());
  std::vector<BootstrapJob> jobs;
  jobs.reserve(tasks.size());
  for (const BootstrapTask& task : tasks) {
    if (Status status = note_accesses(task, tables, accesses); !status) {
      return status;
    }
    jobs.push_back({.terms = task.terms,
                    .offset = task.offset,
                    .table = &tables[task.table],
                    .first_output = values.at(task.first_output)});
  }
  run_jobs(key, jobs, values, batching);
  return std::monostate{};
}

}  // namespace tacet::cggi
