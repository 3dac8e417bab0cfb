#include "compiler/infer/interface.h"

#include <algorithm>

#include "compiler/types/queries.h"

namespace tacet::infer {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto read_tag(Node tags, std::string_view dimension, Interner& interner) -> Tag {
  Tag result;
  for (Node tag : tags.children()) {
    Node quotient_node = tag.is(NodeKind::Tag) ? tag.child(Field::Node) : Node();
    if (!quotient_node || quotient_node.child(Field::Dimension).text() != dimension) {
      continue;
    }
    result = {};
    result.node = tag.index();
    for (Node name : quotient_node.children(Field::Name)) {
      // Whoever else reads the name may come later.
      result.names.push_back(interner.intern(name.text()));
    }
    if (tag.child(Field::Quotient).text() == "none") {
      result.kind = Tag::Kind::None;
    } else if (!result.names.empty()) {
      result.kind = Tag::Kind::Node;
    }
  }
  return result;
}

auto Interface::is_whole() const -> bool {
  uint32_t next = first_number;
  for (const PortQuotient& result : result_quotients) {
    if (result.kind == PortQuotient::Kind::NoValue) {
      continue;
    }
    if (result.kind != PortQuotient::Kind::Ordinal || result.number != next++) {
      return false;
    }
  }
  return true;
}

namespace {

enum class Speaks : uint8_t { OfValues, OfHandles };

/// Goes through the ports of the parameters or of the results.
class PortReader {
 public:
  /// `spec` may be null.
  PortReader(query::Context& context, const types::Signature* spec, Speaks speaks)
      : types_(context.service<types::TypeStore>()),
        interner_(context.service<Interner>()),
        spec_(spec),
        speaks_(speaks) {}

  void read(types::TypeId type, uint32_t ordinal, Node node, bool is_parameter,
            std::vector<hir::Port>& ports, std::vector<PortQuotient>& quotients) {
    const bool of_values = speaks_ == Speaks::OfValues;
    const Tag tag = read_tag(node.child(Field::Tags), of_values ? "val" : "tmln", interner_);
    const std::vector<hir::Port> expanded = hir::expand(types_, type, ordinal);
    for (const hir::Port& port : expanded) {
      PortQuotient quotient;
      quotient.node = tag.node != hir::kNoNode ? tag.node : node.index();
      if (of_values && hir::is_value(types_, port.type)) {
        // Tags on an encoder, future or record are about the whole of it.
        say(expanded.size() == 1 ? tag : Tag(), is_parameter, quotient);
      } else if (!of_values && is_handle(types_, port.type)) {
        say(tag, is_parameter, quotient);
      }
      ports.push_back(port);
      quotients.push_back(quotient);
    }
  }
  void begin(uint32_t first_number) { next_ = first_number; }

 private:
  void say(const Tag& tag, bool is_parameter, PortQuotient& quotient) {
    using Kind = PortQuotient::Kind;
    const size_t n =
        spec_ == nullptr ? 0 : (is_parameter ? spec_->parameters.size() : spec_->results.size());
    if (tag.kind == Tag::Kind::None) {
      quotient.kind = Kind::None;
    } else if (tag.kind == Tag::Kind::Node) {
      quotient.kind = Kind::Named;
      quotient.name = tag.names[0];
      for (uint32_t i = 0; i < n; ++i) {
        const Name name = is_parameter ? spec_->parameters[i].name : spec_->results[i].name;
        if (name.has_value() && name == quotient.name) {
          quotient.kind = Kind::Ordinal;
          quotient.number = i;
          next_ = i + 1;
        }
      }
    } else {
      quotient.kind = next_ < n ? Kind::Ordinal : Kind::Surplus;
      quotient.number = next_++;
    }
  }

  const types::TypeStore& types_;
  Interner& interner_;
  const types::Signature* spec_;
  Speaks speaks_;
  uint32_t next_ = 0;
};

auto read_interface(query::Context& context, names::ItemId item, Speaks speaks)
    -> std::shared_ptr<const Interface> {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return nullptr;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  if (!signature || signature->is_device_function) {
    return nullptr;
  }
  auto result = std::make_shared<Interface>();
  result->spec = speaks == Speaks::OfValues ? signature->val : signature->tmln;
  // The first event that a timeline takes and gives is that of the coordinator itself.
  result->first_number = speaks == Speaks::OfValues ? 0 : 1;
  const auto spec =
      result->spec.has_value() ? context.get<types::SignatureOf>(result->spec) : nullptr;
  const names::ItemHead& head = context.get<names::HeadOfItem>(item);
  Node root = names::item_node(*head.tree);
  PortReader reader(context, spec.get(), speaks);
  reader.begin(result->first_number);
  uint32_t ordinal = 0;
  for (Node parameter : root.child(Field::Parameters).children()) {
    if (parameter.is(NodeKind::Parameter) && ordinal < signature->parameters.size()) {
      reader.read(signature->parameters[ordinal].type, ordinal, parameter, true, result->parameters,
                  result->parameter_quotients);
      ++ordinal;
    }
  }
  reader.begin(result->first_number);
  ordinal = 0;
  for (Node given : root.child(Field::Results).children()) {
    if (given.is(NodeKind::Result) && ordinal < signature->results.size()) {
      reader.read(signature->results[ordinal].type, ordinal, given, false, result->results,
                  result->result_quotients);
      ++ordinal;
    }
  }
  return result;
}

}  // namespace

auto is_handle(const types::TypeStore& types, types::TypeId type) -> bool {
  const types::TypeKind kind = types[type].kind;
  return kind == types::TypeKind::Encoder || kind == types::TypeKind::Future ||
         kind == types::TypeKind::Event;
}

auto InterfaceOf::compute(query::Context& context, const Key& item) -> Value {
  return read_interface(context, item, Speaks::OfValues);
}

auto TimelineInterfaceOf::compute(query::Context& context, const Key& item) -> Value {
  return read_interface(context, item, Speaks::OfHandles);
}

}  // namespace tacet::infer
