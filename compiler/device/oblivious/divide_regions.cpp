#include "compiler/device/oblivious/divide_regions.h"

#include <algorithm>

#include "compiler/device/oblivious/regions.h"

namespace tacet::oblivious {

using namespace kernel;
using Port = SecretRegion::Port;

namespace {

/// Dissolves the regions of a block and closes other groups of the same statements.
class Regroup {
 public:
  explicit Regroup(Kernel& kernel) : kernel_(kernel), writer_(kernel) {}

  auto writer() -> Writer& { return writer_; }

  /// The region's statements in variables that the outside has too.
  auto opened(StatementId region) -> Block {
    writer_.set_place(kernel_.statements[region].place);
    return inlined(writer_, SecretRegion(std::get<SecretRegion>(kernel_.statements[region].node)));
  }

  /// Puts each group, which is in the kernel already, into a region of its own.
  void close(const std::vector<Block>& groups, Kernel& kernel) {
    const OccurrenceCounts total = count_all(kernel);
    for (const Block& group : groups) {
      writer_.set_place(kernel.statements[group.front()].place);
      const StatementId region = capture(writer_, group, total);
      replace(kernel.body, group, region);
    }
  }

 private:
  void replace(Block& block, const Block& group, StatementId region) {
    const auto first = std::find(block.begin(), block.end(), group.front());
    if (first != block.end()) {
      const auto at = block.erase(first, first + static_cast<std::ptrdiff_t>(group.size()));
      block.insert(at, region);
      return;
    }
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](Block inner) {
        replace(inner, group, region);
        return inner;
      });
    }
  }

  Kernel& kernel_;
  Writer writer_;
};

auto is_region(const Kernel& kernel, StatementId id) -> bool {
  return std::holds_alternative<SecretRegion>(kernel.statements[id].node);
}

auto is_separator(const Kernel& kernel, StatementId id) -> bool {
  return std::holds_alternative<Separator>(kernel.statements[id].node);
}

auto share(const VariableSet& a, const VariableSet& b) -> bool {
  return std::any_of(a.begin(), a.end(), [&](VariableId id) { return b.contains(id); });
}

/// May the assignment `id` move in front of the region `region`?
auto may_pass(const Kernel& kernel, StatementId id, StatementId region) -> bool {
  if (!std::holds_alternative<Assign>(kernel.statements[id].node)) {
    return false;
  }
  const VariableSet read = variables_read(kernel, Block{id});
  const VariableSet written = variables_written(kernel, Block{id});
  const VariableSet region_read = variables_read(kernel, Block{region});
  const VariableSet region_written = variables_written(kernel, Block{region});
  return !share(read, region_written) && !share(written, region_read) &&
         !share(written, region_written);
}

auto ends_with_separator(const Kernel& kernel, StatementId region) -> bool {
  const Block& body = std::get<SecretRegion>(kernel.statements[region].node).body;
  return !body.empty() && is_separator(kernel, body.back());
}

auto begins_with_separator(const Kernel& kernel, StatementId region) -> bool {
  const Block& body = std::get<SecretRegion>(kernel.statements[region].node).body;
  return !body.empty() && is_separator(kernel, body.front());
}

/// Merges the first two regions of `block` that can be; true if there were such.
auto merge_two(Kernel& kernel, Regroup& regroup, Block& block, std::vector<Block>& groups) -> bool {
  for (size_t i = 0; i < block.size(); ++i) {
    if (!is_region(kernel, block[i]) || ends_with_separator(kernel, block[i])) {
      continue;
    }
    Block passing;
    size_t next = i + 1;
    while (next < block.size() && may_pass(kernel, block[next], block[i])) {
      passing.push_back(block[next++]);
    }
    if (next == block.size() || !is_region(kernel, block[next]) ||
        begins_with_separator(kernel, block[next])) {
      continue;
    }
    Block both = regroup.opened(block[i]);
    const Block second = regroup.opened(block[next]);
    both.insert(both.end(), second.begin(), second.end());
    const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(i),
                                block.begin() + static_cast<std::ptrdiff_t>(next) + 1);
    passing.insert(passing.end(), both.begin(), both.end());
    block.insert(at, passing.begin(), passing.end());
    groups.push_back(both);
    return true;
  }
  for (StatementId id : block) {
    bool is_changed = false;
    replace_blocks(kernel, id, [&](Block inner) {
      is_changed = is_changed || merge_two(kernel, regroup, inner, groups);
      return inner;
    });
    if (is_changed) {
      return true;
    }
  }
  return false;
}

/// One operation a statement.
class CutExpressions {
 public:
  explicit CutExpressions(Writer& writer) : kernel_(writer.kernel()), writer_(writer) {}

  auto block(const Block& block) -> Block {
    Block out;
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return this->block(inner); });
      Statement copy = kernel_.statements[id];
      writer_.set_place(copy.place);
      if (auto* assign = std::get_if<Assign>(&copy.node)) {
        assign->value = operation(assign->value, out);
      } else if (auto* store = std::get_if<StoreElement>(&copy.node)) {
        store->value = operand(store->value, out);
      }
      kernel_.statements[id] = std::move(copy);
      out.push_back(id);
    }
    return out;
  }

 private:
  auto is_atom(ExprId expr) const -> bool {
    const auto& node = kernel_.exprs[expr].node;
    return std::holds_alternative<Read>(node) || std::holds_alternative<Literal>(node);
  }

  /// `expr` with atoms as operands. What binds an index stays whole, and so do indices of elements
  /// and what may fail where it is not always evaluated.
  auto operation(ExprId expr, Block& out) -> ExprId {
    const auto& node = kernel_.exprs[expr].node;
    if (std::holds_alternative<Tabulate>(node) || std::holds_alternative<Reduce>(node) ||
        std::holds_alternative<Element>(node) || is_atom(expr)) {
      return expr;
    }
    const ExprId decides = deciding_operand(expr);
    return with_operands(kernel_, expr, [&](ExprId id) {
      const bool is_optional = decides.has_value() && id != decides;
      return is_optional && can_fault(kernel_, id) ? id : operand(id, out);
    });
  }

  /// The operand that says whether the others are evaluated, if one does.
  auto deciding_operand(ExprId expr) const -> ExprId {
    const auto& node = kernel_.exprs[expr].node;
    if (const auto* select = std::get_if<Select>(&node); select && !select->is_oblivious) {
      return select->condition;
    }
    const auto* binary = std::get_if<Binary>(&node);
    return binary && is_logical(binary->op) && !binary->is_oblivious ? binary->left : ExprId();
  }

  auto operand(ExprId expr, Block& out) -> ExprId {
    if (is_atom(expr)) {
      return expr;
    }
    const ExprId value = operation(expr, out);
    const VariableId part = writer_.variable("part", writer_.type(value));
    out.push_back(writer_.assign(part, value));
    return writer_.read(part);
  }

  Kernel& kernel_;
  Writer& writer_;
};

/// By single statements, through loops.
void group(const Kernel& kernel, const Block& block, const Distribution& how,
           std::vector<Block>& groups) {
  for (StatementId id : block) {
    const auto* loop = std::get_if<For>(&kernel.statements[id].node);
    if (loop != nullptr && how.enters_loops) {
      group(kernel, loop->body, how, groups);
    } else {
      groups.push_back({id});
    }
  }
}

}  // namespace

void merge_regions(Kernel& kernel) {
  Regroup regroup(kernel);
  std::vector<Block> groups;
  while (merge_two(kernel, regroup, kernel.body, groups)) {
    regroup.close(groups, kernel);
    groups.clear();
  }
}

void split_at_separators(Kernel& kernel) {
  Regroup regroup(kernel);
  std::vector<Block> groups;
  for_each_region(kernel, kernel.body, [&](Block& block, size_t position) {
    const Block& body = std::get<SecretRegion>(kernel.statements[block[position]].node).body;
    if (std::none_of(body.begin(), body.end(),
                     [&](StatementId id) { return is_separator(kernel, id); })) {
      return;
    }
    Block opened = regroup.opened(block[position]);
    Block statements;
    Block current;
    for (StatementId id : opened) {
      if (!is_separator(kernel, id)) {
        current.push_back(id);
        statements.push_back(id);
      } else if (!current.empty()) {
        groups.push_back(std::move(current));
        current.clear();
      }
    }
    if (!current.empty()) {
      groups.push_back(std::move(current));
    }
    const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(position));
    block.insert(at, statements.begin(), statements.end());
  });
  regroup.close(groups, kernel);
}

void distribute_regions(Kernel& kernel, const Distribution& how) {
  split_at_separators(kernel);
  Regroup regroup(kernel);
  std::vector<Block> groups;
  for_each_region(kernel, kernel.body, [&](Block& block, size_t position) {
    Block opened = regroup.opened(block[position]);
    if (how.cuts_expressions) {
      opened = CutExpressions(regroup.writer()).block(opened);
    }
    group(kernel, opened, how, groups);
    const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(position));
    block.insert(at, opened.begin(), opened.end());
  });
  regroup.close(groups, kernel);
}

}  // namespace tacet::oblivious
