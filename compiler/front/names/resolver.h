#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/front/names/local_scopes.h"
#include "compiler/front/names/resolve_body.h"

namespace tacet::names {

using Node = syntax::Node;
using NodeKind = syntax::NodeKind;
using Field = syntax::Field;

// Specifications.
struct Definition {
  uint32_t node;
  std::vector<uint32_t> uses;
};

// Encoders.
struct EncodedName {
  uint32_t encoder;
  std::string_view name;
  uint32_t local;
};

// Holes `???;` that were met, and what they declare; both until the block around them ends.
struct OpenHole {
  uint32_t node;
  uint32_t scope_end;
};

struct HoleLocal {
  std::string_view name;
  uint32_t hole;
  uint32_t scope_end;
  uint32_t local;
};

/// The state of resolving one body. Private to this folder; the functions over it are grouped by
/// topic in `resolve_*.cpp` and
/// `explain_unknown.cpp`.
struct Resolver {
  Resolver(query::Context& context_, ItemId item_, const syntax::Tree& tree_, Report& report_);

  query::Context& context;
  ItemId item;
  const syntax::Tree& tree;
  Report& report;
  Interner& interner;
  ItemTable& table;
  const ItemKey& key;
  /// The names in parts of the item that could not be read, each with the one node that is
  /// called so, or none if there are several. Filled on first use.
  std::unordered_map<std::string_view, uint32_t> lost_names;
  bool knows_lost_names = false;
  size_t n_compared = 0;  ///< names, for suggestions
  BodyKind kind = BodyKind::None;
  ResolvedBody result;
  LocalScopes locals;

  uint32_t n_loops = 0;
  /// Locals that may not have a value yet, in order of declaration.
  std::vector<uint32_t> unset;
  /// The statements that follow are never reached.
  bool is_unreachable = false;
  std::vector<Definition> definitions;
  /// By local: the index in `definitions`, for locals that have one.
  std::vector<uint32_t> definition_of;
  uint32_t current_definition = Local::kNone;
  std::vector<EncodedName> encoded;
  std::vector<OpenHole> open_holes;
  std::vector<HoleLocal> hole_locals;
};

auto node_at(const Resolver& resolver, uint32_t index) -> Node;
auto is_spec(const Resolver& resolver) -> bool;
void set(Resolver& resolver, Node name, Meaning meaning, uint32_t index);
void set_unknown(Resolver& resolver, Node name);

// resolve_item.cpp
void item(Resolver& resolver, Node item_node);
void owner(Resolver& resolver, Node name);
void device(Resolver& resolver, Node name);

// resolve_parameters.cpp
/// Size and type parameters, which are in scope in all of the function.
void sizes(Resolver& resolver, Node fn);
/// The parameters in a list, those that are functions first.
void parameters(Resolver& resolver, Node list);
void constraints(Resolver& resolver, Node where);
void results(Resolver& resolver, Node list);
/// The sizes of an input of an array program, each declared where it is mentioned first.
void sizes_of_shape(Resolver& resolver, Node shape);

// resolve_import.cpp
void import(Resolver& resolver, Node import);

// resolve_type.cpp
void type(Resolver& resolver, Node node);

// resolve_spec.cpp
void spec_block(Resolver& resolver, Node block);

// resolve_expression.cpp
void expression(Resolver& resolver, Node node);
void value_name(Resolver& resolver, Node name);
/// A name that means `local`, if that is a size parameter; else false.
auto size_name(Resolver& resolver, Node name, uint32_t local) -> bool;
/// The type parameter that `name` means, or `kNone`.
auto type_parameter(const Resolver& resolver, Node name) -> uint32_t;
void callee(Resolver& resolver, Node name);
void template_values(Resolver& resolver, Node node);
auto forbid_in_spec(Resolver& resolver, Node node) -> bool;

// resolve_function.cpp
/// The parameter that `name` means, if that is a function; else `kNone`.
auto function_parameter(const Resolver& resolver, Node name) -> uint32_t;
/// A name that means `local`, which is a function: in an instance, the one that it is passed.
void function_name(Resolver& resolver, Node name, uint32_t local);
/// The name of a function that is passed.
void function_argument(Resolver& resolver, Node name);
/// A function of the library that needs no import, or none.
auto find_in_prelude(Resolver& resolver, Node name) -> ItemId;

// resolve_statement.cpp
void block(Resolver& resolver, Node block);
void bind_names(Resolver& resolver, Node statement, LocalKind kind);
void if_expression(Resolver& resolver, Node node);
void check_set(Resolver& resolver, Node name, uint32_t local);

// resolve_hole.cpp
void hole_statement(Resolver& resolver, Node hole);
/// Says of a hole of a device function that it is one.
void device_hole(Resolver& resolver, Node hole);
auto declare_by_hole(Resolver& resolver, Node name) -> bool;

// resolve_tags.cpp
void tags(Resolver& resolver, Node item_node);

// explain_unknown.cpp
void unknown_value(Resolver& resolver, Node name);
void unknown_callee(Resolver& resolver, Node name);
void unknown_specification(Resolver& resolver, Node name);
void unknown_type(Resolver& resolver, Node name);
void unknown_party(Resolver& resolver, Node name);
void unknown_entry(Resolver& resolver, Node name);
void unknown_encoded(Resolver& resolver, Node name, uint32_t encoder);
void suggest(Resolver& resolver, Draft& draft, Node name,
             const std::vector<std::string_view>& candidates);
/// Is that the name is unknown the consequence of a mistake reported elsewhere?
auto is_consequence(Resolver& resolver, Node name) -> bool;
void label_item(Resolver& resolver, Draft& draft, ItemId item, std::string message);

// resolve_body.cpp
auto declare(Resolver& resolver, Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration)
    -> uint32_t;
auto add_local(Resolver& resolver, Node name, LocalKind kind, uint32_t ordinal,
               uint32_t declaration) -> uint32_t;
void set_item(Resolver& resolver, Node name, ItemId item);
auto find_item(Resolver& resolver, Namespace space, Node name) -> ItemId;

inline auto node_at(const Resolver& resolver, uint32_t index) -> Node {
  return {&resolver.tree, index};
}

inline auto is_spec(const Resolver& resolver) -> bool {
  return resolver.kind == BodyKind::Val || resolver.kind == BodyKind::Tmln ||
         resolver.kind == BodyKind::Sptl;
}

inline void set(Resolver& resolver, Node name, Meaning meaning, uint32_t index) {
  resolver.result.names.resolutions[name.index()] = Resolution(meaning, index);
}

inline void set_unknown(Resolver& resolver, Node name) {
  set(resolver, name, Meaning::Unknown, 0);
}

}  // namespace tacet::names
