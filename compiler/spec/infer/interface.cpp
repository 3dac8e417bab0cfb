#include "compiler/spec/infer/interface.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/front/flow/needed_parameters.h"
#include "compiler/front/flow/read_flow.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/spec_graph.h"

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
      // Other readers of the name may come later.
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
    if (result.kind == PortQuotient::Kind::NoValue || result.kind == PortQuotient::Kind::Dropped) {
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
      is_said_ = false;
      if (of_values && hir::is_value(types_, port.type)) {
        if (is_dropped_.contains(static_cast<uint32_t>(quotients.size()))) {
          quotient.kind = PortQuotient::Kind::Dropped;
        } else if (const Node said = is_parameter ? entry_tags(port) : Node()) {
          say_of_field(said, quotient);
        } else {
          // Tags on an encoder, future or record are about the whole of it.
          say(expanded.size() == 1 ? tag : Tag(), is_parameter, quotient);
        }
      } else if (!of_values && is_handle(types_, port.type)) {
        say(tag, is_parameter, quotient);
      }
      if (is_said_) {
        said_.insert(static_cast<uint32_t>(quotients.size()));
      }
      ports.push_back(port);
      quotients.push_back(quotient);
    }
  }
  void begin(uint32_t first_number) {
    next_ = first_number;
    said_.clear();
  }
  /// The ports whose tags say which node they are.
  [[nodiscard]] auto said() const -> const std::unordered_set<uint32_t>& { return said_; }

  /// Fields have their tags where the body begins: `@in { e.y: none(val)-dead };`.
  void read_entry(Node root) {
    std::vector<std::string_view> names;
    for (Node parameter : root.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter)) {
        names.push_back(parameter.child(Field::Name).text());
      }
    }
    for (Node statement : root.child(Field::Body).children()) {
      if (!syntax::is_named(statement.kind())) {
        continue;
      }
      if (!statement.is(NodeKind::AnnotationStatement)) {
        return;
      }
      for (Node annotation : statement.children()) {
        const Node key = annotation.child(Field::Key);
        const auto found = std::find(names.begin(), names.end(), key.child(Field::Name).text());
        if (statement.child(Field::Place).text() == "in" && key.child(Field::Field) &&
            found != names.end()) {
          entry_tags_.push_back({static_cast<uint32_t>(found - names.begin()), annotation});
        }
      }
    }
  }
  void drop(std::unordered_set<uint32_t> ports) { is_dropped_ = std::move(ports); }

 private:
  struct EntryTags {
    uint32_t ordinal = 0;
    Node annotation;
  };

  [[nodiscard]] auto entry_tags(const hir::Port& port) const -> Node {
    for (const EntryTags& tags : entry_tags_) {
      const Node key = tags.annotation.child(Field::Key);
      if (port.field.has_value() && tags.ordinal == port.ordinal &&
          interner_.text(port.field) == key.child(Field::Field).text()) {
        return tags.annotation;
      }
    }
    return {};
  }

  void say_of_field(Node annotation, PortQuotient& quotient) {
    const auto stated = flow::read_flow(annotation, flow::Dimension::Val);
    const Tag tag = read_tag(annotation, "val", interner_);
    if (stated && stated->flow == flow::Flow::Dead) {
      quotient.kind = PortQuotient::Kind::Dropped;
      return;
    }
    quotient.node = tag.node != hir::kNoNode ? tag.node : quotient.node;
    say(tag, true, quotient);
  }

  void say(const Tag& tag, bool is_parameter, PortQuotient& quotient) {
    using Kind = PortQuotient::Kind;
    const size_t n =
        spec_ == nullptr ? 0 : (is_parameter ? spec_->parameters.size() : spec_->results.size());
    if (tag.kind == Tag::Kind::None) {
      quotient.kind = Kind::None;
    } else if (tag.kind == Tag::Kind::Node) {
      is_said_ = true;
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
  bool is_said_ = false;
  std::unordered_set<uint32_t> said_;
  std::vector<EntryTags> entry_tags_;
  std::unordered_set<uint32_t> is_dropped_;
};

auto has_fields(const std::vector<hir::Port>& ports) -> bool {
  return std::any_of(ports.begin(), ports.end(),
                     [](const hir::Port& port) { return port.field.has_value(); });
}

/// How many ports more there are than the specification has inputs or outputs, and which ones are
/// fields, which may be left out.
struct Surplus {
  size_t n = 0;
  std::vector<uint32_t> fields = {};
};

auto surplus_of(const std::vector<hir::Port>& ports, const std::vector<PortQuotient>& quotients,
                const std::unordered_set<uint32_t>& said, size_t n_known) -> Surplus {
  using Kind = PortQuotient::Kind;
  Surplus result;
  size_t n_ports = 0;
  for (uint32_t i = 0; i < quotients.size(); ++i) {
    const Kind kind = quotients[i].kind;
    if (kind != Kind::Ordinal && kind != Kind::Surplus) {
      continue;
    }
    ++n_ports;
    result.n += kind == Kind::Surplus ? 1 : 0;
    if (ports[i].field.has_value() && !said.contains(i)) {
      result.fields.push_back(i);
    }
  }
  // What a tag says is taken from what is left for the others.
  result.n = std::max(result.n, n_ports - std::min(n_ports, n_known));
  return result;
}

/// Of parameters: those that nobody looks at first, then those that are given back as they are.
auto dropped_parameters(query::Context& context, names::ItemId item, Surplus surplus)
    -> std::unordered_set<uint32_t> {
  const flow::NeededParametersOf::Value& needed = context.get<flow::NeededParametersOf>(item);
  auto need = [&](uint32_t port) { return port < needed.size() ? needed[port] : flow::Need::Read; };
  std::stable_sort(surplus.fields.begin(), surplus.fields.end(),
                   [&](uint32_t a, uint32_t b) { return need(a) < need(b); });
  surplus.fields.resize(std::min(surplus.fields.size(), surplus.n));
  return {surplus.fields.begin(), surplus.fields.end()};
}

/// Of results: from the left, but for those that are given back as they came in where the
/// specification does the same.
auto dropped_results(query::Context& context, names::ItemId item, const Interface& interface,
                     const Surplus& surplus) -> std::unordered_set<uint32_t> {
  const auto specification = context.get<SpecificationOf>(interface.spec);
  const flow::GivenBackOf::Value& sources = context.get<flow::GivenBackOf>(item);
  std::unordered_set<uint32_t> result(
      surplus.fields.begin(),
      surplus.fields.begin() + static_cast<ptrdiff_t>(std::min(surplus.fields.size(), surplus.n)));
  if (!specification || !specification->graph) {
    return result;
  }
  const SpecGraph& spec = *specification->graph;
  auto fits = [&](uint32_t port, SpecNodeId output) {
    const uint32_t source = port < sources.size() ? sources[port] : hir::kNoNode;
    const bool is_input = spec.nodes[output].term.kind == TermKind::Input;
    if (source == hir::kNoNode || source >= interface.parameter_quotients.size()) {
      return !is_input;
    }
    const PortQuotient& given = interface.parameter_quotients[source];
    return given.kind == PortQuotient::Kind::Ordinal && given.number < spec.inputs.size() &&
           spec.inputs[given.number] == output;
  };
  // From the right, each output is the next result that it fits.
  std::unordered_set<uint32_t> left_out;
  size_t n_open = spec.outputs.size();
  for (uint32_t port = static_cast<uint32_t>(interface.results.size()); port-- > 0;) {
    const PortQuotient::Kind kind = interface.result_quotients[port].kind;
    if (kind != PortQuotient::Kind::Ordinal && kind != PortQuotient::Kind::Surplus) {
      continue;
    }
    if (n_open > 0 && fits(port, spec.outputs[n_open - 1])) {
      --n_open;
    } else if (interface.results[port].field.has_value()) {
      left_out.insert(port);
    } else {
      return result;
    }
  }
  return n_open == 0 && left_out.size() == surplus.n ? left_out : result;
}

/// Reads the ports of one function's head into its interface.
class HeadReader {
 public:
  /// `spec` may be null.
  HeadReader(query::Context& context, names::ItemId item, const types::Signature& signature,
             const types::Signature* spec, Speaks speaks, Interface& interface)
      : context_(context),
        item_(item),
        signature_(signature),
        spec_(speaks == Speaks::OfValues ? spec : nullptr),
        head_(context.get<names::HeadOfItem>(item).tree),
        root_(names::item_node(*head_)),
        reader_(context, spec, speaks),
        interface_(interface) {}

  void parameters() {
    read_parameters();
    if (spec_ == nullptr || !has_fields(interface_.parameters)) {
      return;
    }
    reader_.read_entry(names::item_node(*context_.get<names::SyntaxOfItem>(item_)));
    read_parameters();
    const Surplus surplus = surplus_of(interface_.parameters, interface_.parameter_quotients,
                                       reader_.said(), spec_->parameters.size());
    if (surplus.n > 0 && !surplus.fields.empty()) {
      reader_.drop(dropped_parameters(context_, item_, surplus));
      read_parameters();
      reader_.drop({});
    }
  }

  void results() {
    read_results();
    if (spec_ == nullptr || !has_fields(interface_.results)) {
      return;
    }
    const Surplus surplus = surplus_of(interface_.results, interface_.result_quotients,
                                       reader_.said(), spec_->results.size());
    if (surplus.n > 0 && !surplus.fields.empty()) {
      reader_.drop(dropped_results(context_, item_, interface_, surplus));
      read_results();
    }
  }

 private:
  void read_parameters() {
    interface_.parameters.clear();
    interface_.parameter_quotients.clear();
    reader_.begin(interface_.first_number);
    uint32_t ordinal = 0;
    for (Node parameter : root_.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter) && ordinal < signature_.parameters.size()) {
        reader_.read(signature_.parameters[ordinal].type, ordinal, parameter, true,
                     interface_.parameters, interface_.parameter_quotients);
        ++ordinal;
      }
    }
  }

  void read_results() {
    interface_.results.clear();
    interface_.result_quotients.clear();
    reader_.begin(interface_.first_number);
    uint32_t ordinal = 0;
    for (Node given : root_.child(Field::Results).children()) {
      if (given.is(NodeKind::Result) && ordinal < signature_.results.size()) {
        reader_.read(signature_.results[ordinal].type, ordinal, given, false, interface_.results,
                     interface_.result_quotients);
        ++ordinal;
      }
    }
  }

  query::Context& context_;
  names::ItemId item_;
  const types::Signature& signature_;
  /// The specification whose inputs and outputs fields may be; null if there are none.
  const types::Signature* spec_;
  names::ItemTree head_;
  Node root_;
  PortReader reader_;
  Interface& interface_;
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
  HeadReader reader(context, item, *signature, spec.get(), speaks, *result);
  reader.parameters();
  reader.results();
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
