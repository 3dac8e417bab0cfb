#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/declared_names.h"
#include "compiler/front/names/resolver.h"

// What to say about a name that means nothing here: what it means elsewhere, or what was probably
// meant. Runs only where something is wrong, so it may look around.

namespace tacet::names {

static void find_lost_names(Resolver& resolver);

static auto meanings_of(Resolver& resolver, Node name) -> const NameMeanings& {
  const Name text = resolver.interner.intern(name.text());
  return resolver.context.get<MeaningsOfName>({resolver.key.file, text});
}

/// All that the file sees: what asks for it runs again when any item comes or goes.
static auto scope_of(const Resolver& resolver) -> const ModuleScope& {
  return *resolver.context.get<ModuleScopeOfFile>(resolver.key.file);
}

auto is_consequence(Resolver& resolver, Node name) -> bool {
  if (meanings_of(resolver, name).may_be_lost) {
    return true;
  }
  if (resolver.tree.errors.empty()) {
    return false;
  }
  if (!resolver.knows_lost_names) {
    find_lost_names(resolver);
  }
  // The name was to be declared in a part of this item that could not be read.
  auto found = resolver.lost_names.find(name.text());
  return found != resolver.lost_names.end() && found->second != name.index();
}

static void find_lost_names(Resolver& resolver) {
  resolver.knows_lost_names = true;
  for (uint32_t i = 0; i < resolver.tree.nodes.size(); ++i) {
    if (resolver.tree.nodes[i].kind != NodeKind::Error) {
      continue;
    }
    const uint32_t end = i + resolver.tree.nodes[i].size;
    for (; i < end; ++i) {
      if (resolver.tree.nodes[i].kind == NodeKind::Identifier) {
        auto [entry, is_new] = resolver.lost_names.emplace(node_at(resolver, i).text(), i);
        entry->second = is_new ? i : Local::kNone;
      }
    }
    --i;
  }
}

/// Gives the name no meaning; false if a mistake reported elsewhere explains that already.
static auto mark_unknown(Resolver& resolver, Node name) -> bool {
  set_unknown(resolver, name);
  return !is_consequence(resolver, name);
}

/// How many names are compared for suggestions in one item: hundreds of suggestions where there are
/// thousands of names. Who has more mistakes than that looks at the first ones.
static constexpr size_t kMaxCompared = 1'000'000;

void suggest(Resolver& resolver, Draft& draft, Node name,
             const std::vector<std::string_view>& candidates) {
  if (resolver.n_compared > kMaxCompared) {
    return;
  }
  resolver.n_compared += candidates.size();
  if (auto closest = closest_name(name.text(), candidates)) {
    draft.note(fmt::format("did you mean `{}`?", *closest));
    draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
  }
}

static auto names_in(const Resolver& resolver, Namespace space) -> std::vector<std::string_view> {
  std::vector<std::string_view> texts;
  for (Name name : scope_of(resolver).visible(space)) {
    texts.push_back(resolver.interner.text(name));
  }
  return texts;
}

/// What has this name, whatever it is.
static auto declarations_of(Resolver& resolver, Node name) -> std::vector<FileScope::Entry> {
  return meanings_of(resolver, name).entries;
}

void label_item(Resolver& resolver, Draft& draft, ItemId item, std::string message) {
  const ItemHead& head = resolver.context.get<HeadOfItem>(item);
  draft.label_at(item, item_name_range(item_node(*head.tree)), std::move(message));
}

/// Says what the name is, and the `rule` that something else was needed.
static auto report_other_kind(Resolver& resolver, Node name, const FileScope::Entry& other,
                              std::string_view rule) -> Draft {
  Draft draft = resolver.report.add(
      DiagnosticCode::T1004, name.range(),
      fmt::format("{2}, found {1} `{0}`", name.text(), kind_text(other.kind), rule));
  label_item(resolver, draft, other.item, "declared here");
  return draft;
}

static auto implementations(const Resolver& resolver, ItemId specification)
    -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  const auto& equivalence_class = resolver.context.get<ClassOfItem>(specification);
  auto is_member = [&](ItemId item) {
    return item == specification ||
           (equivalence_class != nullptr &&
            std::find(equivalence_class->members.begin(), equivalence_class->members.end(), item) !=
                equivalence_class->members.end());
  };
  for (const FileScope::Entry& entry : scope_of(resolver).own->entries()) {
    if (entry.space != Namespace::Callable) {
      continue;
    }
    const bool implements = entry.kind == ItemKind::Fn
                                ? is_member(resolver.context.get<ImplementedBy>(entry.item).val)
                                : is_member(entry.item);
    if (implements) {
      names.push_back(resolver.interner.text(entry.name));
    }
  }
  return names;
}

/// What a name of another language is here: what to write, or what to do instead.
struct Elsewhere {
  std::string_view word;
  std::string_view ours;  ///< empty if `note` says what there is
  std::string_view note;
};

static constexpr Elsewhere kElsewhere[] = {
    {"True", "true", ""},
    {"False", "false", ""},
    {"TRUE", "true", ""},
    {"FALSE", "false", ""},
    {"pow", "", "powers are products: `x * x`"},
    {"length", "", "the length of an array is part of its type; device functions have `len(a)`"},
    {"size", "", "the length of an array is part of its type; write the number or a `const`"},
    {"range", "", "ranges are written `lo..hi`, in `for i in lo..hi`"},
    {"print", "", "functions do not print; return the value, and `tacet run` prints it"},
    {"println", "", "functions do not print; return the value, and `tacet run` prints it"},
    {"printf", "", "functions do not print; return the value, and `tacet run` prints it"},
    {"None", "", "there is no value for nothing; use a value outside of the range, or a `bool`"},
    {"null", "", "there is no value for nothing; use a value outside of the range, or a `bool`"},
    {"not", "", "`not` is written `!`"},
};

/// Explains a word of another language; false if it is none.
static auto explain_elsewhere(Draft& draft, Node name) -> bool {
  for (const Elsewhere& entry : kElsewhere) {
    if (entry.word != name.text()) {
      continue;
    }
    if (entry.ours.empty()) {
      draft.note(entry.note);
    } else {
      draft.note(fmt::format("did you mean `{}`?", entry.ours));
      draft.replace(name.range(), fmt::format("write `{}`", entry.ours), std::string(entry.ours));
    }
    return true;
  }
  return false;
}

void unknown_value(Resolver& resolver, Node name) {
  if (declare_by_hole(resolver, name) || !mark_unknown(resolver, name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(resolver, name);
  if (!others.empty()) {
    report_other_kind(resolver, name, others.front(), "expected a value");
    return;
  }
  Draft draft =
      resolver.report.add(DiagnosticCode::T1003, name.range(),
                          is_spec(resolver) ? fmt::format("unknown node `{}`", name.text())
                                            : fmt::format("unknown name `{}`", name.text()));
  if (resolver.n_compared > kMaxCompared || explain_elsewhere(draft, name)) {
    return;
  }
  std::vector<std::string_view> candidates = resolver.kind == BodyKind::Constant
                                                 ? std::vector<std::string_view>()
                                                 : resolver.locals.visible();
  for (std::string_view constant : names_in(resolver, Namespace::Value)) {
    candidates.push_back(constant);
  }
  suggest(resolver, draft, name, candidates);
}

/// Names the module of the library that has a function of that name; false if none has.
static auto explain_by_library(Resolver& resolver, Draft& draft, Node name) -> bool {
  if (resolver.kind != BodyKind::Device) {
    return false;
  }
  const auto workspace = resolver.context.get<WorkspaceInput>({});
  const Name wanted = resolver.interner.intern(name.text());
  for (const std::string_view module : workspace->library()) {
    const auto file = workspace->find_module(resolver.key.file, module);
    const auto& declared = resolver.context.get<DeclaredNamesOfFile>(*file);
    if (std::any_of(declared.begin(), declared.end(), [&](const DeclaredName& one) {
          return one.name == wanted && one.is_in(Namespace::Callable);
        })) {
      draft.note(fmt::format("the library has it: `import {}`", module));
      return true;
    }
  }
  return false;
}

void unknown_callee(Resolver& resolver, Node name) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(resolver, name);
  if (const uint32_t local = resolver.locals.find(name.text());
      others.empty() && local != LocalScopes::kNone) {
    resolver.report.add(DiagnosticCode::T1004, name.range(),
                        fmt::format("expected a function, found value `{}`", name.text()));
    return;
  }
  if (others.empty()) {
    Draft draft = resolver.report.add(DiagnosticCode::T1003, name.range(),
                                      fmt::format("unknown function `{}`", name.text()));
    if (explain_elsewhere(draft, name) || explain_by_library(resolver, draft, name)) {
      return;
    }
    std::vector<std::string_view> candidates =
        names_in(resolver, is_spec(resolver) ? Namespace::Class : Namespace::Callable);
    for (uint32_t i = 0; i < n_builtins(); ++i) {
      candidates.push_back(builtin_text(static_cast<Builtin>(i)));
    }
    suggest(resolver, draft, name, candidates);
    return;
  }
  const FileScope::Entry& other = others.front();
  Draft draft = report_other_kind(
      resolver, name, other,
      is_spec(resolver) ? "expected an equivalence class" : "expected a function or an extern");
  const bool calls_class = is_spec(resolver) || (resolver.key.kind == ItemKind::Test &&
                                                 resolver.table[other.item].parent.has_value());
  if (calls_class) {
    ItemId wanted = other.kind == ItemKind::Fn ? resolver.context.get<ImplementedBy>(other.item).val
                                               : other.item;
    if (wanted.has_value()) {
      wanted = resolver.table[wanted].parent.has_value() ? resolver.table[wanted].parent : wanted;
      const std::string_view class_name = resolver.interner.text(resolver.table[wanted].name);
      if (class_name != name.text()) {
        draft.note(fmt::format("call its class `{}`", class_name));
        draft.replace(name.range(), fmt::format("call the class `{}`", class_name),
                      std::string(class_name));
      }
    }
    return;
  }
  const std::vector<std::string_view> candidates = implementations(resolver, other.item);
  for (std::string_view candidate : candidates) {
    draft.replace(name.range(), fmt::format("call `{}`, which implements it", candidate),
                  std::string(candidate));
  }
  draft.note(candidates.empty()
                 ? "call a function that implements it"
                 : fmt::format("call a function that implements it, such as `{}`", candidates[0]));
}

void unknown_specification(Resolver& resolver, Node name) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(resolver, name);
  if (!others.empty()) {
    report_other_kind(resolver, name, others.front(), "expected a specification");
    return;
  }
  Draft draft = resolver.report.add(DiagnosticCode::T1014, name.range(),
                                    fmt::format("unknown specification `{}`", name.text()));
  suggest(resolver, draft, name, names_in(resolver, Namespace::Specification));
}

void unknown_type(Resolver& resolver, Node name) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  Draft draft = resolver.report.add(DiagnosticCode::T1005, name.range(),
                                    fmt::format("unknown type `{}`", name.text()));
  const uint32_t local = resolver.locals.find(name.text());
  if (local != LocalScopes::kNone &&
      resolver.result.names.locals[local].kind == LocalKind::Size) {
    draft.note(fmt::format("a type parameter has a bound: `{}: number`", name.text()));
    return;
  }
  std::vector<std::string_view> candidates = names_in(resolver, Namespace::Type);
  for (std::string_view primitive :
       {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fxp", "f32", "f64", "Event",
        "BufferSpace", "Encoder", "Future"}) {
    candidates.push_back(primitive);
  }
  // What other languages call these types.
  static constexpr std::pair<std::string_view, std::string_view> kTypesElsewhere[] = {
      {"int", "i64"},      {"long", "i64"},  {"float", "f32"}, {"double", "f64"},
      {"boolean", "bool"}, {"usize", "u64"}, {"isize", "i64"}, {"Bool", "bool"}};
  for (const auto& [word, ours] : kTypesElsewhere) {
    if (name.text() == word) {
      draft.note(fmt::format("did you mean `{}`?", ours));
      draft.replace(name.range(), fmt::format("write `{}`", ours), std::string(ours));
      return;
    }
  }
  suggest(resolver, draft, name, candidates);
}

void unknown_party(Resolver& resolver, Node name) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  Draft draft = resolver.report.add(DiagnosticCode::T1015, name.range(),
                                    fmt::format("unknown party `{}`", name.text()));
  draft.note(fmt::format(
      "the built-in parties are `client` and `server`; declare another party with `party {};`",
      name.text()));
  std::vector<std::string_view> candidates = names_in(resolver, Namespace::Party);
  candidates.push_back("client");
  candidates.push_back("server");
  suggest(resolver, draft, name, candidates);
}

void unknown_entry(Resolver& resolver, Node name) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(resolver, name);
  if (!others.empty()) {
    Draft draft = report_other_kind(resolver, name, others.front(), "expected a function");
    const std::vector<std::string_view> candidates = implementations(resolver, others.front().item);
    if (!candidates.empty()) {
      draft.replace(name.range(), fmt::format("run `{}`", candidates[0]),
                    std::string(candidates[0]));
    }
    return;
  }
  Draft draft = resolver.report.add(DiagnosticCode::T1003, name.range(),
                                    fmt::format("unknown function `{}`", name.text()));
  suggest(resolver, draft, name, names_in(resolver, Namespace::Callable));
}

void unknown_encoded(Resolver& resolver, Node name, uint32_t encoder) {
  if (!mark_unknown(resolver, name)) {
    return;
  }
  const std::string_view owner = resolver.interner.text(resolver.result.names.locals[encoder].name);
  Draft draft = resolver.report.add(
      DiagnosticCode::T1020, name.range(),
      fmt::format("no value named `{}` is encoded on `{}`", name.text(), owner));
  draft.note(
      fmt::format("an encoded call can use only values copied with `encode {}.copy[…]` or computed "
                  "by an earlier call",
                  owner));
  std::vector<std::string_view> candidates;
  for (const EncodedName& known : resolver.encoded) {
    if (known.encoder == encoder) {
      candidates.push_back(known.name);
    }
  }
  if (resolver.locals.find(name.text()) != LocalScopes::kNone) {
    draft.note(fmt::format(
        "`{0}` is on the coordinator; copy it to the device with `encode {1}.copy[{0} <- &{0}];`",
        name.text(), owner));
    return;
  }
  suggest(resolver, draft, name, candidates);
}

}  // namespace tacet::names
