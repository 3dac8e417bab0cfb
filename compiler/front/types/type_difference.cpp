#include "compiler/front/types/type_difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/reasons.h"
#include "compiler/front/types/inference.h"

namespace tacet::types {

namespace {

/// A part of two types that differs, and its own parts that do.
struct Difference {
  std::string part;  ///< `.x` of records, `[_]` of arrays, …; empty for the whole
  std::string text;  ///< what is different, unless parts say it
  std::vector<Difference> parts{};
};

class Comparison {
 public:
  Comparison(const TypeStore& types, const Interner& names) : types_(types), names_(names) {}

  auto of(std::string part, TypeId found, TypeId expected) const -> Difference {
    Difference difference{std::move(part), {}, {}};
    const Type& a = types_[found];
    const Type& b = types_[expected];
    if (a.kind == b.kind) {
      compare_parts(a, b, difference.parts);
    }
    if (difference.parts.empty()) {
      difference.text = fmt::format("is `{}`, expected `{}`", type_text(types_, names_, found),
                                    type_text(types_, names_, expected));
    }
    return difference;
  }

 private:
  [[nodiscard]] auto differ(TypeId a, TypeId b) const -> bool {
    if (a == b || a == TypeStore::kError || b == TypeStore::kError) {
      return false;
    }
    const Type& one = types_[a];
    const Type& other = types_[b];
    if (one.kind != other.kind) {
      return true;
    }
    std::vector<Difference> parts;
    compare_parts(one, other, parts);
    return !parts.empty() || one.dtype != other.dtype || one.fraction_bits != other.fraction_bits ||
           !shapes_match(types_, one.shape, other.shape);
  }

  void compare(std::string part, TypeId a, TypeId b, std::vector<Difference>& parts) const {
    if (differ(a, b)) {
      parts.push_back(of(std::move(part), a, b));
    }
  }

  void compare_parts(const Type& a, const Type& b, std::vector<Difference>& parts) const {
    switch (a.kind) {
      case TypeKind::Record:
        compare_fields(types_.fields(a.fields), types_.fields(b.fields), parts);
        return;
      case TypeKind::Tuple:
        compare_members(types_.members(a.members), types_.members(b.members), parts);
        return;
      case TypeKind::Reference:
        compare("*", a.element, b.element, parts);
        return;
      case TypeKind::Encoder:
      case TypeKind::Future:
        compare("", a.element, b.element, parts);
        return;
      case TypeKind::Slice:
        compare("[_]", a.element, b.element, parts);
        return;
      case TypeKind::Array:
        compare_extents(a, b, parts);
        compare("[_]", a.element, b.element, parts);
        return;
      case TypeKind::Value:
        if (a.dtype == b.dtype && a.fraction_bits == b.fraction_bits) {
          compare_extents(a, b, parts);
        }
        return;
      case TypeKind::Error:
      case TypeKind::Event:
      case TypeKind::BufferSpace:
      case TypeKind::RngState:
        return;
    }
  }

  void compare_fields(const std::vector<RecordField>& a, const std::vector<RecordField>& b,
                      std::vector<Difference>& parts) const {
    const auto find = [](const std::vector<RecordField>& in, Name name) {
      return std::find_if(in.begin(), in.end(),
                          [&](const RecordField& field) { return field.name == name; });
    };
    const auto part = [&](const RecordField& field) {
      return fmt::format(".{}", names_.text(field.name));
    };
    for (const RecordField& field : b) {
      const auto found = find(a, field.name);
      if (found != a.end()) {
        compare(part(field), found->type, field.type, parts);
      } else {
        parts.push_back({part(field), "is missing", {}});
      }
    }
    for (const RecordField& field : a) {
      if (find(b, field.name) == b.end()) {
        parts.push_back({part(field), "is not expected", {}});
      }
    }
  }

  void compare_members(const std::vector<TypeId>& a, const std::vector<TypeId>& b,
                       std::vector<Difference>& parts) const {
    if (a.size() != b.size()) {
      return;  // the numbers of values are in the message
    }
    for (size_t i = 0; i < a.size(); ++i) {
      compare(fmt::format(".{}", i), a[i], b[i], parts);
    }
  }

  void compare_extents(const Type& a, const Type& b, std::vector<Difference>& parts) const {
    const std::vector<int64_t>& found = types_.extents(a.shape);
    const std::vector<int64_t>& expected = types_.extents(b.shape);
    if (found.size() != expected.size() || found.size() < 2) {
      return;
    }
    for (size_t i = 0; i < found.size(); ++i) {
      const std::string one = extent_text(types_, names_, found[i]);
      const std::string other = extent_text(types_, names_, expected[i]);
      if (one != other && one != "_" && other != "_") {
        parts.push_back({fmt::format(" dimension {}", i + 1),
                         fmt::format("is {}, expected {}", one, other),
                         {}});
      }
    }
  }

  const TypeStore& types_;
  const Interner& names_;
};

/// `field `pair.weights``, `dimension 2`.
auto name_of(std::string_view path) -> std::string {
  const size_t space = path.rfind(" dimension ");
  const std::string_view place = path.substr(0, std::min(space, path.size()));
  const std::string_view dimension =
      space == std::string_view::npos ? std::string_view() : path.substr(space + 1);
  if (place.empty()) {
    return std::string(dimension.empty() ? "it" : dimension);
  }
  const std::string_view bare = place.starts_with('.') ? place.substr(1) : place;
  return dimension.empty() ? fmt::format("`{}`", bare) : fmt::format("{} of `{}`", dimension, bare);
}

void add(const Difference& difference, std::string path, uint32_t depth,
         std::vector<Reason>& reasons) {
  path += difference.part;
  if (difference.parts.size() == 1) {
    add(difference.parts.front(), std::move(path), depth, reasons);
    return;
  }
  const bool is_whole = path.empty();
  if (!is_whole) {
    reasons.push_back(
        {depth,
         difference.parts.empty()
             ? fmt::format("{} {}", name_of(path), difference.text)
             : fmt::format("{} differs in {} parts", name_of(path), difference.parts.size()),
         {}});
  }
  for (const Difference& part : difference.parts) {
    add(part, path, is_whole ? depth : depth + 1, reasons);
  }
}

}  // namespace

auto type_differences(const TypeStore& types, const Interner& names, TypeId found, TypeId expected)
    -> std::vector<Reason> {
  std::vector<Reason> reasons;
  add(Comparison(types, names).of("", found, expected), "", 0, reasons);
  limit_reasons(reasons);
  return reasons;
}

}  // namespace tacet::types
