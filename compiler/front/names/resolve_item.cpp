#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

static void check_duplicate(Resolver& resolver, Node item_node);
static void specification(Resolver& resolver, Node spec);
static void function(Resolver& resolver, Node fn);
static void devices(Resolver& resolver, Node fn);
static void extern_item(Resolver& resolver, Node item_node);
static void implements(Resolver& resolver, Node fn);
static void report_missing_kinds(Resolver& resolver, Node fn, bool has_tmln, bool has_sptl,
                                 bool has_val);
static void schedule(Resolver& resolver, Node schedule);
static void open_schedule(Resolver& resolver, Node fn);
static void pipeline(Resolver& resolver, Node pipeline);
static void program(Resolver& resolver, Node body);

void item(Resolver& resolver, Node item_node) {
  if (Node name = item_name_node(item_node)) {
    set_item(resolver, name, resolver.item);
    check_duplicate(resolver, item_node);
  }
  switch (resolver.key.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      specification(resolver, item_node);
      return;
    case ItemKind::Fn:
      function(resolver, item_node);
      tags(resolver, item_node);
      return;
    case ItemKind::Test:
      block(resolver, item_node.child(Field::Body));
      return;
    case ItemKind::Extern:
      extern_item(resolver, item_node);
      return;
    case ItemKind::Type:
      type(resolver, item_node.child(Field::Type));
      return;
    case ItemKind::Const:
      expression(resolver, item_node.child(Field::Value));
      return;
    case ItemKind::Pipeline:
      pipeline(resolver, item_node);
      return;
    case ItemKind::Import:
      import(resolver, item_node);
      return;
    case ItemKind::Input:
      sizes_of_shape(resolver, item_node.child(Field::Shape));
      owner(resolver, item_node.child(Field::Owner));
      return;
    case ItemKind::Program:
      program(resolver, item_node);
      return;
    case ItemKind::Feq:
    case ItemKind::Party:
      return;
  }
}

/// The namespaces in which an item of `kind` must be the only one of its name.
static auto spaces_of(ItemKind kind, bool is_member) -> std::vector<Namespace> {
  switch (kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      return is_member ? std::vector{Namespace::Specification}
                       : std::vector{Namespace::Specification, Namespace::Class};
    case ItemKind::Extern:
      return is_member
                 ? std::vector{Namespace::Specification, Namespace::Callable}
                 : std::vector{Namespace::Specification, Namespace::Callable, Namespace::Class};
    case ItemKind::Feq:
      return {Namespace::Class};
    case ItemKind::Fn:
      return {Namespace::Callable};
    case ItemKind::Type:
      return {Namespace::Type};
    case ItemKind::Const:
      return {Namespace::Value};
    case ItemKind::Party:
      return {Namespace::Party};
    case ItemKind::Pipeline:
      return {Namespace::Pipeline};
    case ItemKind::Import:
    case ItemKind::Test:
    case ItemKind::Input:
    case ItemKind::Program:
      return {};
  }
  return {};
}

/// `a value specification`, `an input`.
static auto with_article(ItemKind kind) -> std::string {
  const std::string_view text = kind_text(kind);
  const bool begins_with_vowel = std::string_view("aeiou").find(text.front()) != text.npos;
  return fmt::format("{} {}", begins_with_vowel ? "an" : "a", text);
}

static void check_duplicate(Resolver& resolver, Node item_node) {
  if (is_instance(resolver.key) || is_size(resolver.key)) {
    return;  // which the file does not declare
  }
  Node name = item_name_node(item_node);
  ItemId first;
  if (resolver.key.kind == ItemKind::Input && resolver.key.ordinal > 0) {
    ItemKey key = resolver.key;
    key.ordinal = 0;
    first = resolver.table.intern(key);
  }
  const NameMeanings& meanings =
      resolver.context.get<MeaningsOfName>({resolver.key.file, resolver.key.name});
  for (Namespace space : spaces_of(resolver.key.kind, resolver.key.parent.has_value())) {
    // The first of the text, which is not the first of the scope: classes come first there.
    for (uint32_t i = 0; i < meanings.n_own; ++i) {
      const FileScope::Entry& entry = meanings.entries[i];
      const bool counts = entry.space == space && (space != Namespace::Class ||
                                                   !resolver.table[entry.item].parent.has_value());
      if (counts) {
        first = entry.item;
        break;
      }
    }
    if (first.has_value()) {
      break;
    }
  }
  if (!first.has_value() || first == resolver.item) {
    return;
  }
  Draft draft =
      resolver.report.add(DiagnosticCode::T1001, name.range(),
                          fmt::format("{} `{}` is declared twice", kind_text(resolver.key.kind),
                                      resolver.interner.text(resolver.key.name)));
  label_item(resolver, draft, first,
             fmt::format("first declared here, as {}", with_article(resolver.table[first].kind)));
}

static void declare_dims(Resolver& resolver) {
  uint32_t n_dims = 0;
  ItemId spec = resolver.item;
  if (resolver.key.kind == ItemKind::Fn) {
    spec = resolver.context.get<ImplementedBy>(resolver.item).val;
  }
  if (spec.has_value()) {
    if (const auto& equivalence_class = resolver.context.get<ClassOfItem>(spec)) {
      n_dims = equivalence_class->n_dims;
    }
  }
  static constexpr std::string_view kDims[] = {"_dim0", "_dim1", "_dim2", "_dim3", "_dim4",
                                               "_dim5", "_dim6", "_dim7", "_dim8", "_dim9"};
  for (uint32_t i = 0; i < n_dims; ++i) {
    const uint32_t local = add_local(resolver, Node(), LocalKind::Dim, i, Local::kNone);
    resolver.result.names.locals[local].name = resolver.interner.intern(kDims[i]);
    resolver.locals.declare(kDims[i], local);
  }
}

static void specification(Resolver& resolver, Node spec) {
  declare_dims(resolver);
  resolver.locals.enter();
  sizes(resolver, spec);
  parameters(resolver, spec.child(Field::Parameters));
  results(resolver, spec.child(Field::Results));
  constraints(resolver, spec.child(Field::Constraints));
  spec_block(resolver, spec.child(Field::Body));
  resolver.locals.leave();
}

static void function(Resolver& resolver, Node fn) {
  devices(resolver, fn);
  implements(resolver, fn);
  declare_dims(resolver);
  resolver.locals.enter();
  sizes(resolver, fn);
  parameters(resolver, fn.child(Field::Parameters));
  results(resolver, fn.child(Field::Results));
  constraints(resolver, fn.child(Field::Constraints));
  block(resolver, fn.child(Field::Body));
  schedule(resolver, fn.child(Field::Schedule));
  open_schedule(resolver, fn);
  resolver.locals.leave();
}

static void extern_item(Resolver& resolver, Node item_node) {
  device(resolver, item_node.child(Field::Device));
  resolver.locals.enter();
  parameters(resolver, item_node.child(Field::Parameters));
  results(resolver, item_node.child(Field::Results));
  for (Node resource : item_node.child(Field::Properties).children()) {
    for (Node property : resource.children()) {
      Node value = property.child(Field::Value);
      if (!value.is(NodeKind::Identifier)) {
        continue;
      }
      if (uint32_t local = resolver.locals.find(value.text()); local != LocalScopes::kNone) {
        set(resolver, value, Meaning::Local, local);
      }
    }
  }
  resolver.locals.leave();
}

/// `(he, mpc)`: a function may be for both devices that compute on secrets.
static void devices(Resolver& resolver, Node fn) {
  Node first;
  for (Node name : fn.children(Field::Device)) {
    device(resolver, name);
    Device found{};
    const bool is_known = find_device(name.text(), found);
    if (!first) {
      first = name;
      continue;
    }
    const auto is_shared = [](Node one) { return one.text() == "he" || one.text() == "mpc"; };
    Device ignored{};
    if (!is_known || !find_device(first.text(), ignored) ||
        (is_shared(first) && is_shared(name) && first.text() != name.text())) {
      continue;
    }
    resolver.report
        .add(DiagnosticCode::T1041, name.range(),
             first.text() == name.text()
                 ? fmt::format("device `{}` is named twice", name.text())
                 : fmt::format("a function cannot be for both `{}` and `{}`", first.text(),
                               name.text()))
        .note("a function for two devices is `fn(he, mpc)`");
  }
}

void device(Resolver& resolver, Node name) {
  if (!name) {
    return;
  }
  Device found{};
  if (find_device(name.text(), found)) {
    set(resolver, name, Meaning::Device, static_cast<uint32_t>(found));
    return;
  }
  set_unknown(resolver, name);
  Draft draft = resolver.report.add(DiagnosticCode::T1017, name.range(),
                                    fmt::format("unknown device `{}`", name.text()));
  draft.note("the devices are `cpu`, `gpu`, `he` and `mpc`");
  suggest(resolver, draft, name, {"cpu", "gpu", "he", "mpc"});
}

void owner(Resolver& resolver, Node name) {
  if (!name) {
    return;
  }
  if (name.text() == "client" || name.text() == "server") {
    set(resolver, name, Meaning::Party, name.text() == "server" ? 1 : 0);
  } else if (ItemId found = find_item(resolver, Namespace::Party, name); found.has_value()) {
    set_item(resolver, name, found);
  } else {
    unknown_party(resolver, name);
  }
}

static void implements(Resolver& resolver, Node fn) {
  bool has_tmln = false;
  bool has_sptl = false;
  bool has_val = false;
  bool has_mistake = false;
  Node first_of[3];
  for (Node name : fn.child(Field::Implements).children(Field::Specification)) {
    const ItemId found = find_item(resolver, Namespace::Specification, name);
    if (!found.has_value()) {
      unknown_specification(resolver, name);
      has_mistake = true;
      continue;
    }
    set_item(resolver, name, found);
    const ItemKind kind = resolver.table[found].kind;
    const size_t index = kind == ItemKind::Tmln ? 1 : kind == ItemKind::Sptl ? 2 : 0;
    bool& has = index == 1 ? has_tmln : index == 2 ? has_sptl : has_val;
    if (resolver.kind == BodyKind::Device && index != 0) {
      has_mistake = true;
      resolver.report
          .add(DiagnosticCode::T1012, name.range(),
               fmt::format(
                   "`{}` is a {}, but a device function implements at most one value specification",
                   name.text(), kind_text(kind)))
          .note("the function that encodes the call determines when and where it runs");
    } else if (has) {
      has_mistake = true;
      resolver.report
          .add(DiagnosticCode::T1013, name.range(),
               fmt::format("a second {}; a function implements only one of each kind",
                           kind == ItemKind::Extern ? kind_text(ItemKind::Val) : kind_text(kind)))
          .label(first_of[index].range(), "first one of this kind");
    } else {
      has = true;
      first_of[index] = name;
    }
  }
  if (!has_mistake && resolver.kind == BodyKind::Coordinator) {
    report_missing_kinds(resolver, fn, has_tmln, has_sptl, has_val);
  }
}

static void report_missing_kinds(Resolver& resolver, Node fn, bool has_tmln, bool has_sptl,
                                 bool has_val) {
  if (has_tmln && has_sptl && has_val) {
    return;
  }
  std::string missing;
  auto add = [&](bool has, std::string_view what) {
    if (!has) {
      missing += missing.empty() ? "" : ", ";
      missing += what;
    }
  };
  add(has_val, "value");
  add(has_tmln, "timeline");
  add(has_sptl, "spatial");
  Node list = fn.child(Field::Implements);
  Node name = fn.child(Field::Name);
  const TextRange place = list ? list.range() : name ? name.range() : fn.range();
  resolver.report
      .add(DiagnosticCode::T1011, place,
           fmt::format("function `{}` implements no {} specification", name.text(), missing))
      .note(
          "a coordinator function implements one `val`, one `tmln` and one `sptl`: `impls v, t, "
          "s`");
}

/// Only what is encrypted has a layout.
static void open_schedule(Resolver& resolver, Node fn) {
  bool is_encrypted = false;
  Node open;
  for (const Node child : fn.children()) {
    is_encrypted = is_encrypted || (child.field() == Field::Device && child.text() == "he");
    open = child.is(NodeKind::OpenSchedule) ? child : open;
  }
  if (open && !is_encrypted) {
    resolver.report
        .add(DiagnosticCode::T6041, open.range(),
             "`schedule ?` has no effect: only functions on `he` have a layout")
        .fix("remove it", Applicability::Safe, {{open.range(), ""}});
  }
}

/// Schedules pin the layout of arrays: parameters and names bound in the body.
static void schedule(Resolver& resolver, Node schedule) {
  for (Node entry : schedule.children()) {
    Node site = entry.child(Field::Site);
    if (!site) {
      continue;
    }
    const std::vector<Local>& locals = resolver.result.names.locals;
    const Name name = resolver.interner.intern(site.text());
    auto found = std::find_if(locals.begin(), locals.end(),
                              [&](const Local& local) { return local.name == name; });
    if (found != locals.end()) {
      set(resolver, site, Meaning::Local, static_cast<uint32_t>(found - locals.begin()));
      continue;
    }
    set_unknown(resolver, site);
    Draft draft = resolver.report.add(
        DiagnosticCode::T1018, site.range(),
        fmt::format("the schedule mentions `{}`, which is not an array of this function",
                    site.text()));
    std::vector<std::string_view> candidates;
    for (const Local& local : locals) {
      if (local.name.has_value()) {
        candidates.push_back(resolver.interner.text(local.name));
      }
    }
    suggest(resolver, draft, site, candidates);
  }
}

static void pipeline(Resolver& resolver, Node pipeline) {
  Node entry = pipeline.child(Field::Entry);
  if (!entry) {
    return;
  }
  const ItemId found = find_item(resolver, Namespace::Callable, entry);
  if (found.has_value() && resolver.table[found].kind == ItemKind::Fn) {
    set_item(resolver, entry, found);
  } else {
    unknown_entry(resolver, entry);
  }
}

static void program(Resolver& resolver, Node body) {
  uint32_t n_sizes = 0;
  for (const Name size : sizes_of_program(resolver.context, resolver.item)) {
    const uint32_t local = add_local(resolver, Node(), LocalKind::Size, n_sizes++, Local::kNone);
    resolver.result.names.locals[local].name = size;
    resolver.locals.declare(resolver.interner.text(size), local);
  }
  uint32_t ordinal = 0;
  for (const FileItem& input : resolver.context.get<ItemsOfFile>(resolver.key.file)->items) {
    if (input.kind == ItemKind::Input && input.name.has_value()) {
      const uint32_t local =
          add_local(resolver, Node(), LocalKind::Parameter, ordinal++, Local::kNone);
      resolver.result.names.locals[local].name = input.name;
      resolver.locals.declare(resolver.interner.text(input.name), local);
    }
  }
  resolver.locals.enter();
  expression(resolver, body);
  resolver.locals.leave();
}

}  // namespace tacet::names
