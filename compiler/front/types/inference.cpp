#include "compiler/front/types/inference.h"

#include <algorithm>

namespace tacet::types {

auto Inference::resolve(Term term) -> Term {
  if (!term.is_variable() || variables_[term.index()].kind != Kind::Bound) {
    return term;
  }
  Term root = variables_[term.index()].term;
  while (root.is_variable() && variables_[root.index()].kind == Kind::Bound) {
    root = variables_[root.index()].term;
  }
  while (term != root) {
    const Term next = variables_[term.index()].term;
    variables_[term.index()].term = root;
    term = next;
  }
  return root;
}

auto Inference::reference(Term referent) -> Term {
  referent = resolve(referent);
  if (!referent.is_variable()) {
    return referent.is_error() ? referent : Term(types_.reference(referent.type()));
  }
  return add({.kind = Kind::Reference, .term = referent});
}

auto Inference::array(Term element, ShapeId shape) -> Term {
  element = resolve(element);
  if (shape == kScalar || element.is_error()) {
    return element;
  }
  if (!element.is_variable()) {
    const Type type = types_[element.type()];
    if (type.kind != TypeKind::Value) {
      return Term(types_.array(element.type(), types_.extents(shape)));
    }
    return Term(types_.value(Visibility::Public, type.dtype, shape, type.fraction_bits));
  }
  return add({.kind = Kind::Array, .term = element, .payload = shape.index});
}

auto Inference::tuple(std::vector<Term> members) -> Term {
  if (members.size() == 1) {
    return members[0];
  }
  const bool is_finished = std::all_of(members.begin(), members.end(), [&](Term& member) {
    member = resolve(member);
    return !member.is_variable();
  });
  if (is_finished) {
    std::vector<TypeId> types;
    types.reserve(members.size());
    for (Term member : members) {
      types.push_back(member.type());
    }
    return Term(types_.tuple(types));
  }
  tuples_.push_back(std::move(members));
  return add({.kind = Kind::Tuple, .payload = static_cast<uint32_t>(tuples_.size() - 1)});
}

// ---- unification ----

auto Inference::mentions(Term term, uint32_t variable) -> bool {
  term = resolve(term);
  if (!term.is_variable()) {
    return false;
  }
  if (term.index() == variable) {
    return true;
  }
  const Variable known = variables_[term.index()];
  switch (known.kind) {
    case Kind::Array:
    case Kind::Reference:
      return mentions(known.term, variable);
    case Kind::Tuple: {
      const std::vector<Term> members = tuples_[known.payload];
      return std::any_of(members.begin(), members.end(),
                         [&](Term member) { return mentions(member, variable); });
    }
    case Kind::Bound:
    case Kind::Open:
    case Kind::Number:
    case Kind::Integer:
    case Kind::Fraction:
    case Kind::Record:
    case Kind::Encoder:
    case Kind::Future:
      return false;
  }
  return false;
}

auto Inference::unify(Term a, Term b) -> bool {
  a = resolve(a);
  b = resolve(b);
  if (a == b) {
    return true;
  }
  if (!a.is_variable() && !b.is_variable()) {
    return unify_types(a.type(), b.type());
  }
  if (!a.is_variable()) {
    std::swap(a, b);
  }
  if (variables_[a.index()].kind == Kind::Open ||
      (b.is_variable() && variables_[b.index()].kind == Kind::Open)) {
    if (variables_[a.index()].kind != Kind::Open) {
      std::swap(a, b);
    }
    if (mentions(b, a.index())) {
      return false;
    }
    bind(a, b);
    return true;
  }
  return b.is_variable() ? unify_variables(a, b) : unify_with_type(a, b.type());
}

auto shapes_match(const TypeStore& types, ShapeId a, ShapeId b) -> bool {
  if (a == b) {
    return true;
  }
  const std::vector<int64_t>& x = types.extents(a);
  const std::vector<int64_t>& y = types.extents(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](int64_t m, int64_t n) {
    return m == n || m == kUnknownExtent || n == kUnknownExtent;
  });
}

auto without_visibility(TypeStore& types, TypeId type) -> TypeId {
  return types.visibility(type) == Visibility::Public
             ? type
             : types.with_visibility(type, Visibility::Public);
}

auto Inference::unify_types(TypeId a, TypeId b) -> bool {
  if (a == b || a == TypeStore::kError || b == TypeStore::kError) {
    return true;
  }
  const Type& x = types_[a];
  const Type& y = types_[b];
  if (x.kind != y.kind) {
    return false;
  }
  switch (x.kind) {
    case TypeKind::Value:
      return x.dtype == y.dtype && x.fraction_bits == y.fraction_bits &&
             shapes_match(types_, x.shape, y.shape);
    case TypeKind::Reference:
    case TypeKind::Slice:
      return unify_types(without_visibility(types_, x.element),
                         without_visibility(types_, y.element));
    case TypeKind::Array:
      return shapes_match(types_, x.shape, y.shape) && unify_types(x.element, y.element);
    case TypeKind::Tuple: {
      const std::vector<TypeId>& m = types_.members(x.members);
      const std::vector<TypeId>& n = types_.members(y.members);
      return std::equal(m.begin(), m.end(), n.begin(), n.end(), [&](TypeId p, TypeId q) {
        return unify_types(without_visibility(types_, p), without_visibility(types_, q));
      });
    }
    case TypeKind::Record:
      // Records subsume one another by width: only fields that both have must agree.
      for (const RecordField& field : types_.fields(x.fields)) {
        for (const RecordField& other : types_.fields(y.fields)) {
          if (field.name == other.name && !unify_types(without_visibility(types_, field.type),
                                                       without_visibility(types_, other.type))) {
            return false;
          }
        }
      }
      return true;
    case TypeKind::Encoder:
    case TypeKind::Future:
      return !x.element.has_value() || !y.element.has_value() || unify_types(x.element, y.element);
    case TypeKind::Error:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
      return true;
  }
  return false;
}

auto Inference::unify_with_type(Term variable, TypeId type) -> bool {
  const Variable known = variables_[variable.index()];
  if (type == TypeStore::kError) {
    return true;
  }
  const Type& other = types_[type];
  switch (known.kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::Fraction: {
      const bool may_be_integer = known.kind != Kind::Fraction && is_integer(other.dtype);
      // An integer is exact as a fixed-point number; it is never a floating-point one.
      const bool may_be_fraction = known.kind == Kind::Fraction ? is_fractional(other.dtype)
                                   : known.kind == Kind::Number ? other.dtype == DType::Fxp
                                                                : false;
      if (other.kind != TypeKind::Value || other.shape != kScalar ||
          (!may_be_integer && !may_be_fraction)) {
        return false;
      }
      bind(variable, Term(type));
      return true;
    }
    case Kind::Array:
      if (other.kind == TypeKind::Slice) {
        return unify(known.term, Term(other.element));
      }
      if (other.kind == TypeKind::Array) {
        return shapes_match(types_, ShapeId{known.payload}, other.shape) &&
               unify(known.term, term(other.element));
      }
      if (other.kind != TypeKind::Value ||
          !shapes_match(types_, ShapeId{known.payload}, other.shape)) {
        return false;
      }
      return unify(known.term, scalar(Term(type)));
    case Kind::Reference:
      return other.kind == TypeKind::Reference &&
             unify(known.term, Term(without_visibility(types_, other.element)));
    case Kind::Tuple: {
      if (other.kind != TypeKind::Tuple) {
        return false;
      }
      const std::vector<Term> mine = tuples_[known.payload];
      const std::vector<TypeId>& theirs = types_.members(other.members);
      return mine.size() == theirs.size() &&
             std::equal(mine.begin(), mine.end(), theirs.begin(),
                        [&](Term a, TypeId b) { return unify(a, term(b)); });
    }
    case Kind::Record:
      return other.kind == TypeKind::Record && unify_record_with(known.payload, type);
    case Kind::Encoder:
    case Kind::Future:
      if (other.kind != (known.kind == Kind::Encoder ? TypeKind::Encoder : TypeKind::Future)) {
        return false;
      }
      return !other.element.has_value() || unify_record_with(known.payload, other.element);
    case Kind::Bound:
    case Kind::Open:
      return false;
  }
  return false;
}

auto Inference::unify_variables(Term a, Term b) -> bool {
  const Variable x = variables_[a.index()];
  const Variable y = variables_[b.index()];
  if (x.kind != y.kind) {
    const auto is_scalar = [](Kind kind) {
      return kind == Kind::Integer || kind == Kind::Fraction;
    };
    const bool is_number = x.kind == Kind::Number && is_scalar(y.kind);
    if (!is_number && !(y.kind == Kind::Number && is_scalar(x.kind))) {
      return false;
    }
    is_number ? bind(a, b) : bind(b, a);
    return true;
  }
  switch (x.kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::Fraction:
      bind(a, b);
      return true;
    case Kind::Array:
      return shapes_match(types_, ShapeId{x.payload}, ShapeId{y.payload}) && unify(x.term, y.term);
    case Kind::Reference:
      return unify(x.term, y.term);
    case Kind::Tuple: {
      const std::vector<Term> mine = tuples_[x.payload];
      const std::vector<Term> theirs = tuples_[y.payload];
      return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                        [&](Term m, Term n) { return unify(m, n); });
    }
    case Kind::Record:
    case Kind::Encoder:
    case Kind::Future:
      return merge_records(x.payload, y.payload);
    case Kind::Bound:
    case Kind::Open:
      return false;
  }
  return false;
}

auto Inference::merge_records(uint32_t a, uint32_t b) -> bool {
  bool fits = true;
  for (const auto& [mine, theirs] : records_.merge(a, b)) {
    fits = unify(mine, theirs) && fits;
  }
  return fits;
}

auto Inference::unify_record_with(uint32_t record, TypeId type) -> bool {
  const Type& declared = types_[type];
  if (declared.kind != TypeKind::Record) {
    return declared.kind == TypeKind::Error;
  }
  bool fits = true;
  for (const RecordField& field : types_.fields(declared.fields)) {
    if (const OpenRecords::Field* mine = records_.field(record, field.name)) {
      fits = unify(mine->type, term(field.type)) && fits;
    }
  }
  return fits;
}

}  // namespace tacet::types
