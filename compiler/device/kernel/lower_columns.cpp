#include <algorithm>

#include "compiler/core/syntax/concatenation.h"
#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"

// Tuples and records: an expression or a variable for each column.

namespace tacet::kernel {

using types::ColumnRange;

auto is_of_columns(const FunctionLowering& lowering, Node node) -> bool {
  return types::has_columns(types(lowering), type_id(lowering, syntax::bare(node)));
}

auto column_variable_names(const FunctionLowering& lowering, TypeId type, std::string_view whole)
    -> std::vector<std::string> {
  std::vector<std::string> names =
      types::column_names(types(lowering), lowering.snapshot.interner(), type, std::string(whole));
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '.', '_');
  }
  return names;
}

auto converted(FunctionLowering& lowering, Node node, const Exprs& given, TypeId from, TypeId to)
    -> Exprs {
  const std::vector<TypeId> wanted = types::column_types(types(lowering), to);
  const auto matching = types::matching_columns(types(lowering), from, to);
  Exprs result;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t from_column = matching ? (*matching)[i] : i;
    const Type type = type_at(lowering, node, wanted[i]);
    if (from_column >= given.size()) {
      problem(lowering, node, "this conversion");
      result.push_back(lowering.build.zero(type));
      continue;
    }
    result.push_back(lowering.build.cast(given[from_column], type.element));
  }
  return result;
}

static auto part_of(const Exprs& all, ColumnRange range) -> Exprs {
  const size_t begin = std::min(range.begin, all.size());
  const size_t end = std::min(range.begin + range.size, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// The type of the records that a value is or is made of.
static auto innermost(const FunctionLowering& lowering, TypeId type) -> TypeId {
  const types::Type& data = types(lowering)[type];
  return data.kind == types::TypeKind::Array ? data.element : type;
}

auto range_of_field(const FunctionLowering& lowering, Node field) -> ColumnRange {
  const Node record = syntax::bare(field.child(Field::Record));
  const Name name = lowering.snapshot.interner().find(field.child(Field::Field).text());
  return types::columns_of_field(types(lowering), innermost(lowering, type_id(lowering, record)),
                                 name)
      .value_or(ColumnRange{});
}

auto some_columns(FunctionLowering& lowering, Node node, ColumnRange range) -> Exprs {
  node = syntax::bare(node);
  lowering.build.set_place(place_of(lowering, node));
  if (node.is(NodeKind::FieldExpression)) {
    const ColumnRange field = range_of_field(lowering, node);
    if (range.begin + range.size > field.size) {
      problem(lowering, node, "a record");
      return {nothing(lowering, node)};
    }
    return some_columns(lowering, node.child(Field::Record),
                        {field.begin + range.begin, range.size});
  }
  if (node.is(NodeKind::IndexExpression)) {
    return index(lowering, node, range);
  }
  return part_of(values(lowering, node), range);
}

auto column_values(FunctionLowering& lowering, Node node) -> Exprs {
  const TypeId type = type_id(lowering, node);
  const ColumnRange all{0, types::n_columns(types(lowering), type)};
  if (node.is(NodeKind::FieldExpression) || node.is(NodeKind::IndexExpression)) {
    return some_columns(lowering, node, all);
  }
  if (node.is(NodeKind::SliceExpression)) {
    return slice(lowering, node);
  }
  if (syntax::is_concatenation(node)) {
    return concatenation(lowering, node, syntax::concatenated(node));
  }
  if (node.is(NodeKind::ForExpression)) {
    return for_value(lowering, node);
  }
  return node.is(NodeKind::ArrayExpression) ? array_of_columns(lowering, node)
                                            : named_columns(lowering, node);
}

auto array_of_columns(FunctionLowering& lowering, Node node) -> Exprs {
  const TypeId type = type_id(lowering, node);
  const types::Type& data = types(lowering)[type];
  std::vector<Exprs> columns(types::n_columns(types(lowering), type));
  Operands operands(lowering);
  size_t n = 0;
  for (const Node element : node.children(Field::Element)) {
    const Node bare = syntax::bare(element);
    operands.add_all([&] {
      return columns.size() == types::n_columns(types(lowering), type_id(lowering, bare))
                 ? values_as(
                       lowering, element,
                       data.kind == types::TypeKind::Array && !is_array_of_columns(lowering, bare)
                           ? data.element
                           : type_id(lowering, bare))
                 : values(lowering, element);
    });
    ++n;
  }
  const Exprs all = operands.take();
  if (n == 0 || all.size() != n * columns.size()) {
    problem(lowering, node, "this array");
    return {nothing(lowering, node)};
  }
  for (size_t i = 0; i < all.size(); ++i) {
    columns[i % columns.size()].push_back(all[i]);
  }
  Exprs result;
  lowering.build.set_place(place_of(lowering, node));
  for (Exprs& column : columns) {
    result.push_back(lowering.build.array(std::move(column)));
  }
  return result;
}

auto is_array_of_columns(const FunctionLowering& lowering, Node node) -> bool {
  return types(lowering)[type_id(lowering, node)].kind == types::TypeKind::Array;
}

auto named_columns(FunctionLowering& lowering, Node node) -> Exprs {
  const names::Resolution meaning = frame(lowering).body->names.of(node.index());
  Exprs result;
  if (meaning.is(names::Meaning::Local)) {
    for (const HeldColumn& held : frame(lowering).locals[meaning.index()]) {
      const auto* variable = std::get_if<VariableId>(&held);
      result.push_back(variable != nullptr ? lowering.build.read(*variable)
                                           : std::get<ExprId>(held));
    }
  }
  if (result.empty()) {
    problem(lowering, node, "a record");
    result.push_back(nothing(lowering, node));
  }
  return result;
}

auto declare_columns(FunctionLowering& lowering, Node name, TypeId type, bool is_mutable)
    -> std::vector<VariableId> {
  lowering.build.set_place(place_of(lowering, name));
  const std::vector<std::string> names = column_variable_names(lowering, type, name.text());
  const std::vector<std::string> paths = types::column_names(
      types(lowering), lowering.snapshot.interner(), type, std::string(name.text()));
  const std::vector<TypeId> columns = types::column_types(types(lowering), type);
  std::vector<VariableId> made;
  Held held;
  for (size_t i = 0; i < columns.size(); ++i) {
    made.push_back(lowering.build.variable(names[i], type_at(lowering, name, columns[i])));
    Variable& data = lowering.kernel.variables[made.back()];
    data.is_mutable = is_mutable;
    data.visibility = types(lowering).visibility(columns[i]);
    data.path = paths[i] == name.text() ? "" : paths[i];
    held.emplace_back(made.back());
  }
  const names::Resolution meaning = frame(lowering).body->names.of(name.index());
  if (meaning.is(names::Meaning::Local)) {
    frame(lowering).locals[meaning.index()] = std::move(held);
  }
  return made;
}

Target::Target(const FunctionLowering& lowering, Node node) {
  for (root = syntax::bare(node); !root.is(NodeKind::Identifier);) {
    if (root.is(NodeKind::IndexExpression)) {
      indices.push_back(root.child(Field::Index));
      root = syntax::bare(root.child(Field::Array));
    } else if (root.is(NodeKind::FieldExpression)) {
      const ColumnRange field = range_of_field(lowering, root);
      columns = columns.size == 0 ? field : ColumnRange{field.begin + columns.begin, columns.size};
      root = syntax::bare(root.child(Field::Record));
    } else {
      root = Node();
      return;
    }
  }
  std::reverse(indices.begin(), indices.end());
  if (columns.size == 0) {
    columns.size = types::n_columns(types(lowering), type_id(lowering, root));
  }
}

/// Whether evaluating one of `exprs` would notice that `written` were assigned to before.
static auto reads_any(const Kernel& kernel, const Exprs& exprs,
                      const std::vector<VariableId>& written) -> bool {
  return std::any_of(exprs.begin(), exprs.end(), [&](ExprId expr) {
    const std::set<VariableId> read = variables_read(kernel, expr);
    return std::any_of(written.begin(), written.end(),
                       [&](VariableId variable) { return read.count(variable) != 0; });
  });
}

void keep_if_written(FunctionLowering& lowering, Exprs& exprs,
                     const std::vector<VariableId>& written) {
  if (written.size() < 2 || !reads_any(lowering.kernel, exprs, written)) {
    return;
  }
  for (ExprId& expr : exprs) {
    if (!std::holds_alternative<Literal>(lowering.kernel.exprs[expr].node)) {
      const VariableId kept = lowering.build.variable("t", lowering.build.type(expr));
      emit(lowering, Assign{kept, expr});
      expr = lowering.build.read(kept);
    }
  }
}

}  // namespace tacet::kernel
