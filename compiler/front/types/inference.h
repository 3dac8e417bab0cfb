#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/front/types/open_records.h"
#include "compiler/front/types/term.h"
#include "compiler/front/types/type.h"

namespace tacet::types {

/// Shapes with unknown extents match everything.
auto shapes_match(const TypeStore& types, ShapeId a, ShapeId b) -> bool;

/// The type of the same values, public.
auto without_visibility(TypeStore& types, TypeId type) -> TypeId;

/// Unification within one body. All operations but `finish` of deep types take amortised constant
/// time; nothing here reports.
class Inference {
 public:
  /// `fraction` is what a literal such as `0.5` becomes when nothing says more.
  Inference(TypeStore& types, DType fraction) : types_(types), fraction_(fraction) {}

  /// A type nothing is known about.
  auto open() -> Term { return add({.kind = Kind::Open}); }
  /// The type of an integer literal: an integer type, or `fxp` where that is required. Beside a
  /// literal with a fraction it becomes what that becomes.
  auto number() -> Term { return add({.kind = Kind::Number}); }
  /// The type of a counter or a length: some integer type.
  auto integer() -> Term { return add({.kind = Kind::Integer}); }
  /// The type of a literal with a fraction: `fxp`, `f32` or `f64`.
  auto fraction() -> Term { return add({.kind = Kind::Fraction}); }
  /// `type` without visibility.
  auto term(TypeId type) -> Term { return Term(without_visibility(types_, type)); }
  auto reference(Term referent) -> Term;
  /// `element` with `shape` around it; `element` is a scalar.
  auto array(Term element, ShapeId shape) -> Term;
  /// A record that fields may be added to, and the encoder, future or record of it.
  auto new_record() -> uint32_t { return records_.add(); }
  auto record(uint32_t record) -> Term { return add({.kind = Kind::Record, .payload = record}); }
  auto encoder(uint32_t record) -> Term { return add({.kind = Kind::Encoder, .payload = record}); }
  auto future(uint32_t record) -> Term { return add({.kind = Kind::Future, .payload = record}); }
  auto tuple(std::vector<Term> members) -> Term;

  /// What a term stands for now: a type, or a variable that is not bound.
  auto resolve(Term term) -> Term;

  /// Makes two types one. False if they cannot be; then nothing useful has been learnt.
  auto unify(Term a, Term b) -> bool;

  // What is known of a term. All resolve it first.

  [[nodiscard]] auto is_open(Term term) -> bool { return is(term, Kind::Open); }
  [[nodiscard]] auto is_integer_literal(Term term) -> bool {
    return is(term, Kind::Integer) || is(term, Kind::Number);
  }
  /// May it still become a number with a fraction?
  [[nodiscard]] auto is_number_literal(Term term) -> bool { return is(term, Kind::Number); }
  [[nodiscard]] auto is_fraction_literal(Term term) -> bool { return is(term, Kind::Fraction); }
  /// The shape of a value; nothing if it is not a value or not known yet.
  auto shape(Term term) -> std::optional<ShapeId>;
  /// The same, also of arrays of records and tuples.
  auto outer_shape(Term term) -> std::optional<ShapeId>;
  /// What an array is made of, with all its dimensions removed.
  auto innermost(Term term) -> Term;
  /// The scalar in a value: itself, or the element of an array. Must be a value.
  auto scalar(Term term) -> Term;
  /// What a reference points to; nothing if it is none.
  auto referent(Term term) -> std::optional<Term>;
  /// The kind of the type, `Error` for open terms.
  auto kind(Term term) -> TypeKind;
  /// The number kind of a scalar, nothing for literals that are still open.
  auto dtype(Term term) -> std::optional<DType>;
  /// The members of a tuple.
  auto members(Term term) -> std::vector<Term>;

  // Records, encoders and futures.

  /// The record of an encoder or future, or the record itself; an error if it has none.
  auto record_of(Term term) -> Term;
  /// The field `name` of a record; nothing if there is none.
  auto field(Term record, Name name) -> std::optional<Term>;
  /// Adds a field to a record that is open; false if the record is a declared one.
  auto add_field(Term record, Name name, Term type, uint8_t flags) -> bool;
  /// Asks more of the buffer of a field, if the record is open and has the field.
  void add_flags(Term record, Name name, uint8_t flags);
  /// The names of the fields, for suggestions.
  auto field_names(Term record) -> std::vector<Name>;
  /// The record behind a `new_record`, an encoder or a future of one.
  auto open_record(Term term) -> std::optional<uint32_t>;

  /// The type of a term, with literals given their defaults; `kError` if it is still open.
  auto finish(Term term) -> TypeId;

 private:
  enum class Kind : uint8_t {
    Bound,
    Open,
    Number,
    Integer,
    Fraction,
    Array,
    Reference,
    Record,
    Encoder,
    Future,
    Tuple,
  };
  struct Variable {
    Kind kind = Kind::Open;
    /// What a bound variable is; the scalar of an array; the referent of a reference.
    Term term = {};
    /// The index of a shape, of a record, of a tuple.
    uint32_t payload = 0;
  };

  auto add(Variable variable) -> Term {
    variables_.push_back(variable);
    return Term::variable(static_cast<uint32_t>(variables_.size() - 1));
  }
  auto is(Term term, Kind kind) -> bool {
    term = resolve(term);
    return term.is_variable() && variables_[term.index()].kind == kind;
  }
  void bind(Term variable, Term to) {
    variables_[variable.index()] = {.kind = Kind::Bound, .term = to};
  }
  auto mentions(Term term, uint32_t variable) -> bool;
  auto unify_types(TypeId a, TypeId b) -> bool;
  auto unify_with_type(Term variable, TypeId type) -> bool;
  auto unify_variables(Term a, Term b) -> bool;
  auto unify_record_with(uint32_t record, TypeId type) -> bool;
  auto merge_records(uint32_t a, uint32_t b) -> bool;
  /// With the flags of a device's buffers, or what can be read of it by the coordinator.
  auto finish_record(uint32_t record, bool is_on_device) -> TypeId;

  TypeStore& types_;
  DType fraction_;
  std::vector<Variable> variables_;
  OpenRecords records_;
  std::vector<std::vector<Term>> tuples_;
  /// Records that `finish` is inside of.
  std::vector<uint32_t> finishing_;
};

}  // namespace tacet::types
