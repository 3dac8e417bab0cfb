#include "compiler/front/check/absent_fields.h"

#include <algorithm>

#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/queries.h"

namespace tacet::check {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

class AbsentFieldReader {
 public:
  AbsentFieldReader(Interner& interner, Node root) : interner_(interner), root_(root) {
    for (Node parameter : root.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter)) {
        names_.push_back(parameter.child(Field::Name).text());
      }
    }
    result_.resize(names_.size());
  }

  auto run() -> AbsentFieldsOf::Value {
    const Node body = root_.child(Field::Body);
    read_entry(body);
    if (body) {
      read_body(body);
    }
    return std::move(result_);
  }

 private:
  auto of(Node name) -> AbsentFields* {
    const auto found = std::find(names_.begin(), names_.end(), name.text());
    return name && found != names_.end() ? &result_[static_cast<size_t>(found - names_.begin())]
                                         : nullptr;
  }

  void read_entry(Node body) {
    visit_entry_annotations(body, [&](Node annotation) {
      const Node key = annotation.child(Field::Key);
      const Node field = key.child(Field::Field);
      AbsentFields* fields = field ? of(key.child(Field::Name)) : nullptr;
      if (fields != nullptr && is_dead(annotation)) {
        fields->dead.push_back(interner_.intern(field.text()));
      }
    });
  }

  static auto is_dead(Node annotation) -> bool {
    return last_tag_of(annotation, "val").child(Field::Flow).text() == "-dead";
  }

  void read_body(Node body) {
    for (Node node : subtree(body)) {
      if (node.is(NodeKind::EncodeStatement)) {
        read_encode(node);
      } else if (node.is(NodeKind::CallExpression) || node.is(NodeKind::LetStatement) ||
                 node.is(NodeKind::VarStatement)) {
        read_use(node.is(NodeKind::CallExpression) ? node.child(Field::Arguments) : node);
      }
    }
  }

  void read_encode(Node encode) {
    AbsentFields* fields = of(encode.child(Field::Encoder));
    for (Node destination : encode.children()) {
      if (fields != nullptr && destination.is(NodeKind::EncodeDestination)) {
        fields->encoded.push_back(interner_.intern(destination.child(Field::Name).text()));
      }
    }
  }

  /// An argument, or what a variable is to be.
  void read_use(Node list) {
    for (Node value : list.children()) {
      const Node name = value.is(NodeKind::TaggedExpression) ? value.child(Field::Value) : value;
      if (AbsentFields* fields = name.is(NodeKind::Identifier) ? of(name) : nullptr) {
        fields->is_passed_on = true;
      }
    }
  }

  Interner& interner_;
  Node root_;
  std::vector<std::string_view> names_;
  AbsentFieldsOf::Value result_;
};

}  // namespace

auto AbsentFieldsOf::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  return AbsentFieldReader(context.service<Interner>(), names::item_node(*tree)).run();
}

}  // namespace tacet::check
