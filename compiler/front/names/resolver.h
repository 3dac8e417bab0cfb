#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/front/names/local_scopes.h"
#include "compiler/front/names/resolve_body.h"

namespace tacet::names {

/// The state of `resolve_body`. Private to this folder; its parts stand in `resolve_*.cpp` and
/// `explain_unknown.cpp`.
class Resolver {
 public:
  Resolver(query::Context& context, ItemId item, const syntax::Tree& tree, Report& report);

  auto run() -> ResolvedBody;

 private:
  using Node = syntax::Node;
  using NodeKind = syntax::NodeKind;
  using Field = syntax::Field;

  [[nodiscard]] auto node(uint32_t index) const -> Node { return {&tree_, index}; }
  [[nodiscard]] auto is_spec() const -> bool {
    return kind_ == BodyKind::Val || kind_ == BodyKind::Tmln || kind_ == BodyKind::Sptl;
  }

  // Items and their heads: resolve_item.cpp.
  void item(Node item_node);
  void function(Node fn);
  void specification(Node spec);
  void extern_item(Node item_node);
  void parameters(Node list);
  void results(Node list);
  void implements(Node fn);
  void report_missing_kinds(Node fn, bool has_tmln, bool has_sptl, bool has_val);
  void schedule(Node schedule);
  void pipeline(Node pipeline);
  void import(Node import);
  void owner(Node name);
  void device(Node name);
  void program(Node body);
  void declare_dims();
  void check_duplicate(Node item_node);
  void check_import_cycle(Node name);

  // Types: resolve_type.cpp.
  void type(Node node);
  void extent(Node node);

  // Specifications: resolve_spec.cpp.
  void spec_block(Node block);
  void declare_definitions(Node block);
  void declare_outputs(Node results);
  void definition(Node node, uint32_t index);
  void order_definitions();
  void report_cycle(const std::vector<uint32_t>& cycle);

  // Expressions: resolve_expression.cpp.
  void expression(Node node);
  void expressions_in(Node node);
  void value_name(Node name);
  void dim(Node name);
  void call(Node call);
  void callee(Node name);
  void template_values(Node node);
  void arguments(Node list);
  void for_expression(Node node);
  void let_expression(Node node);
  void tagged_expression(Node node);
  void hole_expression(Node node);
  void device_expression(Node node);
  void belongs_elsewhere(Node node, std::string_view what, std::string_view rule);
  auto forbid_in_spec(Node node) -> bool;

  // Statements: resolve_statement.cpp.
  void block(Node block);
  void statements(Node block);
  void statement(Node node);
  void bind(Node statement, LocalKind kind);
  void assignment(Node node);
  void annotation(Node node);
  void encode(Node node);
  void encoded_call(Node call, uint32_t encoder);
  void encoded_argument(Node name, uint32_t encoder);
  auto encoded_local(uint32_t encoder, Node name, bool may_add, uint32_t ordinal,
                     uint32_t declaration) -> uint32_t;
  void if_expression(Node node);
  void loop(Node node);
  void check_loop_place(Node node);
  void jump(Node node);
  void mark_set(uint32_t local);
  void check_set(Node name, uint32_t local);

  // Holes: resolve_hole.cpp.
  void hole_statement(Node hole);
  auto declare_by_hole(Node name) -> bool;

  // Tags: resolve_tags.cpp.
  void tags(Node item_node);
  void tag_name(Node name, ItemId specification);

  // Messages about names that mean nothing: explain_unknown.cpp.
  void unknown_value(Node name);
  void unknown_callee(Node name);
  void unknown_specification(Node name);
  void unknown_type(Node name);
  void unknown_party(Node name);
  void unknown_entry(Node name);
  void unknown_encoded(Node name, uint32_t encoder);
  void suggest(Draft& draft, Node name, const std::vector<std::string_view>& candidates);
  auto names_in(Namespace space) const -> std::vector<std::string_view>;
  /// What has this name, whatever it is.
  auto declarations_of(Node name) const -> std::vector<FileScope::Entry>;
  /// Gives the name no meaning; false if a mistake reported elsewhere explains that already.
  auto mark_unknown(Node name) -> bool;
  void find_lost_names();
  /// Is that the name is unknown the consequence of a mistake reported elsewhere?
  auto is_consequence(Node name) -> bool;
  /// Says what the name is, and the `rule` that something else was needed.
  auto report_other_kind(Node name, const FileScope::Entry& other, std::string_view rule) -> Draft;
  void label_item(Draft& draft, ItemId item, std::string message);
  auto implementations(ItemId specification) const -> std::vector<std::string_view>;

  // Declaring and using.
  auto declare(Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration) -> uint32_t;
  auto add_local(Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration) -> uint32_t;
  void set(Node name, Meaning meaning, uint32_t index) {
    result_.names.resolutions[name.index()] = Resolution(meaning, index);
  }
  void set_unknown(Node name) { set(name, Meaning::Unknown, 0); }
  void set_item(Node name, ItemId item);
  auto find_item(Namespace space, Node name) -> ItemId;

  query::Context& context_;
  ItemId item_;
  const syntax::Tree& tree_;
  Report& report_;
  Interner& interner_;
  ItemTable& table_;
  const ItemKey& key_;
  const ModuleScope& scope_;
  /// The names in parts of the item that could not be read, each with the one node that is
  /// called so, or none if there are several. Filled when it is first asked for.
  std::unordered_map<std::string_view, uint32_t> lost_names_;
  bool knows_lost_names_ = false;
  size_t n_compared_ = 0;  ///< names, for suggestions
  BodyKind kind_ = BodyKind::None;
  ResolvedBody result_;
  LocalScopes locals_;

  uint32_t n_loops_ = 0;
  /// Locals that may not have a value yet, in order of declaration.
  std::vector<uint32_t> unset_;
  /// The statements that follow are never reached.
  bool is_unreachable_ = false;

  // Specifications.
  struct Definition {
    uint32_t node;
    std::vector<uint32_t> uses;
  };
  std::vector<Definition> definitions_;
  /// By local: the index in `definitions_`, for locals that have one.
  std::vector<uint32_t> definition_of_;
  uint32_t current_definition_ = Local::kNone;

  // Encoders.
  struct EncodedName {
    uint32_t encoder;
    std::string_view name;
    uint32_t local;
  };
  std::vector<EncodedName> encoded_;

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
  std::vector<OpenHole> open_holes_;
  std::vector<HoleLocal> hole_locals_;
};

}  // namespace tacet::names
