#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/resolver.h"

// What to say about a name that means nothing here: what it means elsewhere, or what was probably
// meant. Runs only where something is wrong, so it may look around.

namespace tacet::names {

auto Resolver::is_consequence(Node name) -> bool {
  if (scope_.may_be_lost(interner_.intern(name.text()))) {
    return true;
  }
  if (tree_.errors.empty()) {
    return false;
  }
  if (!knows_lost_names_) {
    find_lost_names();
  }
  // The name was to be declared in a part of this item that could not be read.
  auto found = lost_names_.find(name.text());
  return found != lost_names_.end() && found->second != name.index();
}

void Resolver::find_lost_names() {
  knows_lost_names_ = true;
  for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    if (tree_.nodes[i].kind != NodeKind::Error) {
      continue;
    }
    const uint32_t end = i + tree_.nodes[i].size;
    for (; i < end; ++i) {
      if (tree_.nodes[i].kind == NodeKind::Identifier) {
        auto [entry, is_new] = lost_names_.emplace(node(i).text(), i);
        entry->second = is_new ? i : Local::kNone;
      }
    }
    --i;
  }
}

auto Resolver::mark_unknown(Node name) -> bool {
  set_unknown(name);
  return !is_consequence(name);
}

/// How many names are compared for suggestions in one item: hundreds of suggestions where there are
/// thousands of names. Who has more mistakes than that looks at the first ones.
static constexpr size_t kMaxCompared = 1'000'000;

void Resolver::suggest(Draft& draft, Node name, const std::vector<std::string_view>& candidates) {
  if (n_compared_ > kMaxCompared) {
    return;
  }
  n_compared_ += candidates.size();
  if (auto closest = closest_name(name.text(), candidates)) {
    draft.note(fmt::format("did you mean `{}`?", *closest));
    draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
  }
}

auto Resolver::names_in(Namespace space) const -> std::vector<std::string_view> {
  std::vector<std::string_view> texts;
  for (Name name : scope_.visible(space)) {
    texts.push_back(interner_.text(name));
  }
  return texts;
}

auto Resolver::declarations_of(Node name) const -> std::vector<FileScope::Entry> {
  const Name text = interner_.find(name.text());
  return text.has_value() ? scope_.find_all(text) : std::vector<FileScope::Entry>();
}

void Resolver::label_item(Draft& draft, ItemId item, std::string message) {
  const ItemHead& head = context_.get<HeadOfItem>(item);
  Node root = item_node(*head.tree);
  Node name = item_name_node(root);
  draft.label_at(item, name ? name.range() : root.range(), std::move(message));
}

auto Resolver::report_other_kind(Node name, const FileScope::Entry& other, std::string_view rule)
    -> Draft {
  Draft draft =
      report_.add(DiagnosticCode::T1004, name.range(),
                  fmt::format("{2}, found {1} `{0}`", name.text(), kind_text(other.kind), rule));
  label_item(draft, other.item, "declared here");
  return draft;
}

auto Resolver::implementations(ItemId specification) const -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  const auto& equivalence_class = context_.get<ClassOfItem>(specification);
  auto is_member = [&](ItemId item) {
    return item == specification ||
           (equivalence_class != nullptr &&
            std::find(equivalence_class->members.begin(), equivalence_class->members.end(), item) !=
                equivalence_class->members.end());
  };
  for (const FileScope::Entry& entry : scope_.own->entries()) {
    if (entry.space != Namespace::Callable) {
      continue;
    }
    const bool implements = entry.kind == ItemKind::Fn
                                ? is_member(context_.get<ImplementedBy>(entry.item).val)
                                : is_member(entry.item);
    if (implements) {
      names.push_back(interner_.text(entry.name));
    }
  }
  return names;
}

void Resolver::unknown_value(Node name) {
  if (declare_by_hole(name) || !mark_unknown(name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(name);
  if (!others.empty()) {
    report_other_kind(name, others.front(), "expected a value");
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1003, name.range(),
                            is_spec() ? fmt::format("unknown node `{}`", name.text())
                                      : fmt::format("unknown name `{}`", name.text()));
  if (n_compared_ > kMaxCompared) {
    return;
  }
  std::vector<std::string_view> candidates =
      kind_ == BodyKind::Constant ? std::vector<std::string_view>() : locals_.visible();
  for (std::string_view constant : names_in(Namespace::Value)) {
    candidates.push_back(constant);
  }
  suggest(draft, name, candidates);
}

void Resolver::unknown_callee(Node name) {
  if (!mark_unknown(name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(name);
  if (const uint32_t local = locals_.find(name.text());
      others.empty() && local != LocalScopes::kNone) {
    report_.add(DiagnosticCode::T1004, name.range(),
                fmt::format("expected a function, found value `{}`", name.text()));
    return;
  }
  if (others.empty()) {
    Draft draft = report_.add(DiagnosticCode::T1003, name.range(),
                              fmt::format("unknown function `{}`", name.text()));
    std::vector<std::string_view> candidates =
        names_in(is_spec() ? Namespace::Class : Namespace::Callable);
    for (uint32_t i = 0; i < n_builtins(); ++i) {
      candidates.push_back(builtin_text(static_cast<Builtin>(i)));
    }
    suggest(draft, name, candidates);
    return;
  }
  const FileScope::Entry& other = others.front();
  Draft draft = report_other_kind(
      name, other,
      is_spec() ? "expected an equivalence class" : "expected a function or an extern");
  if (is_spec()) {
    ItemId wanted =
        other.kind == ItemKind::Fn ? context_.get<ImplementedBy>(other.item).val : other.item;
    if (wanted.has_value()) {
      wanted = table_[wanted].parent.has_value() ? table_[wanted].parent : wanted;
      const std::string_view class_name = interner_.text(table_[wanted].name);
      if (class_name != name.text()) {
        draft.note(fmt::format("call its class `{}`", class_name));
        draft.replace(name.range(), fmt::format("call the class `{}`", class_name),
                      std::string(class_name));
      }
    }
    return;
  }
  const std::vector<std::string_view> candidates = implementations(other.item);
  for (std::string_view candidate : candidates) {
    draft.replace(name.range(), fmt::format("call `{}`, which implements it", candidate),
                  std::string(candidate));
  }
  draft.note(candidates.empty()
                 ? "call a function that implements it"
                 : fmt::format("call a function that implements it, such as `{}`", candidates[0]));
}

void Resolver::unknown_specification(Node name) {
  if (!mark_unknown(name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(name);
  if (!others.empty()) {
    report_other_kind(name, others.front(), "expected a specification");
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1014, name.range(),
                            fmt::format("unknown specification `{}`", name.text()));
  suggest(draft, name, names_in(Namespace::Specification));
}

void Resolver::unknown_type(Node name) {
  if (!mark_unknown(name)) {
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1005, name.range(),
                            fmt::format("unknown type `{}`", name.text()));
  std::vector<std::string_view> candidates = names_in(Namespace::Type);
  for (std::string_view primitive :
       {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fxp", "f32", "f64", "Event",
        "BufferSpace", "Encoder", "Future"}) {
    candidates.push_back(primitive);
  }
  // What other languages call these types.
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"int", "i64"},      {"long", "i64"},  {"float", "f32"}, {"double", "f64"},
      {"boolean", "bool"}, {"usize", "u64"}, {"isize", "i64"}, {"Bool", "bool"}};
  for (const auto& [word, ours] : kElsewhere) {
    if (name.text() == word) {
      draft.note(fmt::format("did you mean `{}`?", ours));
      draft.replace(name.range(), fmt::format("write `{}`", ours), std::string(ours));
      return;
    }
  }
  suggest(draft, name, candidates);
}

void Resolver::unknown_party(Node name) {
  if (!mark_unknown(name)) {
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1015, name.range(),
                            fmt::format("unknown party `{}`", name.text()));
  draft.note(fmt::format(
      "the built-in parties are `client` and `server`; declare another party with `party {};`",
      name.text()));
  std::vector<std::string_view> candidates = names_in(Namespace::Party);
  candidates.push_back("client");
  candidates.push_back("server");
  suggest(draft, name, candidates);
}

void Resolver::unknown_entry(Node name) {
  if (!mark_unknown(name)) {
    return;
  }
  const std::vector<FileScope::Entry> others = declarations_of(name);
  if (!others.empty()) {
    Draft draft = report_other_kind(name, others.front(), "expected a function");
    const std::vector<std::string_view> candidates = implementations(others.front().item);
    if (!candidates.empty()) {
      draft.replace(name.range(), fmt::format("run `{}`", candidates[0]),
                    std::string(candidates[0]));
    }
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1003, name.range(),
                            fmt::format("unknown function `{}`", name.text()));
  suggest(draft, name, names_in(Namespace::Callable));
}

void Resolver::unknown_encoded(Node name, uint32_t encoder) {
  if (!mark_unknown(name)) {
    return;
  }
  const std::string_view owner = interner_.text(result_.names.locals[encoder].name);
  Draft draft =
      report_.add(DiagnosticCode::T1020, name.range(),
                  fmt::format("no value named `{}` is encoded on `{}`", name.text(), owner));
  draft.note(
      fmt::format("an encoded call can use only values copied with `encode {}.copy[…]` or computed "
                  "by an earlier call",
                  owner));
  std::vector<std::string_view> candidates;
  for (const EncodedName& known : encoded_) {
    if (known.encoder == encoder) {
      candidates.push_back(known.name);
    }
  }
  if (locals_.find(name.text()) != LocalScopes::kNone) {
    draft.note(fmt::format(
        "`{0}` is on the coordinator; copy it to the device with `encode {1}.copy[{0} <- &{0}];`",
        name.text(), owner));
    return;
  }
  suggest(draft, name, candidates);
}

}  // namespace tacet::names
