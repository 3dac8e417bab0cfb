#include "lsp/ide/complete.h"

#include <fmt/format.h>

#include "compiler/front/names/queries.h"
#include "compiler/front/names/resolve_body.h"
#include "lsp/ide/call_snippets.h"
#include "lsp/ide/complete_hole.h"
#include "lsp/ide/complete_imports.h"
#include "lsp/ide/complete_library.h"
#include "lsp/ide/complete_ranked.h"
#include "lsp/ide/completion_candidates.h"
#include "lsp/ide/completion_site.h"
#include "lsp/ide/fitting_keywords.h"
#include "lsp/ide/fitting_snippets.h"
#include "lsp/ide/hole_fillings.h"
#include "lsp/ide/keyword_documentation.h"
#include "lsp/ide/names_in_scope.h"
#include "lsp/ide/postfix_forms.h"
#include "lsp/ide/site_types.h"

namespace tacet::ide {

using names::BodyKind;
using names::ItemKind;
using names::LocalKind;
using names::Namespace;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeStore;

namespace {

/// The `BuiltinPlace` of a body; 0 where nothing is called.
auto builtin_place(BodyKind kind) -> uint8_t {
  switch (kind) {
    case BodyKind::Val:
    case BodyKind::Program:
      return static_cast<uint8_t>(names::BuiltinPlace::ValSpec);
    case BodyKind::Tmln:
      return static_cast<uint8_t>(names::BuiltinPlace::TmlnSpec);
    case BodyKind::Sptl:
      return static_cast<uint8_t>(names::BuiltinPlace::SptlSpec);
    case BodyKind::Coordinator:
      return static_cast<uint8_t>(names::BuiltinPlace::Coordinator);
    case BodyKind::Device:
      return static_cast<uint8_t>(names::BuiltinPlace::DeviceFn);
    case BodyKind::None:
    case BodyKind::Constant:
      return 0;
  }
  return 0;
}

/// Gathers candidates at one site, each source of them in a function of its own.
class Completer {
 public:
  Completer(const program::FrontendSnapshot& snapshot, FileId file, const CompletionSite& site,
            std::string_view typed, Imports imports)
      : snapshot_(snapshot),
        file_(file),
        site_(site),
        typed_(typed),
        imports_(imports),
        types_(snapshot, file, site),
        found_(snapshot, typed, expected()) {}

  auto run() -> Completions {
    const Node item = site_.item();
    if (ItemKind kind{}; item && names::item_kind(item.kind(), kind)) {
      body_kind_ = names::body_kind(item, kind);
    } else if (site_.language == syntax::Language::ArrayProgram) {
      body_kind_ = BodyKind::Program;
    }
    add_names();
    auto is_wanted = [&](std::string_view word) { return found_.is_meant(word) && is_legal(word); };
    const std::vector<std::string_view> keywords = fitting_keywords(site_, is_wanted);
    for (std::string_view keyword : keywords) {
      found_.add_keyword(keyword, is_behind_secret() ? Fit::Same : Fit::Other);
    }
    for (const Snippet& snippet : fitting_snippets(site_, keywords)) {
      found_.add_snippet(snippet.keyword, snippet.shape, std::string(snippet.text));
    }
    Completions all = found_.take(site_);
    all.is_complete = all.is_complete && is_complete_;
    return all;
  }

 private:
  /// Is the keyword of use here, where the grammar takes more than the language?
  auto is_legal(std::string_view keyword) const -> bool {
    const bool is_device_work =
        keyword == "await" || keyword == "submit" || keyword.starts_with("encode");
    if (keyword.starts_with('#')) {
      return site_.begin == 0 && site_.before.empty();
    }
    if (site_.role == NameRole::Encoded) {
      return keyword == "true" || keyword == "false";
    }
    if (types::DType scalar{}; is_behind_secret() || site_.role == NameRole::TypeBound) {
      const bool is_number = types::find_dtype(keyword, scalar);
      return is_number &&
             (is_behind_secret() || scalar == types::DType::Fxp || types::is_integer(scalar));
    }
    return !is_device_work || body_kind_ == BodyKind::Coordinator || body_kind_ == BodyKind::None;
  }

  /// Is the type of a secret completed? Then it is that of numbers, or a name for one.
  auto is_behind_secret() const -> bool {
    const Node visible = site_.around(NodeKind::VisibleType);
    return site_.role == NameRole::Type && visible &&
           visible.child(Field::Visibility).text() == "secret";
  }

  // ---- what fits in each role ----

  void add_names() {
    switch (site_.role) {
      case NameRole::Nothing:
        return;
      case NameRole::Value:
        add_values();
        return;
      case NameRole::Kernel:
        found_.call_from(CallableHere::encoded(site_));
        add_items(Namespace::Callable);
        return;
      case NameRole::Entry:
        add_items(Namespace::Callable);
        return;
      case NameRole::Encoded:
        add_scoped(encoded_names(site_), [](TypeId) { return true; });
        add_encoded_before();
        return;
      case NameRole::Encoder:
        add_encoders();
        return;
      case NameRole::Method:
        add_encoder_methods();
        return;
      case NameRole::Field:
        add_fields();
        add_postfix_forms();
        return;
      case NameRole::TypeBound:
        add_words({"number", "integer"}, CompletionKind::Type);
        return;
      case NameRole::Type:
        add_scoped_of(ScopedKind::Type, CompletionKind::Type);
        if (is_behind_secret()) {
          add_secret_types(snapshot_, file_, types_.item(), found_);
        } else {
          add_items(Namespace::Type);
        }
        return;
      case NameRole::Extent:
        add_scoped_of(ScopedKind::Size, CompletionKind::Parameter);
        add_items(Namespace::Value);
        return;
      case NameRole::Specification:
        add_specifications(snapshot_, file_, site_, body_kind_, found_);
        add_unimported(Namespace::Specification);
        return;
      case NameRole::Node:
        add_nodes();
        return;
      case NameRole::Variable:
        add_locals();
        return;
      case NameRole::Property:
        add_words({"path", "entry", "dimensions"}, CompletionKind::Field);
        return;
      case NameRole::Party:
        add_items(Namespace::Party);
        add_words({"client", "server"}, CompletionKind::Party);
        return;
      case NameRole::Device:
        add_devices();
        return;
      case NameRole::Module:
        add_modules();
        return;
      case NameRole::Flag:
        add_words({"storage", "map_read", "map_write", "copy_src", "copy_dst", "uniform",
                   "alignment_bits", "byte_size"},
                  CompletionKind::Flag);
        return;
    }
  }

  void add_words(std::initializer_list<const char*> words, CompletionKind kind) {
    for (const char* word : words) {
      found_.add(word, kind, Nearness::Builtin);
    }
  }

  void add_encoders() {
    add_scoped(names_in_scope(site_), [&](TypeId type) {
      return type == TypeStore::kError || store()[type].kind == types::TypeKind::Encoder;
    });
  }

  void add_encoder_methods() {
    found_.add("call", CompletionKind::Method, Nearness::Local, "run a kernel on the device");
    found_.add("copy", CompletionKind::Method, Nearness::Local, "copy a value to the device");
  }

  void add_devices() {
    for (names::Device device :
         {names::Device::Cpu, names::Device::Gpu, names::Device::He, names::Device::Mpc}) {
      found_.add(names::device_text(device), CompletionKind::Device, Nearness::Builtin);
    }
  }

  void add_values() {
    found_.call_from(CallableHere::in_body(snapshot_, body_kind_, types_.item()));
    add_locals();
    add_items(Namespace::Value);
    const bool is_spec =
        body_kind_ == BodyKind::Val || body_kind_ == BodyKind::Tmln || body_kind_ == BodyKind::Sptl;
    if (is_spec) {
      add_items(Namespace::Class);
    } else if (body_kind_ == BodyKind::Coordinator || body_kind_ == BodyKind::Device) {
      add_items(Namespace::Callable);
      if (site_.around(NodeKind::TestItem)) {
        add_items(Namespace::Class);
      }
    } else if (body_kind_ == BodyKind::Program) {
      add_inputs();
    }
    add_builtins();
  }

  void add_locals() {
    add_scoped(names_in_scope(site_), [](TypeId) { return true; });
    const check::Body* body = types_.body();
    if (body == nullptr) {
      return;
    }
    // The nodes of a specification are in no order, and `_dim0` is declared nowhere.
    for (size_t i = 0; i < body->names.locals.size(); ++i) {
      const names::Local& local = body->names.locals[i];
      const bool is_unordered = local.kind == LocalKind::Definition ||
                                local.kind == LocalKind::Output || local.kind == LocalKind::Dim;
      if (is_unordered && !is_being_defined(text_of(local.name))) {
        found_.add_local(text_of(local.name), CompletionKind::Local, body->local_types[i]);
      }
    }
  }

  /// Is the node on the left side of the definition that the cursor is in?
  auto is_being_defined(std::string_view name) const -> bool {
    for (const Node binding : site_.around(NodeKind::Definition).children()) {
      if (binding.is(NodeKind::SpecBinding) && binding.child(Field::Name).text() == name) {
        return true;
      }
    }
    return false;
  }

  template <class Wanted>
  void add_scoped(const std::vector<ScopedName>& scoped, const Wanted& is_wanted) {
    for (const ScopedName& name : scoped) {
      const TypeId type = types_.of(name.declared);
      if (name.kind != ScopedKind::Type && is_wanted(type)) {
        found_.add_local(
            name.text,
            name.kind == ScopedKind::Variable ? CompletionKind::Local : CompletionKind::Parameter,
            type);
      }
    }
  }

  /// The size or type parameters.
  void add_scoped_of(ScopedKind kind, CompletionKind shown_as) {
    for (const ScopedName& name : names_in_scope(site_)) {
      if (name.kind == kind) {
        found_.add(name.text, shown_as, Nearness::Local,
                   kind == ScopedKind::Size ? "size" : "type parameter");
      }
    }
  }

  /// What an encoder that came from elsewhere holds.
  void add_encoded_before() {
    const Node encoder = site_.around(NodeKind::EncodeStatement).child(Field::Encoder);
    for (const ScopedName& name : names_in_scope(site_)) {
      if (name.text == encoder.text()) {
        add_fields_of(types_.of(name.declared));
      }
    }
  }

  void add_fields() {
    const Node access = site_.path[site_.path.size() - 2];
    add_fields_of(types_.of(access.child(Field::Record)));
  }

  void add_fields_of(TypeId type) {
    types::Type record = store()[type];
    while (record.kind == types::TypeKind::Reference || record.kind == types::TypeKind::Encoder ||
           record.kind == types::TypeKind::Future || record.kind == types::TypeKind::Array) {
      if (!record.element.has_value()) {
        return;
      }
      record = store()[record.element];
    }
    if (record.kind != types::TypeKind::Record) {
      return;
    }
    for (const types::RecordField& field : store().fields(record.fields)) {
      found_.add_local(text_of(field.name), CompletionKind::Field, field.type);
    }
  }

  void add_postfix_forms() {
    const bool is_on_device = body_kind_ == BodyKind::Device;
    if (!is_on_device && body_kind_ != BodyKind::Coordinator) {
      return;
    }
    const Node expression = site_.path[site_.path.size() - 2].child(Field::Record);
    const TypeId type = types_.of(expression);
    const bool is_unknown = type == TypeStore::kError;
    const std::string_view text = expression.text();
    const bool is_enclosed =
        expression.is(NodeKind::ParenthesizedExpression) && text.ends_with(')');
    const TextRange removed = {site_.in_file(expression).begin, site_.typed.begin};
    for (PostfixForm& form : postfix_forms(
             site_,
             {.text = is_enclosed ? text.substr(1, text.size() - 2) : text,
             .is_condition = is_unknown || is_condition(type),
             .may_be_secret = is_unknown || store().visibility(type) == types::Visibility::Secret,
             .is_on_device = is_on_device})) {
      found_.add_postfix(form.keyword, form.shape, std::move(form.snippet), removed);
    }
  }

  auto is_condition(TypeId type) const -> bool {
    return store().with_visibility(type, types::Visibility::Public) == TypeStore::kBool;
  }

  /// The nodes of the specification that a tag is about.
  void add_nodes() {
    const Node dimension = site_.path[site_.path.size() - 2].child(Field::Dimension);
    if (!types_.item().has_value()) {
      return;
    }
    const auto signature = snapshot_.signature(types_.item());
    const names::ItemId spec = dimension.text() == "val"    ? signature->val
                               : dimension.text() == "tmln" ? signature->tmln
                                                            : signature->sptl;
    if (!spec.has_value()) {
      return;
    }
    const check::BodyPtr body = snapshot_.body(spec);
    for (size_t i = 0; i < body->names.locals.size(); ++i) {
      const names::Local& local = body->names.locals[i];
      found_.add_local(text_of(local.name), CompletionKind::Local, body->local_types[i]);
    }
  }

  void add_inputs() {
    for (const names::FileItem& item : snapshot_.items(file_)->items) {
      if (item.kind == ItemKind::Input) {
        found_.add_item(item.id, text_of(item.name), Nearness::Local, Documented::nothing());
      }
    }
  }

  void add_items(Namespace space) {
    const auto scope = snapshot_.query().get<names::ModuleScopeOfFile>(file_);
    add_entries(*scope->own, space, Nearness::File);
    for (const names::ImportedScope& import : scope->imports) {
      add_entries(*import.scope, space, Nearness::Imported);
    }
    add_unimported(space);
  }

  void add_unimported(Namespace space) {
    if (site_.language == syntax::Language::Module) {
      const bool is_all = imports_ == Imports::Offered &&
                          add_unimported_names(snapshot_, file_, space, typed_, found_);
      is_complete_ = is_complete_ && is_all;
    }
  }

  void add_entries(const names::FileScope& scope, Namespace space, Nearness nearness) {
    for (const names::FileScope::Entry& entry : scope.entries()) {
      // A function may call itself; a constant and a type are not part of themselves.
      const bool is_itself = entry.item == types_.item() &&
                             (entry.kind == ItemKind::Const || entry.kind == ItemKind::Type);
      // In a test, externs were offered among what is callable.
      const bool is_twice = space == Namespace::Class && entry.kind == ItemKind::Extern &&
                            site_.around(NodeKind::TestItem);
      if (entry.space == space && !is_itself && !is_twice) {
        found_.add_item(entry.item, text_of(entry.name), nearness, Documented::in(space));
      }
    }
  }

  void add_builtins() {
    const uint8_t place = builtin_place(body_kind_);
    for (const names::Builtin builtin : kBuiltins) {
      if ((names::builtin_places(builtin) & place) != 0) {
        found_.add(names::builtin_text(builtin), CompletionKind::Function, Nearness::Builtin, {},
                   Documented::builtin());
      }
    }
  }

  void add_modules() {
    workspace_ = snapshot_.query().get<names::WorkspaceInput>({});
    for (std::string_view name : workspace_->importable(file_)) {
      if (const std::string_view plain = names::unquoted_module(name); plain != name) {
        found_.add_snippet(plain, name, std::string(name));
        continue;
      }
      found_.add(name, CompletionKind::Module, Nearness::Imported);
    }
  }

  auto expected() const -> Expected {
    return site_.role == NameRole::Value ? types_.expected() : Expected();
  }
  auto store() const -> types::TypeStore& { return snapshot_.types(); }
  auto text_of(Name name) const -> std::string_view {
    return name.has_value() ? snapshot_.interner().text(name) : std::string_view();
  }

  static constexpr names::Builtin kBuiltins[] = {
#define TACET_BUILTIN(Name, text, places, documentation) names::Builtin::Name,
#include "compiler/front/names/builtins.def"
  };

  const program::FrontendSnapshot& snapshot_;
  FileId file_;
  const CompletionSite& site_;
  std::string_view typed_;
  Imports imports_;
  bool is_complete_ = true;
  SiteTypes types_;
  BodyKind body_kind_ = BodyKind::None;
  /// Held for the names of its modules.
  std::shared_ptr<const names::Workspace> workspace_;
  CompletionCandidates found_;
};

}  // namespace

/// Does a call's `(` or `'<` already follow the word?
static auto is_called_already(std::string_view behind) -> bool {
  return behind.starts_with('(') || behind.starts_with("'<");
}

auto complete(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
              Imports imports) -> Completions {
  const auto text = snapshot.query().get<syntax::SourceText>(file).text;
  const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
  if (const auto fillings = hole_fillings(snapshot, file, {offset, offset});
      fillings && !fillings->candidates.empty()) {
    return complete_hole(*fillings, *text, offset);
  }
  if (auto modules = complete_library(*text, offset)) {
    return std::move(*modules);
  }
  const auto site = find_completion_site(*syntax, *text, offset);
  if (site == nullptr) {
    return {{offset, offset}, {offset, offset}, {}, true};
  }
  const std::string_view typed =
      std::string_view(*text).substr(site->typed.begin, site->typed.length());
  Completions found = Completer(snapshot, file, *site, typed, imports).run();
  if (is_called_already(std::string_view(*text).substr(site->word.end))) {
    for (Completion& item : found.items) {
      item.snippet = item.keyword.empty() ? std::string() : std::move(item.snippet);
    }
  }
  return found;
}

}  // namespace tacet::ide
