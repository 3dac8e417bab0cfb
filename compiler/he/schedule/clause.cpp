#include "compiler/he/schedule/clause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/core/syntax/views.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/text.h"
#include "compiler/he/schedule/write_program.h"

namespace tacet::schedule {

namespace {

using syntax::Node;
using syntax::NodeKind;

/// An entry of a clause and the site that it is for.
struct Entry {
  Node node;
  size_t statement = 0;
  bool reads_result = false;
};

/// The k-th entry of a name is for the k-th site of that array.
auto entries_of(const array::Program& program, Node clause) -> std::vector<Entry> {
  std::map<std::string_view, std::vector<Node>> nodes;
  for (Node node : clause.children()) {
    if (node.is(NodeKind::ScheduleEntry)) {
      nodes[syntax::views::ScheduleEntry{node}.site().text()].push_back(node);
    }
  }
  std::map<std::string_view, size_t> n_used;
  std::vector<Entry> entries;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    for (const array::Expr& expr : program.statements[i].exprs.values()) {
      const auto* site = std::get_if<array::Site>(&expr.node);
      if (site == nullptr) {
        continue;
      }
      const array::Array& array = program.arrays[site->array];
      const auto& of_name = nodes[array.name];
      const size_t k = n_used[array.name]++;
      if (k < of_name.size()) {
        entries.push_back({of_name[k], i, array.owner == array::Owner::Computed});
      }
    }
  }
  return entries;
}

/// Where an entry mentions a dimension, or null.
auto tile_of(Node entry, array::DimId dim) -> Node {
  const syntax::views::Layout layout{syntax::views::ScheduleEntry{entry}.layout()};
  for (Node list : {layout.exploded(), layout.vectorized()}) {
    for (Node tile : list ? list.children() : Node().children()) {
      if (tile.child(syntax::Field::Dimension).text() == std::to_string(dim.index)) {
        return tile;
      }
    }
  }
  return {};
}

auto place_of(const std::vector<Entry>& entries, Node clause, const Fault& fault) -> Node {
  Node place = clause;
  for (const Entry& entry : entries) {
    if (entry.statement != fault.statement) {
      continue;
    }
    if (Node tile = fault.dim ? tile_of(entry.node, *fault.dim) : Node()) {
      return tile;
    }
    place = place == clause ? entry.node : place;
  }
  return place;
}

/// The first statement whose circuit cannot be made, with why, or nothing.
auto unreadable(const array::Program& program, const Schedule& schedule) -> std::optional<Fault> {
  if (write_program(program, schedule)) {
    return std::nullopt;
  }
  Schedule first{schedule.n_columns, {}};
  for (size_t i = 0; i < schedule.statements.size(); ++i) {
    first.statements.push_back(schedule.statements[i]);
    if (Result<WrittenProgram> written = write_program(program, first); !written) {
      return Fault{i, {}, written.error().message};
    }
  }
  return std::nullopt;
}

auto place_of_reader(const std::vector<Entry>& entries, Node clause, size_t statement) -> Node {
  const auto reader = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.statement == statement && entry.reads_result;
  });
  return reader == entries.end() ? place_of(entries, clause, {statement, {}, {}}) : reader->node;
}

/// The least number of columns of these rings that is at least `needed`, or nothing.
auto columns_for(std::span<const RingCost> rings, uint32_t needed) -> std::optional<uint32_t> {
  std::optional<uint32_t> columns;
  for (const RingCost& ring : rings) {
    if (ring.n_columns >= needed && (!columns || ring.n_columns < *columns)) {
      columns = ring.n_columns;
    }
  }
  return columns;
}

/// The statement that needs the most columns.
auto widest(const Schedule& schedule) -> size_t {
  const auto columns = [](const StatementSchedule& statement) {
    double product = 1;
    for (const Axis& axis : statement.axes) {
      product *= axis.is_row ? 1 : static_cast<double>(axis.extent);
    }
    return product;
  };
  const auto& statements = schedule.statements;
  return static_cast<size_t>(
      std::max_element(statements.begin(), statements.end(),
                       [&](const auto& a, const auto& b) { return columns(a) < columns(b); }) -
      statements.begin());
}

}  // namespace

auto read_clause(const array::Program& program, Node clause, std::span<const RingCost> rings)
    -> ReadClause {
  Node at;
  Result<Schedule> read = read_schedule(program, clause, 0, &at);
  if (!read) {
    return {{}, ClauseFault{at, read.error().message, {}}};
  }
  const std::vector<Entry> entries = entries_of(program, clause);
  const auto fails = [](Node place, const Fault& fault) {
    return ReadClause{{}, ClauseFault{place, fault.reason, fault.statement}};
  };
  // Wrong tiles are reported as such, not as too many columns.
  if (const auto fault = find_fault(program, *read)) {
    return fails(place_of(entries, clause, *fault), *fault);
  }
  const std::optional<uint32_t> columns = columns_for(rings, read->n_columns);
  if (!columns) {
    const size_t statement = widest(*read);
    const uint32_t most =
        std::max_element(rings.begin(), rings.end(), [](const auto& a, const auto& b) {
          return a.n_columns < b.n_columns;
        })->n_columns;
    return fails(place_of(entries, clause, {statement, {}, {}}),
                 {statement,
                  {},
                  fmt::format("its axes need {} columns, but the largest ring has {}",
                              read->n_columns, most)});
  }
  read->n_columns = *columns;
  if (const auto fault = unreadable(program, *read)) {
    return fails(place_of_reader(entries, clause, fault->statement), *fault);
  }
  return {std::move(*read), {}};
}

}  // namespace tacet::schedule
