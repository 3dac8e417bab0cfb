#include "compiler/device/oblivious/scan_writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

auto is_bool(const Type& type) -> bool {
  return type.element == engine::kBool;
}

}  // namespace

auto ScanWriter::extent(const Access& access, size_t dimension) const -> int64_t {
  return writer_.type(access.array).extents[dimension];
}

auto ScanWriter::is_at(VariableId counter, ExprId index) -> ExprId {
  return writer_.binary(Operator::Eq, writer_.read(counter), index);
}

/// `value` where `is_here`, else 0, for what is added up.
auto ScanWriter::term(ExprId is_here, ExprId value) -> ExprId {
  const Type type = writer_.type(value);
  if (!type.extents.empty()) {
    return writer_.binary(Operator::Mul, writer_.as_number(is_here, type.element), value);
  }
  return writer_.pick(is_here, value, writer_.zero(type));
}

auto ScanWriter::add_to(VariableId picked, ExprId is_here, ExprId value) -> StatementId {
  const ExprId before = writer_.read(picked);
  const Type type = writer_.type(value);
  if (!is_bool(type)) {
    return writer_.assign(picked, writer_.binary(Operator::Add, before, term(is_here, value)));
  }
  if (type.extents.empty()) {
    // The sum of truth values of which at most one is true.
    return writer_.assign(picked,
                          writer_.binary(Operator::Neq, before, writer_.both(is_here, value)));
  }
  return writer_.assign(picked, writer_.pick(is_here, value, before));
}

auto ScanWriter::move_to(VariableId counter, Access& access) -> ExprId {
  ExprId is_here;
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (access.is_secret[k]) {
      is_here = is_at(counter, access.indices[k]);
      access.indices[k] = writer_.read(counter);
    }
  }
  return is_here;
}

auto ScanWriter::part(const Access& access) -> ExprId {
  return writer_.element(access.array, access.indices);
}

auto ScanWriter::loop_over(const Access& access, size_t dimension, VariableId counter, Block body)
    -> StatementId {
  return writer_.loop(counter, writer_.integer(0), writer_.integer(extent(access, dimension)),
                      std::move(body));
}

auto ScanWriter::read_part(const Access& access, VariableId picked, VariableId counter)
    -> StatementId {
  Access here = access;
  const ExprId is_here = move_to(counter, here);
  return add_to(picked, is_here, part(here));
}

/// By index: whether an inner scanned dimension is met at the place of its counter, which `scan`
/// computes once in front of its loops: an array of truth values.
auto ScanWriter::hits(const Access& access, Scan& scan) -> std::vector<ExprId> {
  std::vector<ExprId> hits(access.indices.size());
  bool is_outermost = true;
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (!access.is_secret[k]) {
      continue;
    }
    if (!is_outermost) {
      const VariableId index = writer_.variable("j", {engine::kI64, {}}, VariableKind::Index);
      const ExprId all =
          writer_.tabulate(index, extent(access, k), is_at(index, access.indices[k]));
      const VariableId hit = writer_.variable("hit", writer_.type(all));
      scan.before.push_back(writer_.assign(hit, all));
      hits[k] = writer_.read(hit);
    }
    is_outermost = false;
  }
  return hits;
}

auto ScanWriter::read(const Access& access, VariableId picked) -> Scan {
  Scan scan;
  const std::vector<ExprId> hits = this->hits(access, scan);
  Access here = access;
  // From the inside out: what is picked of one row is what the dimension around picks from.
  std::vector<VariableId> counters(access.indices.size());
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (access.is_secret[k]) {
      counters[k] = writer_.counter("j", engine::kI64);
      here.indices[k] = writer_.read(counters[k]);
    }
  }
  const auto is_outermost = [&](size_t k) {
    for (size_t i = 0; i < k; ++i) {
      if (access.is_secret[i]) {
        return false;
      }
    }
    return true;
  };
  ExprId value = part(here);
  Block inner;
  for (size_t k = access.indices.size(); k-- > 0;) {
    if (!access.is_secret[k]) {
      continue;
    }
    const bool is_last = is_outermost(k);
    const ExprId is_here = is_last ? is_at(counters[k], access.indices[k])
                                   : writer_.element(hits[k], {writer_.read(counters[k])});
    const VariableId sum = is_last ? picked : writer_.mutable_variable("row", writer_.type(value));
    inner.push_back(add_to(sum, is_here, value));
    const StatementId loop = loop_over(access, k, counters[k], std::move(inner));
    if (is_last) {
      scan.loop = loop;
      scan.counter = counters[k];
      return scan;
    }
    inner = {writer_.assign(sum, writer_.zero(writer_.type(value))), loop};
    value = writer_.read(sum);
  }
  return scan;
}

auto ScanWriter::update(VariableId array, const Access& access, uint64_t lenient, ExprId is_here,
                        ExprId value, Update update) -> StatementId {
  const ExprId before = part(access);
  ExprId after;
  switch (update) {
    case Update::Replace:
      after = writer_.pick(is_here, value, before);
      break;
    case Update::Add:
      after = writer_.binary(Operator::Add, before, term(is_here, value));
      break;
    case Update::Subtract:
      after = writer_.binary(Operator::Sub, before, term(is_here, value));
      break;
  }
  return writer_.statement(StoreElement{array, access.indices, after, lenient});
}

auto ScanWriter::write_part(VariableId array, const Access& access, uint64_t lenient, ExprId value,
                            Update how, VariableId counter) -> StatementId {
  Access here = access;
  const ExprId is_here = move_to(counter, here);
  return update(array, here, lenient, is_here, value, how);
}

auto ScanWriter::write(VariableId array, const Access& access, uint64_t lenient, ExprId value,
                       Update how) -> Scan {
  Scan scan;
  const std::vector<ExprId> hits = this->hits(access, scan);
  Access here = access;
  std::vector<VariableId> counters(access.indices.size());
  // From the outside in: whether this row, and so on, is the one.
  struct Level {
    size_t dimension;
    VariableId is_row{};
    ExprId test{};
  };
  std::vector<Level> levels;
  ExprId is_here;
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (!access.is_secret[k]) {
      continue;
    }
    counters[k] = writer_.counter("j", engine::kI64);
    here.indices[k] = writer_.read(counters[k]);
    const ExprId at = levels.empty() ? is_at(counters[k], access.indices[k])
                                     : writer_.element(hits[k], {writer_.read(counters[k])});
    const ExprId test = levels.empty() ? at : writer_.both(is_here, at);
    const VariableId is_row = writer_.variable("here", {engine::kBool, {}});
    levels.push_back({k, is_row, test});
    is_here = writer_.read(is_row);
  }
  Block inner{update(array, here, lenient, levels.back().test, value, how)};
  for (size_t i = levels.size(); i-- > 0;) {
    if (i + 1 < levels.size()) {
      inner.insert(inner.begin(), writer_.assign(levels[i].is_row, levels[i].test));
    }
    scan.loop =
        loop_over(access, levels[i].dimension, counters[levels[i].dimension], std::move(inner));
    inner = {scan.loop};
  }
  scan.counter = counters[levels.front().dimension];
  return scan;
}

auto ScanWriter::expression(const Access& access) -> ExprId {
  Access here = access;
  std::vector<VariableId> indices(access.indices.size());
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (access.is_secret[k]) {
      indices[k] = writer_.variable("j", {engine::kI64, {}}, VariableKind::Index);
      here.indices[k] = writer_.read(indices[k]);
    }
  }
  ExprId value = part(here);
  const bool is_truth = is_bool(writer_.type(value));
  if (is_truth) {
    value = writer_.cast(value, engine::kI64);
  }
  for (size_t k = access.indices.size(); k-- > 0;) {
    if (access.is_secret[k]) {
      const ExprId is_here = is_at(indices[k], access.indices[k]);
      value = writer_.sum(writer_.tabulate(indices[k], extent(access, k), term(is_here, value)));
    }
  }
  return is_truth ? writer_.binary(Operator::Neq, value, writer_.integer(0)) : value;
}

auto ScanWriter::rotation(ExprId operand, ExprId by, VariableId picked) -> Scan {
  Scan scan;
  scan.counter = writer_.counter("j", engine::kI64);
  const ExprId rotated = writer_.rotate(operand, writer_.read(scan.counter));
  const int64_t n = writer_.type(operand).extents.front();
  scan.loop = writer_.loop(scan.counter, writer_.integer(0), writer_.integer(n),
                           {add_to(picked, is_at(scan.counter, by), rotated)});
  return scan;
}

auto ScanWriter::rotation(ExprId operand, ExprId by) -> ExprId {
  const VariableId index = writer_.variable("j", {engine::kI64, {}}, VariableKind::Index);
  ExprId rotated = writer_.rotate(operand, writer_.read(index));
  const bool is_truth = is_bool(writer_.type(rotated));
  if (is_truth) {
    rotated = writer_.cast(rotated, engine::kI64);
  }
  const int64_t n = writer_.type(operand).extents.front();
  const ExprId value = writer_.sum(writer_.tabulate(index, n, term(is_at(index, by), rotated)));
  return is_truth ? writer_.binary(Operator::Neq, value, writer_.integer(0)) : value;
}

auto ScanWriter::cost(const Access& access) const -> RewriteCost {
  RewriteCost cost;
  const Type whole = writer_.type(access.array);
  int64_t scanned = 1;
  for (size_t k = 0; k < access.indices.size(); ++k) {
    if (access.is_secret[k]) {
      cost.comparisons += whole.extents[k];
      scanned *= whole.extents[k];
    }
  }
  cost.selections = scanned * n_elements(part_of(whole, access.indices.size()));
  cost.iterations = scanned;
  return cost;
}

}  // namespace tacet::oblivious
