#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

void Resolver::item(Node item_node) {
  if (Node name = item_name_node(item_node)) {
    set_item(name, item_);
    check_duplicate(item_node);
  }
  switch (key_.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      specification(item_node);
      return;
    case ItemKind::Fn:
      function(item_node);
      tags(item_node);
      return;
    case ItemKind::Test:
      block(item_node.child(Field::Body));
      return;
    case ItemKind::Extern:
      extern_item(item_node);
      return;
    case ItemKind::Type:
      type(item_node.child(Field::Type));
      return;
    case ItemKind::Const:
      expression(item_node.child(Field::Value));
      return;
    case ItemKind::Pipeline:
      pipeline(item_node);
      return;
    case ItemKind::Import:
      import(item_node);
      return;
    case ItemKind::Input:
      owner(item_node.child(Field::Owner));
      return;
    case ItemKind::Program:
      program(item_node);
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

void Resolver::check_duplicate(Node item_node) {
  Node name = item_name_node(item_node);
  ItemId first;
  if (key_.kind == ItemKind::Input && key_.ordinal > 0) {
    ItemKey key = key_;
    key.ordinal = 0;
    first = table_.intern(key);
  }
  for (Namespace space : spaces_of(key_.kind, key_.parent.has_value())) {
    // The first of the text, which is not the first of the scope: classes come first there.
    for (const FileScope::Entry& entry : scope_.own->find(space, key_.name)) {
      const bool counts = space != Namespace::Class || !table_[entry.item].parent.has_value();
      if (counts) {
        first = entry.item;
        break;
      }
    }
    if (first.has_value()) {
      break;
    }
  }
  if (!first.has_value() || first == item_) {
    return;
  }
  Draft draft = report_.add(
      DiagnosticCode::T1001, name.range(),
      fmt::format("{} `{}` is declared twice", kind_text(key_.kind), interner_.text(key_.name)));
  label_item(draft, first,
             fmt::format("first declared here, as {}", with_article(table_[first].kind)));
}

void Resolver::declare_dims() {
  uint32_t n_dims = 0;
  ItemId spec = item_;
  if (key_.kind == ItemKind::Fn) {
    spec = context_.get<ImplementedBy>(item_).val;
  }
  if (spec.has_value()) {
    if (const auto& equivalence_class = context_.get<ClassOfItem>(spec)) {
      n_dims = equivalence_class->n_dims;
    }
  }
  static constexpr std::string_view kDims[] = {"_dim0", "_dim1", "_dim2", "_dim3", "_dim4",
                                               "_dim5", "_dim6", "_dim7", "_dim8", "_dim9"};
  for (uint32_t i = 0; i < n_dims; ++i) {
    const uint32_t local = add_local(Node(), LocalKind::Dim, i, Local::kNone);
    result_.names.locals[local].name = interner_.intern(kDims[i]);
    locals_.declare(kDims[i], local);
  }
}

void Resolver::parameters(Node list) {
  uint32_t ordinal = 0;
  for (Node parameter : children_of(list, NodeKind::Parameter)) {
    type(parameter.child(Field::Type));
    if (Node bound = parameter.child(Field::Bound)) {
      expression(bound.child(Field::Lower));
      expression(bound.child(Field::Upper));
    }
    owner(parameter.child(Field::Owner));
    Node name = parameter.child(Field::Name);
    if (name && locals_.is_declared_here(name.text())) {
      const Local& first = result_.names.locals[locals_.find(name.text())];
      report_
          .add(DiagnosticCode::T1002, name.range(),
               fmt::format("parameter `{}` is declared twice", name.text()))
          .label(node(first.node).range(), "first declared here");
    }
    declare(name, LocalKind::Parameter, ordinal, parameter.index());
    ++ordinal;
  }
}

void Resolver::results(Node list) {
  for (Node result : children_of(list, NodeKind::Result)) {
    type(result.child(Field::Type));
    owner(result.child(Field::Owner));
  }
}

void Resolver::specification(Node spec) {
  declare_dims();
  locals_.enter();
  parameters(spec.child(Field::Parameters));
  results(spec.child(Field::Results));
  spec_block(spec.child(Field::Body));
  locals_.leave();
}

void Resolver::function(Node fn) {
  device(fn.child(Field::Device));
  implements(fn);
  declare_dims();
  locals_.enter();
  parameters(fn.child(Field::Parameters));
  results(fn.child(Field::Results));
  block(fn.child(Field::Body));
  schedule(fn.child(Field::Schedule));
  locals_.leave();
}

void Resolver::extern_item(Node item_node) {
  device(item_node.child(Field::Device));
  locals_.enter();
  parameters(item_node.child(Field::Parameters));
  results(item_node.child(Field::Results));
  for (Node resource : item_node.child(Field::Properties).children()) {
    for (Node property : resource.children()) {
      Node value = property.child(Field::Value);
      if (!value.is(NodeKind::Identifier)) {
        continue;
      }
      if (uint32_t local = locals_.find(value.text()); local != LocalScopes::kNone) {
        set(value, Meaning::Local, local);
      }
    }
  }
  locals_.leave();
}

void Resolver::device(Node name) {
  if (!name) {
    return;
  }
  Device found{};
  if (find_device(name.text(), found)) {
    set(name, Meaning::Device, static_cast<uint32_t>(found));
    return;
  }
  set_unknown(name);
  Draft draft = report_.add(DiagnosticCode::T1017, name.range(),
                            fmt::format("unknown device `{}`", name.text()));
  draft.note("the devices are `cpu`, `gpu`, `he` and `mpc`");
  suggest(draft, name, {"cpu", "gpu", "he", "mpc"});
}

void Resolver::owner(Node name) {
  if (!name) {
    return;
  }
  if (name.text() == "client" || name.text() == "server") {
    set(name, Meaning::Party, name.text() == "server" ? 1 : 0);
  } else if (ItemId found = find_item(Namespace::Party, name); found.has_value()) {
    set_item(name, found);
  } else {
    unknown_party(name);
  }
}

void Resolver::implements(Node fn) {
  bool has_tmln = false;
  bool has_sptl = false;
  bool has_val = false;
  bool has_mistake = false;
  Node first_of[3];
  for (Node name : fn.child(Field::Implements).children(Field::Specification)) {
    const ItemId found = find_item(Namespace::Specification, name);
    if (!found.has_value()) {
      unknown_specification(name);
      has_mistake = true;
      continue;
    }
    set_item(name, found);
    const ItemKind kind = table_[found].kind;
    const size_t index = kind == ItemKind::Tmln ? 1 : kind == ItemKind::Sptl ? 2 : 0;
    bool& has = index == 1 ? has_tmln : index == 2 ? has_sptl : has_val;
    if (kind_ == BodyKind::Device && index != 0) {
      has_mistake = true;
      report_
          .add(DiagnosticCode::T1012, name.range(),
               fmt::format(
                   "`{}` is a {}, but a device function implements at most one value specification",
                   name.text(), kind_text(kind)))
          .note("the function that encodes the call determines when and where it runs");
    } else if (has) {
      has_mistake = true;
      report_
          .add(DiagnosticCode::T1013, name.range(),
               fmt::format("a second {}; a function implements only one of each kind",
                           kind == ItemKind::Extern ? kind_text(ItemKind::Val) : kind_text(kind)))
          .label(first_of[index].range(), "first one of this kind");
    } else {
      has = true;
      first_of[index] = name;
    }
  }
  if (!has_mistake && kind_ == BodyKind::Coordinator) {
    report_missing_kinds(fn, has_tmln, has_sptl, has_val);
  }
}

void Resolver::report_missing_kinds(Node fn, bool has_tmln, bool has_sptl, bool has_val) {
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
  report_
      .add(DiagnosticCode::T1011, place,
           fmt::format("function `{}` implements no {} specification", name.text(), missing))
      .note(
          "a coordinator function implements one `val`, one `tmln` and one `sptl`: `impls v, t, "
          "s`");
}

/// Schedules pin the layout of arrays: parameters and names bound in the body.
void Resolver::schedule(Node schedule) {
  for (Node entry : schedule.children()) {
    Node site = entry.child(Field::Site);
    if (!site) {
      continue;
    }
    const std::vector<Local>& locals = result_.names.locals;
    const Name name = interner_.intern(site.text());
    auto found = std::find_if(locals.begin(), locals.end(),
                              [&](const Local& local) { return local.name == name; });
    if (found != locals.end()) {
      set(site, Meaning::Local, static_cast<uint32_t>(found - locals.begin()));
      continue;
    }
    set_unknown(site);
    Draft draft = report_.add(
        DiagnosticCode::T1018, site.range(),
        fmt::format("the schedule mentions `{}`, which is not an array of this function",
                    site.text()));
    std::vector<std::string_view> candidates;
    for (const Local& local : locals) {
      if (local.name.has_value()) {
        candidates.push_back(interner_.text(local.name));
      }
    }
    suggest(draft, site, candidates);
  }
}

void Resolver::pipeline(Node pipeline) {
  Node entry = pipeline.child(Field::Entry);
  if (!entry) {
    return;
  }
  const ItemId found = find_item(Namespace::Callable, entry);
  if (found.has_value() && table_[found].kind == ItemKind::Fn) {
    set_item(entry, found);
  } else {
    unknown_entry(entry);
  }
}

void Resolver::import(Node import) {
  Node name = import.child(Field::Name);
  if (!name) {
    return;
  }
  for (const Import& candidate : context_.get<ImportsOfFile>(key_.file)) {
    if (candidate.item != item_) {
      continue;
    }
    if (candidate.file.has_value()) {
      check_import_cycle(name);
      return;
    }
    set_unknown(name);
    Draft draft = report_.add(DiagnosticCode::T1006, name.range(),
                              fmt::format("unknown module `{}`", name.text()));
    draft.note(
        fmt::format("`import {0}` looks for `{0}.tacet` next to this file, then in the source "
                    "folders of `tacet.toml`",
                    name.text()));
    const auto& workspace = context_.get<WorkspaceInput>({});
    suggest(draft, name, workspace->importable(key_.file));
    return;
  }
}

void Resolver::check_import_cycle(Node name) {
  const std::vector<FileId>& cycle = context_.get<ImportCycleOfFile>(key_.file);
  const auto& workspace = context_.get<WorkspaceInput>({});
  const FileId next = workspace->find_module(key_.file, name.text()).value_or(FileId{});
  const bool is_here = !cycle.empty() && next == (cycle.size() == 1 ? cycle[0] : cycle[1]);
  if (!is_here) {
    return;
  }
  std::string path;
  for (FileId file : cycle) {
    path += fmt::format("`{}` imports ", workspace->module_name(file));
  }
  path += fmt::format("`{}`", workspace->module_name(cycle[0]));
  report_
      .add(DiagnosticCode::T1007, name.range(),
           cycle.size() == 1 ? fmt::format("module `{}` imports itself", name.text())
                             : fmt::format("import cycle: {}", path))
      .note("move the shared items into a separate module");
}

void Resolver::program(Node body) {
  uint32_t ordinal = 0;
  for (const FileItem& input : context_.get<ItemsOfFile>(key_.file)->items) {
    if (input.kind == ItemKind::Input && input.name.has_value()) {
      const uint32_t local = add_local(Node(), LocalKind::Parameter, ordinal++, Local::kNone);
      result_.names.locals[local].name = input.name;
      locals_.declare(interner_.text(input.name), local);
    }
  }
  locals_.enter();
  expression(body);
  locals_.leave();
}

}  // namespace tacet::names
