#include "compiler/front/types/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tacet::types {

auto has_columns(const TypeStore& types, TypeId type) -> bool {
  const Type& data = types[type];
  switch (data.kind) {
    case TypeKind::Record:
      return true;
    case TypeKind::Tuple:
      return type != TypeStore::kUnit;
    case TypeKind::Array:
      return has_columns(types, data.element);
    case TypeKind::Error:
    case TypeKind::Value:
    case TypeKind::Slice:
    case TypeKind::Reference:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
      return false;
  }
  return false;
}

/// The members or fields of a tuple or record, or of the elements of an array of them.
static auto parts_with_columns(const TypeStore& types, TypeId type) -> std::vector<TypeId> {
  const Type& data = types[type];
  if (!has_columns(types, type)) {
    return {type};
  }
  if (data.kind == TypeKind::Array) {
    return parts_with_columns(types, data.element);
  }
  if (data.kind == TypeKind::Tuple) {
    return types.members(data.members);
  }
  std::vector<TypeId> parts;
  for (const RecordField& field : types.fields(data.fields)) {
    parts.push_back(field.type);
  }
  return parts;
}

auto has_array_of_columns(const TypeStore& types, TypeId type) -> bool {
  if (!has_columns(types, type)) {
    return false;
  }
  const std::vector<TypeId> parts = parts_with_columns(types, type);
  return types[type].kind == TypeKind::Array ||
         std::any_of(parts.begin(), parts.end(),
                     [&](TypeId part) { return has_array_of_columns(types, part); });
}

auto n_columns(const TypeStore& types, TypeId type) -> size_t {
  if (!has_columns(types, type)) {
    return 1;
  }
  size_t n = 0;
  for (const TypeId part : parts_with_columns(types, type)) {
    n += n_columns(types, part);
  }
  return n;
}

auto column_types(TypeStore& types, TypeId type) -> std::vector<TypeId> {
  if (!has_columns(types, type)) {
    return {type};
  }
  std::vector<TypeId> result;
  for (const TypeId part : parts_with_columns(types, type)) {
    const std::vector<TypeId> columns = column_types(types, part);
    result.insert(result.end(), columns.begin(), columns.end());
  }
  if (types[type].kind == TypeKind::Array) {
    const std::vector<int64_t> extents = types.extents(types[type].shape);
    for (TypeId& column : result) {
      column = types.array(column, extents);
    }
  }
  return result;
}

auto column_names(const TypeStore& types, const Interner& names, TypeId type,
                  const std::string& whole) -> std::vector<std::string> {
  if (!has_columns(types, type)) {
    return {whole};
  }
  const Type& data = types[type];
  if (data.kind == TypeKind::Array) {
    return column_names(types, names, data.element, whole);
  }
  std::vector<std::string> result;
  const auto add = [&](const std::string& name, TypeId part) {
    const std::vector<std::string> inner = column_names(types, names, part, name);
    result.insert(result.end(), inner.begin(), inner.end());
  };
  if (data.kind == TypeKind::Tuple) {
    const std::vector<TypeId>& members = types.members(data.members);
    for (size_t i = 0; i < members.size(); ++i) {
      add(fmt::format("{}.{}", whole, i), members[i]);
    }
  } else {
    for (const RecordField& field : types.fields(data.fields)) {
      add(fmt::format("{}.{}", whole, names.text(field.name)), field.type);
    }
  }
  return result;
}

auto columns_of_field(const TypeStore& types, TypeId record, Name field)
    -> std::optional<ColumnRange> {
  if (types[record].kind != TypeKind::Record) {
    return std::nullopt;
  }
  size_t begin = 0;
  for (const RecordField& other : types.fields(types[record].fields)) {
    const size_t n = n_columns(types, other.type);
    if (other.name == field) {
      return ColumnRange{begin, n};
    }
    begin += n;
  }
  return std::nullopt;
}

/// Appends the way to each column, which begins with `before`.
static void add_steps(const TypeStore& types, const Interner& names, TypeId type,
                      std::vector<std::string> before,
                      std::vector<std::vector<std::string>>& found) {
  const Type& data = types[type];
  if (!has_columns(types, type)) {
    found.push_back(std::move(before));
    return;
  }
  if (data.kind == TypeKind::Array) {
    before.insert(before.end(), types.extents(data.shape).size(), "[]");
    add_steps(types, names, data.element, std::move(before), found);
    return;
  }
  const std::vector<TypeId> parts = parts_with_columns(types, type);
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::string> steps = before;
    steps.push_back(data.kind == TypeKind::Tuple
                        ? std::to_string(i)
                        : std::string(names.text(types.fields(data.fields)[i].name)));
    add_steps(types, names, parts[i], std::move(steps), found);
  }
}

auto parameter_columns(TypeStore& types, const Interner& names, const Signature& signature)
    -> std::vector<ParameterColumn> {
  std::set<std::string> taken;
  for (const SignatureParameter& parameter : signature.parameters) {
    if (parameter.name.has_value() && !has_columns(types, parameter.type)) {
      taken.emplace(names.text(parameter.name));
    }
  }
  std::vector<ParameterColumn> result;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const SignatureParameter& parameter = signature.parameters[i];
    const std::string whole = parameter.name.has_value() ? std::string(names.text(parameter.name))
                                                         : fmt::format("in{}", i);
    const std::vector<TypeId> columns = column_types(types, parameter.type);
    const std::vector<std::string> shown = column_names(types, names, parameter.type, whole);
    std::vector<std::vector<std::string>> steps;
    add_steps(types, names, parameter.type, {}, steps);
    for (size_t c = 0; c < columns.size(); ++c) {
      std::string word = shown[c];
      std::replace(word.begin(), word.end(), '.', '_');
      std::string name = word;
      const bool is_plain = !has_columns(types, parameter.type);
      for (int n = 2; !taken.insert(name).second && !is_plain; ++n) {
        name = fmt::format("{}_{}", word, n);
      }
      result.push_back({i, columns[c], std::move(name), shown[c], steps[c]});
    }
  }
  return result;
}

/// Appends the matching columns of `wanted`; those of `given` begin at `first`.
static auto match(const TypeStore& types, TypeId given, TypeId wanted, size_t first,
                  std::vector<size_t>& found) -> bool {
  const Type& from = types[given];
  const Type& to = types[wanted];
  if (!has_columns(types, given) || !has_columns(types, wanted)) {
    found.push_back(first);
    return has_columns(types, given) == has_columns(types, wanted);
  }
  if (from.kind != to.kind) {
    return false;
  }
  if (to.kind == TypeKind::Array) {
    return match(types, from.element, to.element, first, found);
  }
  if (to.kind == TypeKind::Record) {
    const std::vector<RecordField>& fields = types.fields(to.fields);
    return std::all_of(fields.begin(), fields.end(), [&](const RecordField& field) {
      const std::optional<ColumnRange> range = columns_of_field(types, given, field.name);
      const std::vector<RecordField>& others = types.fields(from.fields);
      const auto other = std::find_if(others.begin(), others.end(),
                                      [&](const auto& one) { return one.name == field.name; });
      return range && match(types, other->type, field.type, first + range->begin, found);
    });
  }
  const std::vector<TypeId>& members = types.members(from.members);
  const std::vector<TypeId>& others = types.members(to.members);
  bool fits = members.size() == others.size();
  for (size_t i = 0; fits && i < members.size(); ++i) {
    fits = match(types, members[i], others[i], first, found);
    first += n_columns(types, members[i]);
  }
  return fits;
}

auto matching_columns(const TypeStore& types, TypeId given, TypeId wanted)
    -> std::optional<std::vector<size_t>> {
  std::vector<size_t> found;
  return match(types, given, wanted, 0, found) ? std::optional(std::move(found)) : std::nullopt;
}

auto secret_columns(TypeStore& types, TypeId type) -> std::vector<bool> {
  std::vector<bool> secret;
  for (const TypeId column : column_types(types, type)) {
    secret.push_back(types.visibility(column) == Visibility::Secret);
  }
  return secret;
}

auto mentions_secret(TypeStore& types, TypeId type) -> bool {
  if (!has_columns(types, type)) {
    return types.visibility(type) == Visibility::Secret;
  }
  const std::vector<bool> secret = secret_columns(types, type);
  return std::find(secret.begin(), secret.end(), true) != secret.end();
}

/// Takes the visibilities of its columns from `next` on.
static auto with_next(TypeStore& types, TypeId type, std::vector<bool>::const_iterator& next)
    -> TypeId {
  if (!has_columns(types, type)) {
    const bool is_secret = *next++;
    return types.with_visibility(type, is_secret ? Visibility::Secret : Visibility::Public);
  }
  const Type data = types[type];
  if (data.kind == TypeKind::Array) {
    const std::vector<int64_t> extents = types.extents(data.shape);
    return types.array(with_next(types, data.element, next), extents);
  }
  if (data.kind == TypeKind::Tuple) {
    std::vector<TypeId> members = types.members(data.members);
    for (TypeId& member : members) {
      member = with_next(types, member, next);
    }
    return types.tuple(members);
  }
  std::vector<RecordField> fields = types.fields(data.fields);
  for (RecordField& field : fields) {
    field.type = with_next(types, field.type, next);
  }
  return types.record(fields);
}

auto with_secret_columns(TypeStore& types, TypeId type, const std::vector<bool>& secret) -> TypeId {
  TACET_CHECK(secret.size() == n_columns(types, type), "a visibility for each column");
  auto next = secret.begin();
  return with_next(types, type, next);
}

}  // namespace tacet::types
