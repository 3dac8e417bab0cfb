#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::ItemId;
using names::ItemKind;
using types::Signature;
using types::TypeStore;

static void dims_of_class(Checker& checker, Node root);
static void resource(Checker& checker, Node resource);

/// All members of a class have the same signature. Members are compared with the first one, and a
/// difference is reported at the later one.
void class_member(Checker& checker, Node root) {
  if (!checker.key.parent.has_value() || checker.key.kind == ItemKind::Feq) {
    return;
  }
  const auto& equivalence_class = checker.context.get<names::ClassOfItem>(checker.key.parent);
  if (equivalence_class->members.empty() || equivalence_class->members.front() == checker.item) {
    return;
  }
  const ItemId first = equivalence_class->members.front();
  const Signature& model = *checker.context.get<types::SignatureOf>(first);
  auto same = [&](const auto& mine, const auto& theirs) {
    return mine.size() == theirs.size() &&
           std::equal(mine.begin(), mine.end(), theirs.begin(), [&](const auto& a, const auto& b) {
             return checker.inference.unify(checker.inference.term(a.type),
                                            checker.inference.term(b.type));
           });
  };
  const bool has_same_parameters = same(checker.signature.parameters, model.parameters);
  const bool has_same_results = same(checker.signature.results, model.results);
  const std::string_view name = names::item_name_node(root).text();
  const TextRange place = names::item_name_range(root);
  if (!has_same_parameters || !has_same_results) {
    Node list = root.child(has_same_parameters ? Field::Results : Field::Parameters);
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2017, list ? list.range() : place,
                           fmt::format("{} has different {} from the other members of its class",
                                       name.empty() ? "this member" : fmt::format("`{}`", name),
                                       has_same_parameters ? "results" : "parameters"));
    // A broken member may have no name.
    const Name first_name = checker.table[first].name;
    const std::string_view shown =
        first_name.has_value() ? checker.interner.text(first_name) : std::string_view();
    label_item(
        checker, draft, first,
        fmt::format("`{}`", types::signature_text(checker.types, checker.interner, model, shown)));
    draft.note("all members of a class compute the same function");
    return;
  }
  dims_of_class(checker, root);
}

/// The device externs of a class run on grids of the same number of dimensions.
static void dims_of_class(Checker& checker, Node root) {
  if (checker.key.kind != ItemKind::Extern) {
    return;
  }
  const uint32_t mine = names::declared_dims(checker.context.get<names::HeadOfItem>(checker.item));
  if (mine == 0) {
    return;
  }
  for (ItemId member : checker.context.get<names::ClassOfItem>(checker.key.parent)->members) {
    if (member == checker.item) {
      return;
    }
    const uint32_t other = names::declared_dims(checker.context.get<names::HeadOfItem>(member));
    if (other != 0 && other != mine) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2017, names::item_name_range(root),
          fmt::format("this extern has {} dimensions, but another extern of its class has {}", mine,
                      other));
      label_item(checker, draft, member, "the other extern");
      return;
    }
  }
}

/// A GPU extern without properties.
static void missing_properties(syntax::Node root, names::Report& report) {
  report
      .add(DiagnosticCode::T2022, names::item_name_range(root), "a GPU extern must name its kernel")
      .note(
          "write `{ path: \"kernel.comp\", entry: \"main\", dimensions: 1, … }`, with one "
          "block for each buffer");
}

namespace {

constexpr std::string_view kExternKeys[] = {"path", "entry", "dimensions"};
constexpr size_t kDimensionsKey = 2;

/// Which properties an extern has.
struct ExternProperties {
  std::array<bool, std::size(kExternKeys)> has_key = {};
  bool has_mistake = false;
};

}  // namespace

/// Reads `key: value` and reports what is wrong with it.
static void extern_property(syntax::Node key, syntax::Node value, ExternProperties& properties,
                            names::Report& report) {
  const auto* found = std::find(std::begin(kExternKeys), std::end(kExternKeys), key.text());
  if (found == std::end(kExternKeys)) {
    properties.has_mistake = true;
    report
        .add(DiagnosticCode::T2022, key.range(),
             fmt::format("unknown extern property `{}`", key.text()))
        .note(
            "an extern has the properties `path`, `entry` and `dimensions`, and one block for "
            "each buffer");
    return;
  }
  const auto index = static_cast<size_t>(found - std::begin(kExternKeys));
  properties.has_key[index] = true;
  const bool wants_number = index == kDimensionsKey;
  if (value && !value.is(wants_number ? syntax::NodeKind::Integer : syntax::NodeKind::String)) {
    properties.has_mistake = true;
    report.add(DiagnosticCode::T2022, value.range(),
               fmt::format("`{}` must be {}", key.text(), wants_number ? "a number" : "a string"));
  } else if (wants_number && value && names::parse_integer(value.text()).value_or(99) > 10) {
    report.add(DiagnosticCode::T2023, value.range(), "a grid has at most ten dimensions");
  }
}

/// The keys that an extern lacks, for a message.
static auto missing_keys(const ExternProperties& properties) -> std::string {
  std::string missing;
  for (size_t i = 0; i < std::size(kExternKeys); ++i) {
    if (!properties.has_key[i]) {
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", kExternKeys[i]);
    }
  }
  return missing;
}

/// What the externs of a GPU say about their kernels.
void extern_properties(Checker& checker, Node root) {
  Node list = root.child(Field::Properties);
  const bool needs_all =
      checker.signature.device == names::Device::Gpu && checker.tree.errors.empty();
  if (!list) {
    if (needs_all) {
      missing_properties(root, checker.report);
    }
    return;
  }
  ExternProperties properties;
  for (Node child : list.children()) {
    Node key = child.child(Field::Key);
    if (child.is(NodeKind::ExternResource)) {
      resource(checker, child);
    } else if (child.is(NodeKind::ExternProperty) && key) {
      extern_property(key, child.child(Field::Value), properties, checker.report);
    }
  }
  const std::string missing = missing_keys(properties);
  if (!missing.empty() && needs_all && !properties.has_mistake) {
    checker.report
        .add(DiagnosticCode::T2022, names::item_name_range(root),
             fmt::format("missing extern properties: {}", missing))
        .note(
            "`path` is the kernel's file, `entry` its function, and `dimensions` the number of "
            "dimensions of its grid");
  }
}

/// Has the extern a parameter or result that a buffer with this role may be? Results without
/// names may be called anything.
static auto has_port(const Signature& signature, std::string_view role, Name name) -> bool {
  auto is_it = [&](const auto& entry) { return entry.name == name; };
  if (role == "input") {
    return std::any_of(signature.parameters.begin(), signature.parameters.end(), is_it);
  }
  return std::any_of(signature.results.begin(), signature.results.end(),
                     [&](const auto& entry) { return is_it(entry) || !entry.name.has_value(); });
}

namespace {

/// Which properties a buffer has.
struct BufferProperties {
  bool has_binding = false;
  bool has_group = false;
  uint32_t n_roles = 0;
};

}  // namespace

/// Reports what a buffer lacks, or has too much of.
static void incomplete_buffer(syntax::Node resource, const BufferProperties& buffer,
                              names::Report& report) {
  const bool is_placed = buffer.has_binding && buffer.has_group;
  if (is_placed && buffer.n_roles == 1) {
    return;
  }
  const syntax::Node name = resource.child(syntax::Field::Name);
  report
      .add(DiagnosticCode::T2022, name ? name.range() : resource.range(),
           !is_placed            ? fmt::format("missing buffer property `{}`",
                                    buffer.has_binding ? "group" : "binding")
           : buffer.n_roles == 0 ? "the buffer has neither an `input` nor an `output`"
                                 : "the buffer has more than one `input` or `output`")
      .note(
          "write `{ group: g, binding: b, input: parameter }`, or `output: result` instead of "
          "`input`");
}

/// `in { group: 0, binding: 1, input: a }`: one buffer of a kernel.
static void resource(Checker& checker, Node resource) {
  BufferProperties buffer;
  for (Node property : resource.children()) {
    Node key = property.child(Field::Key);
    Node value = property.child(Field::Value);
    if (!property.is(NodeKind::ExternProperty) || !key) {
      continue;
    }
    const std::string_view word = key.text();
    const bool is_number = word == "binding" || word == "group";
    const bool is_role = word == "input" || word == "output";
    buffer.has_binding = buffer.has_binding || word == "binding";
    buffer.has_group = buffer.has_group || word == "group";
    buffer.n_roles += is_role ? 1 : 0;
    if (!is_number && !is_role) {
      checker.report
          .add(DiagnosticCode::T2022, key.range(),
               fmt::format("unknown buffer property `{}`", word))
          .note("a buffer has the properties `group`, `binding`, and `input` or `output`");
      return;
    }
    if (value && value.is(NodeKind::Integer) != is_number) {
      checker.report.add(DiagnosticCode::T2022, value.range(),
                         fmt::format("`{}` must be {}", word,
                                     is_number ? "a number" : "the name of a parameter or result"));
      return;
    }
    if (is_role && value &&
        !has_port(checker.signature, word, checker.interner.intern(value.text()))) {
      checker.report.add(DiagnosticCode::T2022, value.range(),
                         fmt::format("the extern has no {} `{}`",
                                     word == "input" ? "parameter" : "result", value.text()));
      return;
    }
  }
  if (checker.tree.errors.empty()) {
    incomplete_buffer(resource, buffer, checker.report);
  }
}

}  // namespace tacet::check
