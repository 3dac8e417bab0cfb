#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/front/names/queries.h"
#include "compiler/front/names/report.h"
#include "compiler/front/types/size_arithmetic.h"
#include "compiler/front/types/type.h"
#include "compiler/front/types/value_bound.h"

namespace tacet::types {

/// The size parameters of a function: forms of themselves, or numbers in an instance.
using SizeScope = std::vector<std::pair<Name, SizeForm>>;

/// The size parameters that the head of `item`, at `root`, declares.
auto sizes_of_head(query::Context& context, names::ItemId item, syntax::Node root) -> SizeScope;

/// What is known already of the items of one kind while all of a file are worked through: they are
/// not queried, since they are being computed.
struct KnownItems {
  FileId file;
  names::ItemKind kind = names::ItemKind::Const;
  std::unordered_map<names::ItemId, TypeId> aliases;
  std::unordered_map<names::ItemId, int64_t> constants;
};

/// Turns written types into types. Names are looked up in the module of `file`. With a report it
/// says what is wrong with them (names that do not exist are said where names are resolved);
/// without, it does the same in silence.
class TypeLowering {
 public:
  TypeLowering(query::Context& context, FileId file, names::Report* report,
               const KnownItems* known = nullptr);

  /// The type that `node` writes down; `kError` for null nodes and for mistakes.
  auto lower(syntax::Node node) -> TypeId;

  /// The value of an expression that must be known before anything runs: literals, constants and
  /// operators on them. Nothing if it is not, or does not fit 64 bits.
  auto constant(syntax::Node node) -> std::optional<int64_t>;

  /// The form that an expression of sizes and constants computes.
  auto size(syntax::Node node) -> MaybeForm;

  /// From now on names may mean these sizes.
  void use_sizes(SizeScope sizes) { sizes_ = std::move(sizes); }

  /// From now on names may mean these types.
  void use_types(std::vector<std::pair<Name, TypeId>> scope) { scope_ = std::move(scope); }

  /// The ends of a bound, if one depends on sizes that are open.
  auto open_bound(syntax::Node node) -> std::optional<std::pair<SizeForm, SizeForm>>;

  /// The `bound` of a parameter of this type. Nothing if it is wrong, or depends on open sizes.
  auto bound(syntax::Node node, TypeId parameter) -> std::optional<ValueBound>;

 private:
  /// Whether a number may be the name of a constant that is written as one.
  enum class IsName : uint8_t { Refused, Allowed };
  auto units(syntax::Node node, engine::ElementType type, IsName is_name) -> std::optional<Wide>;
  auto end_of_bound(syntax::Node node) -> MaybeForm;
  /// The units of the `norm` of a bound, or nothing, reported, if it is wrong.
  auto norm_of_bound(syntax::Node bound, TypeId parameter, engine::ElementType type)
      -> std::optional<uint64_t>;
  /// Reports what is wrong with a bound that has two constant ends, and whether something is.
  auto has_bound_problem(syntax::Node bound, TypeId parameter, engine::ElementType type,
                         const ValueBound& value) -> bool;
  void report_bound(syntax::Node bound, DiagnosticCode code, std::string message, std::string note);
  auto written_constant(syntax::Node name) -> syntax::Node;

  [[nodiscard]] auto find(names::Namespace space, syntax::Node name) const -> names::ItemId;
  auto primitive(syntax::Node node) -> TypeId;
  auto named(syntax::Node node) -> TypeId;
  auto array(syntax::Node node) -> TypeId;
  auto record(syntax::Node node) -> TypeId;
  auto reference(syntax::Node node) -> TypeId;
  auto with_argument(syntax::Node node) -> TypeId;
  auto flags(syntax::Node node) -> uint8_t;
  auto extent(syntax::Node node) -> int64_t;
  auto names_a_number(syntax::Node name) -> bool;
  auto is_reported_elsewhere(syntax::Node node) -> bool;
  auto value_of(syntax::Node name) -> std::optional<int64_t>;

  query::Context& context_;
  FileId file_;
  names::Report* report_;
  const KnownItems* known_;
  SizeScope sizes_;
  std::vector<std::pair<Name, TypeId>> scope_;
  Interner& interner_;
  TypeStore& types_;
};

}  // namespace tacet::types
