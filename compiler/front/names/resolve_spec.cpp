#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

static void declare_definitions(Resolver& resolver, Node block);
static void declare_outputs(Resolver& resolver, Node results);
static void definition(Resolver& resolver, Node node, uint32_t index);
static void order_definitions(Resolver& resolver);
static void report_cycle(Resolver& resolver, const std::vector<uint32_t>& cycle);

void spec_block(Resolver& resolver, Node block) {
  declare_definitions(resolver, block);
  declare_outputs(resolver, item_node(resolver.tree).child(Field::Results));
  Node first_returns;
  for (Node statement : block.children()) {
    if (statement.is(NodeKind::Definition)) {
      auto place = std::lower_bound(
          resolver.definitions.begin(), resolver.definitions.end(), statement.index(),
          [](const Definition& known, uint32_t index) { return known.node < index; });
      definition(resolver, statement, static_cast<uint32_t>(place - resolver.definitions.begin()));
    } else if (statement.is(NodeKind::ReturnsStatement)) {
      resolver.current_definition = Local::kNone;
      expression(resolver, statement.child(Field::Value));
      if (first_returns) {
        resolver.report
            .add(DiagnosticCode::T1022, statement.range(),
                 "a second `returns`; a specification has only one")
            .label(first_returns.range(), "first `returns` here");
      } else {
        first_returns = statement;
      }
    }
  }
  if (block && !first_returns && item_node(resolver.tree).child(Field::Results) &&
      resolver.tree.errors.empty()) {
    Node name = item_name_node(item_node(resolver.tree));
    resolver.report
        .add(DiagnosticCode::T1022, name ? name.range() : block.range(),
             "the specification has results but no `returns`")
        .note("`returns e` defines the results");
  }
  order_definitions(resolver);
}

static void declare_definitions(Resolver& resolver, Node block) {
  for (Node statement : children_of(block, NodeKind::Definition)) {
    const auto index = static_cast<uint32_t>(resolver.definitions.size());
    resolver.definitions.push_back({statement.index(), {}});
    uint32_t ordinal = 0;
    for (Node binding : children_of(statement, NodeKind::SpecBinding)) {
      type(resolver, binding.child(Field::Type));
      Node name = binding.child(Field::Name);
      if (!name) {
        continue;
      }
      if (const uint32_t first = resolver.locals.find(name.text()); first != LocalScopes::kNone) {
        const Local& other = resolver.result.names.locals[first];
        Draft draft = resolver.report.add(DiagnosticCode::T1002, name.range(),
                                          fmt::format("node `{}` is defined twice", name.text()));
        if (other.node != Local::kNone) {
          draft.label(node_at(resolver, other.node).range(), "first defined here");
        }
        draft.note(
            "the definitions of a specification have no order, so each name can be defined only "
            "once");
        add_local(resolver, name, LocalKind::Definition, ordinal++, statement.index());
        continue;
      }
      const uint32_t local =
          declare(resolver, name, LocalKind::Definition, ordinal++, statement.index());
      resolver.definition_of.resize(local + 1, Local::kNone);
      resolver.definition_of[local] = index;
    }
  }
}

/// Is `returned` nothing but the node `name`?
static auto returns_just(syntax::Node block, uint32_t ordinal, std::string_view name) -> bool {
  for (syntax::Node statement : block.children()) {
    if (!statement.is(syntax::NodeKind::ReturnsStatement)) {
      continue;
    }
    syntax::Node value = statement.child(syntax::Field::Value);
    if (value.is(syntax::NodeKind::TupleExpression)) {
      for (syntax::Node element : value.children(syntax::Field::Element)) {
        if (ordinal-- == 0) {
          value = element;
          break;
        }
      }
    }
    return value.text() == name;
  }
  return true;
}

/// Named results are nodes too, unless they are returned as they are.
static void declare_outputs(Resolver& resolver, Node results) {
  Node block = item_node(resolver.tree).child(Field::Body);
  uint32_t ordinal = 0;
  for (Node result : children_of(results, NodeKind::Result)) {
    if (Node name = result.child(Field::Name)) {
      const uint32_t first = resolver.locals.find(name.text());
      if (first == LocalScopes::kNone) {
        declare(resolver, name, LocalKind::Output, ordinal, block ? block.index() : Local::kNone);
      } else if (returns_just(block, ordinal, name.text())) {
        set(resolver, name, Meaning::Local, first);
      } else {
        Draft draft = resolver.report.add(
            DiagnosticCode::T1002, name.range(),
            fmt::format("result `{}` has the same name as another node", name.text()));
        if (resolver.result.names.locals[first].node != Local::kNone) {
          draft.label(node_at(resolver, resolver.result.names.locals[first].node).range(),
                      "the other node");
        }
        draft.note("results are nodes of the specification, so that implementations can name them");
      }
    }
    ++ordinal;
  }
}

static void definition(Resolver& resolver, Node statement, uint32_t index) {
  resolver.current_definition = index;
  expression(resolver, statement.child(Field::Value));
  resolver.current_definition = Local::kNone;
}

/// Sorts the definitions so that each comes after those it uses, by depth-first search with a
/// stack of its own: a chain of definitions may be long.
static void order_definitions(Resolver& resolver) {
  const auto n = static_cast<uint32_t>(resolver.definitions.size());
  enum class Mark : uint8_t { New, Open, Done };
  std::vector<Mark> marks(n, Mark::New);
  struct Frame {
    uint32_t definition;
    uint32_t next_use;
  };
  std::vector<Frame> stack;
  resolver.result.definition_order.reserve(n);
  for (uint32_t root = 0; root < n; ++root) {
    if (marks[root] != Mark::New) {
      continue;
    }
    marks[root] = Mark::Open;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::vector<uint32_t>& uses = resolver.definitions[frame.definition].uses;
      if (frame.next_use == uses.size()) {
        marks[frame.definition] = Mark::Done;
        resolver.result.definition_order.push_back(resolver.definitions[frame.definition].node);
        stack.pop_back();
        continue;
      }
      const uint32_t used = uses[frame.next_use++];
      if (marks[used] == Mark::New) {
        marks[used] = Mark::Open;
        stack.push_back({used, 0});
      } else if (marks[used] == Mark::Open) {
        std::vector<uint32_t> cycle;
        for (auto at = stack.rbegin(); at != stack.rend(); ++at) {
          cycle.push_back(at->definition);
          if (at->definition == used) {
            break;
          }
        }
        report_cycle(resolver, {cycle.rbegin(), cycle.rend()});
      }
    }
  }
}

static void report_cycle(Resolver& resolver, const std::vector<uint32_t>& cycle) {
  auto name_of = [&](uint32_t definition) {
    return node_at(resolver, resolver.definitions[definition].node)
        .child(NodeKind::SpecBinding)
        .child(Field::Name);
  };
  Node first = name_of(cycle[0]);
  if (cycle.size() == 1) {
    resolver.report
        .add(DiagnosticCode::T1009, first.range(),
             fmt::format("node `{}` depends on itself", first.text()))
        .note("a specification defines values; to recurse, call its class");
    return;
  }
  std::string path;
  for (uint32_t member : cycle) {
    path += fmt::format("`{}` needs ", name_of(member).text());
  }
  Draft draft =
      resolver.report.add(DiagnosticCode::T1009, first.range(),
                          fmt::format("nodes depend on each other: {}`{}`", path, first.text()));
  for (size_t i = 1; i < cycle.size(); ++i) {
    draft.label(name_of(cycle[i]).range(), "part of the cycle");
  }
}

}  // namespace tacet::names
