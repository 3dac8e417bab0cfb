#include "compiler/spec/infer/holes.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/class_members.h"
#include "compiler/spec/infer/hole_sites.h"
#include "compiler/spec/infer/hole_text.h"
#include "compiler/spec/infer/synthesis.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::infer {

using hir::Opcode;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

namespace {

/// How many fillings are listed.
constexpr size_t kMostFillings = 8;

/// Works on one hole.
class HoleFiller {
 public:
  HoleFiller(query::Context& context, const FunctionFacts& facts, const HoleSite& site)
      : context_(context),
        facts_(facts),
        types_(context.service<types::TypeStore>()),
        site_(site),
        node_(&facts.tree, site.node) {
    hole_.node = site.node;
  }

  auto run() -> Hole {
    at_hand();
    if (lacks_steps()) {
      results();
      hole_.problem =
          "the timeline has steps; `tacet fill` and the code actions of editors search for them";
    } else if (node_.is(NodeKind::HoleStatement)) {
      statement();
    } else {
      expression();
    }
    std::stable_sort(hole_.fillings.begin(), hole_.fillings.end(),
                     [](const Filling& a, const Filling& b) { return a.cost < b.cost; });
    if (hole_.fillings.size() > kMostFillings) {
      hole_.fillings.resize(kMostFillings);
    }
    if (!hole_.fillings.empty()) {
      hole_.problem.clear();
    }
    return std::move(hole_);
  }

 private:
  /// All that the function should do on devices is still to be written.
  auto lacks_steps() const -> bool {
    const bool is_of_statements = node_.is(NodeKind::HoleStatement) || is_yielded();
    const auto signature = context_.get<types::SignatureOf>(facts_.function.item);
    return is_of_statements && signature && !is_at_once(context_, signature->tmln) &&
           !uses_devices(facts_.function);
  }

  void at_hand() {
    for (const Available& available : site_.at_hand) {
      if (available.has_value && available.node.has_value()) {
        at_hand_.emplace(available.node, written(available));
      }
    }
  }

  /// How the value of a variable is written.
  auto written(const Available& available) const -> std::string {
    const bool is_reference = types_[available.type].kind == TypeKind::Reference;
    return fmt::format("{}{}", is_reference ? "*" : "", available.name);
  }

  auto results() -> bool {
    if (!site_.hole.has_value()) {
      hole_.problem = "its context is unknown";
      return false;
    }
    const hir::Instruction& instruction = facts_.function.instructions[site_.hole];
    for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
      const SpecNodeId node = facts_.quotients.of_value[v];
      const TypeId type = facts_.function.values[ValueId{v}].type;
      const bool is_open = type == types::TypeStore::kError && node.has_value();
      hole_.types.push_back(is_open ? facts_.spec.nodes[node].type : type);
      hole_.wanted.push_back(node);
    }
    return true;
  }

  void add(TextRange replaced, std::string text, uint32_t cost) {
    for (const Filling& other : hole_.fillings) {
      if (other.text == text) {
        return;
      }
    }
    hole_.fillings.push_back({replaced, std::move(text), cost});
  }

  // ---- expressions ----

  void expression() {
    if (!results()) {
      return;
    }
    if (hole_.types.size() == 1 && types_[hole_.types[0]].kind == TypeKind::Reference) {
      reference();
      return;
    }
    if (hole_.types.size() == 1 && types_[hole_.types[0]].kind != TypeKind::Value) {
      of_same_type();
      return;
    }
    complete_call();
    const bool is_known = std::all_of(hole_.wanted.begin(), hole_.wanted.end(),
                                      [](SpecNodeId node) { return node.has_value(); });
    if (!is_known) {
      hole_.problem = "its node in the specification is unknown";
      return;
    }
    if (hole_.wanted.size() == 1 && !is_yielded()) {
      for (const Available& available : site_.at_hand) {
        if (available.has_value && available.node == hole_.wanted[0]) {
          add(node_.range(), written(available), 0);
        }
      }
    }
    with_each_member([&](Synthesis& synthesis) { synthesise(synthesis, without_wanted()); });
    if (hole_.fillings.empty()) {
      with_each_member([&](Synthesis& synthesis) { synthesise(synthesis, at_hand_); });
    }
  }

  /// Of several values the results of one call, if one of them is in its place: then the others
  /// are, too.
  void complete_call() {
    for (size_t i = 0; i < hole_.wanted.size() && hole_.wanted.size() > 1; ++i) {
      const SpecNode* known =
          hole_.wanted[i].has_value() ? &facts_.spec.nodes[hole_.wanted[i]] : nullptr;
      if (known == nullptr || known->term.kind != TermKind::Extract || known->term.number != i) {
        continue;
      }
      const std::vector<SpecNodeId> results = results_of(known->children[0]);
      if (results.size() != hole_.wanted.size()) {
        continue;
      }
      bool is_it = true;
      for (size_t j = 0; j < results.size(); ++j) {
        is_it = is_it && (!hole_.wanted[j].has_value() || hole_.wanted[j] == results[j]);
      }
      if (is_it) {
        whole_call_ = known->children[0];
        hole_.wanted = results;
        for (size_t j = 0; j < results.size(); ++j) {
          hole_.types[j] = facts_.spec.nodes[results[j]].type;
        }
        return;
      }
    }
  }

  /// The results of a call, in order; fewer if the specification has no node for one.
  auto results_of(SpecNodeId call) const -> std::vector<SpecNodeId> {
    std::vector<SpecNodeId> results;
    for (SpecNodeId user : facts_.spec.parents[call.index]) {
      const Term& term = facts_.spec.nodes[user].term;
      if (term.kind == TermKind::Extract && term.number == results.size()) {
        results.push_back(user);
      }
    }
    return results;
  }

  /// What is at hand, but for the very nodes that are wanted: to write them out.
  auto without_wanted() const -> AtHand {
    AtHand rest = at_hand_;
    for (SpecNodeId node : hole_.wanted) {
      const TermKind kind = facts_.spec.nodes[node].term.kind;
      if (!is_yielded() && kind != TermKind::Input && kind != TermKind::Dimension) {
        rest.erase(node);
      }
    }
    return rest;
  }

  /// Is the hole what a block yields? Then statements may precede it.
  auto is_yielded() const -> bool {
    return node_.is(NodeKind::StatementHole) && node_.field() == Field::Result;
  }

  void synthesise(Synthesis& synthesis, const AtHand& at_hand) {
    std::optional<std::string> text;
    if (is_yielded()) {
      text = synthesis.block(hole_.wanted, at_hand, indent_at(node_));
      text = text ? std::optional(trimmed(*text)) : std::nullopt;
    } else if (whole_call_.has_value()) {
      text = synthesis.call(whole_call_, at_hand);
    } else if (hole_.wanted.size() == 1) {
      text = synthesis.expression(hole_.wanted[0], at_hand, precedence_around(node_));
    } else {
      text = synthesis.block(hole_.wanted, at_hand, indent_at(node_) + "    ");
      text =
          text ? std::optional(fmt::format("{{\n{}{}}}", *text, indent_at(node_))) : std::nullopt;
    }
    if (text) {
      add(node_.range(), std::move(*text), 1 + synthesis.cost());
    } else {
      hole_.problem = synthesis.problem();
    }
  }

  /// Once with the cheapest member of each class that is called, and once more with each other.
  template <class Try>
  void with_each_member(Try attempt) {
    Synthesis first(context_, facts_);
    attempt(first);
    for (const auto& [of_class, members] : first.classes()) {
      for (size_t i = 1; i < members.size(); ++i) {
        Synthesis other(context_, facts_);
        other.choose(of_class, i);
        attempt(other);
      }
    }
  }

  // ---- references and handles ----

  /// A variable to refer to: one that holds the node, or one that nothing has been put into.
  void reference() {
    if (is_yielded()) {
      yielded_reference();
      return;
    }
    const TypeId wanted = types_[hole_.types[0]].element;
    for (const Available& available : site_.at_hand) {
      const bool is_reference = available.type == hole_.types[0];
      const bool fits =
          hole_.wanted[0].has_value() ? available.node == hole_.wanted[0] : !available.has_value;
      if (fits && (is_reference || (available.is_var && available.type == wanted))) {
        add(node_.range(), fmt::format("{}{}", is_reference ? "" : "&", available.name), 0);
      }
    }
    if (hole_.fillings.empty()) {
      hole_.problem = "no variable in scope fits the reference";
    }
  }

  /// What is yielded is a reference: the parameter that was given for the result.
  void yielded_reference() {
    const Available* target = nullptr;
    for (const Available& available : site_.at_hand) {
      if (available.type == hole_.types[0]) {
        if (target != nullptr) {
          hole_.problem =
              fmt::format("`{}` and `{}` could both be returned", target->name, available.name);
          return;
        }
        target = &available;
      }
    }
    if (target == nullptr || !hole_.wanted[0].has_value()) {
      hole_.problem = "no reference to return";
      return;
    }
    with_each_member([&](Synthesis& synthesis) {
      const auto lines = synthesis.lines(
          {{hole_.wanted[0], fmt::format("*{}", target->name), true}}, at_hand_, indent_at(node_));
      if (lines) {
        add(node_.range(),
            trimmed(fmt::format("{}{}{}\n", lines->statements, indent_at(node_), target->name)),
            synthesis.cost());
      } else {
        hole_.problem = synthesis.problem();
      }
    });
  }

  /// An encoder, future or record: whatever has the type.
  void of_same_type() {
    for (const Available& available : site_.at_hand) {
      if (available.type == hole_.types[0] && hole_.types[0] != types::TypeStore::kError) {
        add(node_.range(), std::string(available.name), 0);
      }
    }
    if (hole_.fillings.empty()) {
      hole_.problem = hole_.types[0] == types::TypeStore::kError
                          ? "its type is unknown"
                          : "no variable in scope has its type";
    }
  }

  // ---- statements ----

  void statement() {
    if (!results()) {
      return;
    }
    std::vector<Synthesis::Target> targets;
    for (uint32_t i = 0; i < facts_.body.names.locals.size(); ++i) {
      const names::Local& local = facts_.body.names.locals[i];
      if (local.declaration != site_.node) {
        continue;
      }
      const size_t number = targets.size();
      const auto& interner = context_.service<Interner>();
      const std::string name(interner.text(local.name));
      const bool is_known = number < hole_.wanted.size() && hole_.wanted[number].has_value() &&
                            types_[hole_.types[number]].kind == TypeKind::Value;
      if (!is_known) {
        hole_.problem = fmt::format("the node of `{}` in the specification is unknown", name);
        return;
      }
      targets.push_back({hole_.wanted[number], name});
    }
    unset_variables(targets);
    if (ends_function() && targets.empty()) {
      body();
      return;
    }
    with_each_member([&](Synthesis& synthesis) {
      if (const auto lines = synthesis.lines(targets, at_hand_, indent_at(node_))) {
        const bool is_nothing = lines->statements.empty();
        add(is_nothing ? with_space_behind(node_) : node_.range(),
            is_nothing ? "" : trimmed(lines->statements), synthesis.cost());
      } else {
        hole_.problem = synthesis.problem();
      }
    });
  }

  /// Variables that nothing has been put into so far and that are read further down.
  void unset_variables(std::vector<Synthesis::Target>& targets) {
    for (const Available& available : site_.at_hand) {
      if (!available.is_var || available.has_value || !available.place.has_value()) {
        continue;
      }
      for (uint32_t i = 0; i < facts_.function.instructions.size(); ++i) {
        const hir::Instruction& instruction = facts_.function.instructions[hir::InstructionId{i}];
        const bool is_it =
            instruction.opcode == Opcode::Undefined && instruction.place == available.place;
        const SpecNodeId node =
            is_it ? facts_.quotients.of_value[instruction.results.begin] : SpecNodeId();
        if (node.has_value()) {
          targets.push_back({node, std::string(available.name), true});
          hole_.wanted.push_back(node);
          hole_.types.push_back(available.type);
          break;
        }
      }
    }
  }

  /// `fn f(…) -> T { …; ???; }`: the hole is what the function yields, too.
  auto ends_function() const -> bool {
    Node block = names::item_node(facts_.tree).child(Field::Body);
    Node last;
    for (Node child : block.children()) {
      last = syntax::is_named(child.kind()) ? child : last;
    }
    return last == node_ && !facts_.interface.results.empty();
  }

  void body() {
    hole_.wanted.clear();
    for (size_t i = 0; i < facts_.interface.results.size(); ++i) {
      const PortQuotient& port = facts_.interface.result_quotients[i];
      const SpecNodeId node =
          port.kind == PortQuotient::Kind::Ordinal && port.number < facts_.spec.outputs.size()
              ? facts_.spec.outputs[port.number]
          : port.kind == PortQuotient::Kind::Named ? facts_.spec.find(port.name)
                                                   : SpecNodeId();
      if (!node.has_value() || types_[facts_.interface.results[i].type].kind != TypeKind::Value) {
        hole_.problem = "some result of the function is not a value of the specification";
        return;
      }
      hole_.wanted.push_back(node);
      hole_.types.push_back(facts_.interface.results[i].type);
    }
    with_each_member([&](Synthesis& synthesis) {
      if (const auto text = synthesis.block(hole_.wanted, at_hand_, indent_at(node_))) {
        add(node_.range(), trimmed(*text), synthesis.cost());
      } else {
        hole_.problem = synthesis.problem();
      }
    });
  }

  query::Context& context_;
  const FunctionFacts& facts_;
  const types::TypeStore& types_;
  const HoleSite& site_;
  Node node_;
  AtHand at_hand_;
  /// The call whose results are wanted, all of them in order.
  SpecNodeId whole_call_;
  Hole hole_;
};

}  // namespace

auto holes_of(query::Context& context, const FunctionFacts& facts) -> std::vector<Hole> {
  std::vector<Hole> holes;
  for (const HoleSite& site : hole_sites(context, facts)) {
    holes.push_back(HoleFiller(context, facts, site).run());
  }
  return holes;
}

}  // namespace tacet::infer
