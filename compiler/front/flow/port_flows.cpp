#include "compiler/front/flow/port_flows.h"

#include "compiler/core/syntax/walk.h"
#include "compiler/front/flow/read_flow.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::flow {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Goes through the ports of a function, whose tree may be its head alone.
class PortReader {
 public:
  PortReader(query::Context& context, const types::Signature& signature, Node root)
      : types_(context.service<types::TypeStore>()),
        interner_(context.service<Interner>()),
        signature_(signature),
        root_(root) {}

  void read_head() {
    for (Node parameter : root_.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter) && parameters_.size() < signature_.parameters.size()) {
        const types::TypeId type = signature_.parameters[parameters_.size()].type;
        parameters_.push_back({.node = parameter, .first_port = flows_.parameters.size()});
        parameters_.back().ports = add_ports(type, parameter.child(Field::Tags), flows_.parameters);
        for (const hir::Port& port : parameters_.back().ports) {
          has_fields_ = has_fields_ || port.field.has_value();
        }
      }
    }
    size_t n_results = 0;
    for (Node given : root_.child(Field::Results).children()) {
      if (given.is(NodeKind::Result) && n_results < signature_.results.size()) {
        add_ports(signature_.results[n_results++].type, given.child(Field::Tags), flows_.results);
      }
    }
  }

  [[nodiscard]] auto has_fields() const -> bool { return has_fields_; }

  /// Annotations `@in` in front of everything else: `@in { e.x: none(val)-dead };`.
  void read_entry(Node body) {
    visit_entry_annotations(body, [&](Node annotation) { read_annotation(annotation); });
  }

  auto take() -> PortFlows { return std::move(flows_); }

 private:
  struct Parameter {
    Node node;
    size_t first_port = 0;
    std::vector<hir::Port> ports = {};
  };

  auto add_ports(types::TypeId type, Node tags, std::vector<Flows>& flows)
      -> std::vector<hir::Port> {
    std::vector<hir::Port> ports = hir::expand(types_, type, 0);
    for (const hir::Port& port : ports) {
      const Flows usual = flows_of_type(types_, port.type);
      // Tags on an encoder, future or record are about the whole of it.
      flows.push_back(port.field.has_value() ? usual : with_stated(usual, tags));
    }
    return ports;
  }

  void read_annotation(Node annotation) {
    Node key = annotation.child(Field::Key);
    Node field = key.child(Field::Field);
    if (!field) {
      return;
    }
    for (const Parameter& parameter : parameters_) {
      if (parameter.node.child(Field::Name).text() != key.child(Field::Name).text()) {
        continue;
      }
      for (size_t i = 0; i < parameter.ports.size(); ++i) {
        if (parameter.ports[i].field == interner_.find(field.text())) {
          Flows& flows = flows_.parameters[parameter.first_port + i];
          flows = with_stated(flows, annotation);
        }
      }
    }
  }

  const types::TypeStore& types_;
  const Interner& interner_;
  const types::Signature& signature_;
  Node root_;
  std::vector<Parameter> parameters_;
  bool has_fields_ = false;
  PortFlows flows_;
};

}  // namespace

auto PortFlowsOf::compute(query::Context& context, const Key& item) -> Value {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return nullptr;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  if (!signature || signature->is_device_function) {
    return nullptr;
  }
  const names::ItemHead& head = context.get<names::HeadOfItem>(item);
  PortReader reader(context, *signature, names::item_node(*head.tree));
  reader.read_head();
  if (reader.has_fields()) {
    const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
    reader.read_entry(names::item_node(*tree).child(Field::Body));
  }
  return std::make_shared<const PortFlows>(reader.take());
}

}  // namespace tacet::flow
