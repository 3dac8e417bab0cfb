#include "compiler/front/check/secret_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tacet::check {

using names::LocalKind;
using names::Meaning;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

void SecretPath::declared(uint32_t local) {
  set(local, {.kind = Kind::Declared});
}

void SecretPath::assigned(uint32_t local, Node place, Node value) {
  set(local, {.kind = Kind::Assigned,
              .is_said = says_secret(value),
              .place = place.index(),
              .value = value.index()});
}

void SecretPath::reported(uint32_t local, Node value) {
  set(local, {.kind = Kind::Assigned,
              .is_said = false,
              .is_reported = true,
              .place = value.index(),
              .value = value.index()});
}

void SecretPath::decided(uint32_t local, Node place, Node condition) {
  set(local, {.kind = Kind::Decided,
              .is_said = false,
              .place = place.index(),
              .value = condition.index()});
}

void SecretPath::set(uint32_t local, Origin origin) {
  if (origins_[local].kind == Kind::None) {
    origin.rank = ++n_ranks_;
    origins_[local] = origin;
  }
}

auto SecretPath::calls_item(Node value) const -> bool {
  if (!value.is(NodeKind::CallExpression)) {
    return false;
  }
  Node function = value.child(Field::Function);
  function = function.is(NodeKind::TaggedExpression) ? function.child(Field::Value) : function;
  const names::ItemId item = names_.item(function.index());
  // A record is made of nothing but what it is given.
  return item.has_value() && items_[item].kind != names::ItemKind::Type;
}

auto SecretPath::says_secret(Node value) const -> bool {
  if (!value || !secret_nodes_[value.index()]) {
    return false;
  }
  if (value.is(NodeKind::Identifier)) {
    const names::Resolution resolution = names_.of(value.index());
    return !resolution.is(Meaning::Local) || origins_[resolution.index()].is_said;
  }
  bool has_secret_part = false;
  for (const Node child : value.children()) {
    if (says_secret(child)) {
      return true;
    }
    has_secret_part = has_secret_part || secret_nodes_[child.index()];
  }
  return !has_secret_part || calls_item(value);
}

auto SecretPath::is_reported(Node value) const -> bool {
  if (value.is(NodeKind::Identifier)) {
    const names::Resolution resolution = names_.of(value.index());
    return resolution.is(Meaning::Local) && origins_[resolution.index()].is_reported;
  }
  bool is_all = false;
  for (const Node child : value.children()) {
    if (secret_nodes_[child.index()]) {
      if (!is_reported(child)) {
        return false;
      }
      is_all = true;
    }
  }
  return is_all && !calls_item(value);
}

auto SecretPath::is_declared_field(Node value) const -> bool {
  if (!value.is(NodeKind::FieldExpression)) {
    return false;
  }
  const names::Resolution resolution = names_.of(value.child(Field::Record).index());
  return resolution.is(Meaning::Local) && origins_[resolution.index()].kind == Kind::Declared;
}

auto SecretPath::source(Node value, uint32_t rank) const -> Node {
  if (!value || !secret_nodes_[value.index()]) {
    return {};
  }
  if (value.is(NodeKind::Identifier)) {
    const names::Resolution resolution = names_.of(value.index());
    const bool is_known =
        resolution.is(Meaning::Local) && origins_[resolution.index()].kind != Kind::None;
    return is_known && origins_[resolution.index()].rank < rank ? value : Node();
  }
  if (calls_item(value)) {
    return value;  // whatever it is given, its type says so
  }
  if (is_declared_field(value)) {
    return value;
  }
  // A choice by a secret makes all of a record secret; what is chosen may do so to other fields.
  Node found = value.is(NodeKind::ConditionalExpression)
                   ? source(value.child(Field::Condition), rank)
                   : Node();
  for (const Node child : value.children()) {
    found = found ? found : source(child, rank);
  }
  const bool says_so = value.is(NodeKind::FieldExpression) || value.is(NodeKind::CastExpression);
  return found || !says_so ? found : value;
}

auto SecretPath::text_of(Node source) -> std::string {
  if (source.is(NodeKind::CallExpression)) {
    return "secret here: the result of this call";
  }
  if (source.is(NodeKind::FieldExpression)) {
    return fmt::format("secret here: the field `{}`", source.child(Field::Field).text());
  }
  return "secret here: this type";
}

void SecretPath::show(Node value, names::Draft& draft) const {
  std::vector<Step> steps;
  Node at = source(value, std::numeric_limits<uint32_t>::max());
  while (at && at.is(NodeKind::Identifier)) {
    const uint32_t number = names_.of(at.index()).index();
    const names::Local& local = names_.locals[number];
    const Origin& origin = origins_[number];
    if (origin.kind == Kind::Declared) {
      const bool is_parameter = local.kind == LocalKind::Parameter;
      const Node name = local.node == names::Local::kNone ? at : Node(&tree_, local.node);
      steps.push_back({name.range(), fmt::format("secret here: {}`{}`",
                                                 is_parameter ? "parameter " : "", at.text())});
      at = {};
      break;
    }
    const Node cause(&tree_, origin.value);
    const Node place(&tree_, origin.place);
    if (origin.kind == Kind::Assigned) {
      steps.push_back({place.range(), fmt::format("makes `{}` secret", at.text())});
    } else {
      steps.push_back(
          {place.range(), fmt::format("the value of `{}` depends on a secret", at.text())});
      steps.push_back({cause.range(), "it depends on this secret"});
    }
    at = source(cause, origin.rank);
  }
  if (at) {
    steps.push_back({at.range(), text_of(at)});
  }
  std::reverse(steps.begin(), steps.end());
  for (Step& step : steps) {
    draft.label(step.place, std::move(step.text));
  }
}

}  // namespace tacet::check
