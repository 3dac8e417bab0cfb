#include "compiler/spec/fill/surroundings.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/find_hole.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/fill/callables_in_scope.h"

namespace tacet::fill {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

namespace {

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    names.emplace_back(name);
  }
}

auto contains(const std::vector<std::string>& names, std::string_view name) -> bool {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads what is around one hole.
class Reader {
 public:
  Reader(const program::FrontendSnapshot& snapshot, FileId file, names::ItemId item, uint32_t hole)
      : snapshot_(snapshot),
        file_(file),
        item_(item),
        tree_(snapshot.tree(item)),
        body_(snapshot.body(item)),
        signature_(snapshot.signature(item)),
        hole_(tree_.get(), hole),
        parents_(tree_->nodes.size(), 0) {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      for (const Node child : Node(tree_.get(), i).children()) {
        parents_[child.index()] = i;
      }
    }
  }

  auto run() -> Surroundings {
    const uint32_t begin = snapshot_.item_begin(item_);
    const Node function = names::item_node(*tree_);
    result_.hole = hole_.range().shifted(begin);
    result_.function = function.range().shifted(begin);
    const bool is_value = hole_.is(NodeKind::StatementHole) && hole_.field() == Field::Result;
    result_.kind = hole_.is(NodeKind::HoleStatement) ? HoleKind::Statements
                   : is_value                        ? HoleKind::Value
                                                     : HoleKind::Expression;
    result_.n_values = signature_->results.size();
    result_.item = item_;
    result_.is_device_function = signature_->is_device_function;
    const Node body = function.child(Field::Body);
    const auto n_inside = std::count_if(body.children().begin(), body.children().end(),
                                        [](Node child) { return syntax::is_named(child.kind()); });
    result_.is_whole_body = parent(hole_) == body && n_inside == 1;
    indent();
    if (result_.is_device_function) {
      return std::move(result_);
    }
    uses();
    variables();
    wanted();
    encoders();
    CallablesInScope callables = callables_in_scope(snapshot_, file_, *signature_);
    result_.kernels = std::move(callables.kernels);
    result_.callees = std::move(callables.callees);
    words();
    return std::move(result_);
  }

 private:
  auto parent(Node node) const -> Node { return {tree_.get(), parents_[node.index()]}; }

  /// What `node` is to what is around it, parentheses and tags aside.
  auto outer(Node node) const -> std::pair<Node, Field> {
    Node at = node;
    while (parent(at).is(NodeKind::ParenthesizedExpression) ||
           parent(at).is(NodeKind::TaggedExpression)) {
      at = parent(at);
    }
    return {parent(at), at.field()};
  }

  void indent() {
    const std::string_view text = tree_->text;
    const size_t line = text.rfind('\n', hole_.range().begin);
    const size_t begin = line == std::string_view::npos ? 0 : line + 1;
    const size_t end = std::min(text.find_first_not_of(" \t", begin), text.size());
    const bool is_alone = end == hole_.range().begin;
    result_.indent = std::string(text.substr(begin, end - begin)) + (is_alone ? "" : "    ");
  }

  /// Which futures hold what which encoder did, and what is read of them.
  void uses() {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      const Node node(tree_.get(), i);
      if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
        const std::string name(node.child(NodeKind::Binding).child(Field::Name).text());
        const Node value = syntax::bare(node.child(Field::Value));
        if (value.is(NodeKind::SubmitExpression)) {
          encoder_of_[name] = syntax::bare(value.child(Field::Operand)).text();
        } else if (value.is(NodeKind::AwaitExpression)) {
          future_of_[name] = awaited(value);
        }
      }
      if (node.is(NodeKind::SubmitExpression) || node.is(NodeKind::AwaitExpression)) {
        spent_.emplace(syntax::bare(node.child(Field::Operand)).text());
      }
    }
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      const Node node(tree_.get(), i);
      if (!node.is(NodeKind::FieldExpression)) {
        continue;
      }
      const Node record = syntax::bare(node.child(Field::Record));
      const std::string future = record.is(NodeKind::AwaitExpression)
                                     ? awaited(record)
                                     : future_of_[std::string(record.text())];
      add_once(read_anywhere_, node.child(Field::Field).text());
      const auto found = encoder_of_.find(future);
      const std::string encoder = found == encoder_of_.end() ? future : found->second;
      add_once(read_[encoder], node.child(Field::Field).text());
    }
  }

  /// The future of `await f`, or the encoder of `await submit e`.
  static auto awaited(Node await) -> std::string {
    const Node operand = syntax::bare(await.child(Field::Operand));
    return std::string(operand.is(NodeKind::SubmitExpression)
                           ? syntax::bare(operand.child(Field::Operand)).text()
                           : operand.text());
  }

  void variable(Node name, const Node& statement, types::TypeId type) {
    Variable variable;
    variable.name = std::string(name.text());
    if (variable.name.empty() || name.is(NodeKind::Wildcard) ||
        !seen_.insert(variable.name).second) {
      return;
    }
    const TypeKind kind = kind_of(type);
    variable.is_var = statement.is(NodeKind::VarStatement);
    variable.is_reference = kind == TypeKind::Reference;
    variable.is_encoder = kind == TypeKind::Encoder;
    variable.is_future = kind == TypeKind::Future;
    variable.is_spent = spent_.count(variable.name) != 0;
    if (kind == TypeKind::Record) {
      for (const types::RecordField& field :
           snapshot_.types().fields(snapshot_.types()[type].fields)) {
        variable.fields.emplace_back(snapshot_.interner().text(field.name));
      }
    }
    result_.variables.push_back(std::move(variable));
  }

  auto kind_of(types::TypeId type) const -> TypeKind {
    return type.has_value() ? snapshot_.types()[type].kind : TypeKind::Error;
  }

  auto type_of(Node name) const -> types::TypeId {
    const names::Resolution meaning = body_->names.of(name.index());
    return meaning.is(names::Meaning::Local) && meaning.index() < body_->local_types.size()
               ? body_->local_types[meaning.index()]
               : body_->type(name);
  }

  void variables() {
    for (Node at = hole_; at.index() != 0; at = parent(at)) {
      if (!parent(at).is(NodeKind::Block)) {
        continue;
      }
      std::vector<Node> before;
      for (const Node child : parent(at).children()) {
        if (child.index() < at.index()) {
          before.push_back(child);
        }
      }
      for (size_t i = before.size(); i-- > 0;) {
        const Node statement = before[i];
        if (!statement.is(NodeKind::LetStatement) && !statement.is(NodeKind::VarStatement)) {
          continue;
        }
        for (const Node child : statement.children()) {
          if (child.is(NodeKind::Binding)) {
            variable(child.child(Field::Name), statement, type_of(child.child(Field::Name)));
          }
        }
      }
    }
    const Node function = names::item_node(*tree_);
    for (const Node parameter : function.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter)) {
        variable(parameter.child(Field::Name), parameter, type_of(parameter.child(Field::Name)));
      }
    }
    for (size_t i = 0; i < signature_->n_dims; ++i) {
      dims_.push_back("_dim" + std::to_string(i));
    }
  }

  /// Is it the name of something on an encoder, or of a field, and not of a variable?
  auto is_elsewhere(Node name) const -> bool {
    const auto [around, role] = outer(name);
    if (around.is(NodeKind::EncodeDestination) || around.is(NodeKind::RecordField) ||
        (around.is(NodeKind::FieldExpression) && role == Field::Field)) {
      return true;
    }
    return around.is(NodeKind::Arguments) && is_kernel_call(parent(around));
  }

  auto is_kernel_call(Node call) const -> bool {
    const Node statement = outer(call).first;
    return statement.is(NodeKind::EncodeStatement) &&
           statement.child(Field::Method).text() == "call";
  }

  /// The names behind the hole that it declares, or that nothing declares.
  void wanted() {
    Node block = parent(hole_);
    for (uint32_t i = hole_.index() + 1; i < block.subtree_end(); ++i) {
      const Node name(tree_.get(), i);
      const names::Resolution meaning = body_->names.of(i);
      const names::Local* local = body_->names.local(i);
      const bool is_open = meaning.is(names::Meaning::Unknown) ||
                           (local != nullptr && local->declaration == hole_.index());
      if (!name.is(NodeKind::Identifier) || is_elsewhere(name)) {
        continue;
      }
      const auto [around, role] = outer(name);
      const bool is_changed =
          (around.is(NodeKind::AssignmentStatement) && role == Field::Target) ||
          (around.is(NodeKind::UnaryExpression) && around.child(Field::Operator).text() == "&");
      // What is changed and cannot be is meant to be another variable of that name.
      const bool is_hidden =
          is_changed && local != nullptr && local->node < hole_.index() &&
          (local->kind == names::LocalKind::Parameter || local->kind == names::LocalKind::Let) &&
          kind_of(type_of(name)) != TypeKind::Reference;
      if (!is_open && !is_hidden) {
        continue;
      }
      auto found = std::find_if(result_.wanted.begin(), result_.wanted.end(),
                                [&](const WantedName& one) { return one.name == name.text(); });
      if (found == result_.wanted.end()) {
        found = result_.wanted.insert(found, WantedName{.name = std::string(name.text())});
      }
      found->is_encoder = found->is_encoder || around.is(NodeKind::EncodeStatement) ||
                          around.is(NodeKind::SubmitExpression);
      found->is_future = found->is_future || around.is(NodeKind::AwaitExpression);
      found->is_record = found->is_record || around.is(NodeKind::FieldExpression);
      found->is_changed = found->is_changed || is_changed;
    }
  }

  void encoders() {
    for (Variable& variable : result_.variables) {
      Encoder encoder;
      encoder.name = variable.name;
      std::vector<std::string> used;
      std::vector<std::string> elsewhere;
      bool is_encoder = variable.is_encoder;
      for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
        const Node node(tree_.get(), i);
        if (node.is(NodeKind::SubmitExpression) &&
            syntax::bare(node.child(Field::Operand)).text() == encoder.name) {
          is_encoder = true;
        }
        if (!node.is(NodeKind::EncodeStatement) ||
            node.child(Field::Encoder).text() != encoder.name) {
          continue;
        }
        is_encoder = true;
        for (const Node child : node.children()) {
          if (child.is(NodeKind::EncodeDestination)) {
            add_once(i < hole_.index() ? encoder.encoded : elsewhere,
                     child.child(Field::Name).text());
          }
        }
        const Node call = syntax::bare(node.child(Field::Value));
        if (node.child(Field::Method).text() == "call" && i > hole_.index()) {
          for (const Node argument : call.child(Field::Arguments).children()) {
            if (syntax::bare(argument).is(NodeKind::Identifier)) {
              add_once(used, syntax::bare(argument).text());
            }
          }
        }
      }
      if (!is_encoder) {
        continue;
      }
      variable.is_encoder = true;
      encoder.read = read_[encoder.name];
      for (const std::string& name : encoder.read) {
        add_once(used, name);
      }
      for (const bool is_second : {false, true}) {
        for (const std::string& name : used) {
          if (!contains(encoder.encoded, name) && contains(elsewhere, name) == is_second) {
            add_once(encoder.missing, name);
          }
        }
      }
      for (const auto* names : {&elsewhere, &read_anywhere_}) {
        for (const std::string& name : *names) {
          if (!contains(encoder.encoded, name)) {
            add_once(encoder.missing, name);
          }
        }
      }
      add_fields_of_parameter(variable, encoder);
      result_.encoders.push_back(std::move(encoder));
    }
    for (Variable& variable : result_.variables) {
      variable.is_future = variable.is_future || encoder_of_.count(variable.name) != 0;
    }
  }

  /// What is on an encoder that comes in.
  void add_fields_of_parameter(const Variable& variable, Encoder& encoder) const {
    const types::TypeStore& store = snapshot_.types();
    for (const types::SignatureParameter& parameter : signature_->parameters) {
      if (!parameter.name.has_value() ||
          snapshot_.interner().text(parameter.name) != variable.name ||
          !parameter.type.has_value() || store[parameter.type].kind != TypeKind::Encoder) {
        continue;
      }
      const types::Type& record = store[store[parameter.type].element];
      if (record.kind == TypeKind::Record) {
        for (const types::RecordField& field : store.fields(record.fields)) {
          const std::string_view name = snapshot_.interner().text(field.name);
          if (!contains(encoder.encoded, name)) {
            add_once(encoder.missing, name);
          }
          add_once(encoder.encoded, name);
        }
      }
    }
  }

  void words_of(const syntax::Tree& tree) {
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const Node node(&tree, i);
      if (node.is(NodeKind::TemplateArguments)) {
        std::vector<std::string> grid;
        for (const Node child : node.children()) {
          if (syntax::is_named(child.kind())) {
            grid.emplace_back(child.text());
          }
        }
        if (std::find(result_.grids.begin(), result_.grids.end(), grid) == result_.grids.end()) {
          result_.grids.push_back(std::move(grid));
        }
      } else if (node.is(NodeKind::Integer) || node.is(NodeKind::Boolean) ||
                 node.is(NodeKind::Float)) {
        if (parents_.empty() || &tree != tree_.get()) {
          add_once(result_.literals, node.text());
        }
      } else if (node.is(NodeKind::RecordField)) {
        add_once(result_.fields, node.child(Field::Name).text());
      }
    }
  }

  void words() {
    if (!dims_.empty()) {
      result_.grids.push_back(dims_);
    }
    for (const names::FileItem& item : snapshot_.items(file_)->items) {
      if (item.kind == names::ItemKind::Type) {
        words_of_types(*snapshot_.tree(item.id));
      }
    }
    words_of(*tree_);
    if (signature_->val.has_value()) {
      words_of(*snapshot_.tree(signature_->val));
    }
  }

  void words_of_types(const syntax::Tree& tree) {
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const Node node(&tree, i);
      if (node.is(NodeKind::RecordField)) {
        add_once(result_.fields, node.child(Field::Name).text());
      }
    }
  }

  const program::FrontendSnapshot& snapshot_;
  FileId file_;
  names::ItemId item_;
  names::ItemTree tree_;
  check::BodyPtr body_;
  std::shared_ptr<const types::Signature> signature_;
  Node hole_;
  std::vector<uint32_t> parents_;
  Surroundings result_;
  std::set<std::string> seen_;
  std::set<std::string, std::less<>> spent_;
  std::map<std::string, std::string> encoder_of_;
  std::map<std::string, std::string> future_of_;
  std::map<std::string, std::vector<std::string>> read_;
  std::vector<std::string> read_anywhere_;
  std::vector<std::string> dims_;
};

/// The `schedule ?` of a function, whose hole is not a part of what is computed; empty without one.
auto open_schedule_of(Node function) -> TextRange {
  for (const Node child : function.children()) {
    if (child.is(NodeKind::OpenSchedule)) {
      return child.range();
    }
  }
  return {};
}

template <class Visit>
void each_hole(const program::FrontendSnapshot& snapshot, FileId file, Visit visit) {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn) {
      continue;
    }
    const names::ItemTree tree = snapshot.tree(item.id);
    const TextRange schedule = open_schedule_of(names::item_node(*tree));
    for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      if (syntax::is_hole(node) && !schedule.contains(node.range()) &&
          !visit(item.id, node, snapshot.item_begin(item.id))) {
        return;
      }
    }
  }
}

}  // namespace

auto surroundings_of(const program::FrontendSnapshot& snapshot, FileId file, TextRange within)
    -> std::optional<Surroundings> {
  std::optional<Surroundings> found;
  each_hole(snapshot, file, [&](names::ItemId item, Node node, uint32_t begin) {
    const TextRange range = node.range().shifted(begin);
    if (range.begin < within.begin || range.begin >= within.end) {
      return true;
    }
    found = Reader(snapshot, file, item, node.index()).run();
    return false;
  });
  return found;
}

auto hole_ranges(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<TextRange> {
  std::vector<TextRange> found;
  each_hole(snapshot, file, [&](names::ItemId, Node node, uint32_t begin) {
    found.push_back(node.range().shifted(begin));
    return true;
  });
  return found;
}

}  // namespace tacet::fill
