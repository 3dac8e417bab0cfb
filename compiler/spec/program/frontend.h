#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/interner.h"
#include "base/line_index.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/scope.h"
#include "compiler/front/names/workspace.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::program {

/// How far to look.
enum class Until : uint8_t { Syntax, Names, Types, Conformance };

/// What stands at a place of a file.
struct Entity {
  /// The item whose text it is, and the node of its tree.
  names::ItemId in_item;
  names::ItemTree tree;
  uint32_t node = 0;
  /// What the name means; `Meaning::Nothing` for other nodes. A name that declares an item
  /// means that item.
  names::Resolution meaning;
  /// The item that is meant, or none.
  names::ItemId item;
  /// The local that is meant, as an index of the `BodyNames::locals` of `local_of`, or
  /// `Local::kNone`. A name in a tag means a local of the specification.
  uint32_t local = names::Local::kNone;
  names::ItemId local_of;
  /// In the file.
  TextRange range;
};

/// What to show about an entity.
struct HoverData {
  /// `var v: i64`, `fn min(a: i64, b: i64) -> i64`: Tacet code.
  std::string code;
  /// The `///` comment of the item, or what a built-in function does. Markdown.
  std::string documentation;
  /// Of a value: who may see it.
  std::optional<types::Visibility> visibility;
  /// `[node(val.a)-usable, none(tmln)-usable, none(sptl)-saved]`: what was found out of a name, an
  /// `if` or a result of a coordinator function, there.
  std::string tags;
  /// Which node of the value specification `node_of` the value is: its name or expression. Empty
  /// if it is none.
  std::string node;
  names::ItemId node_of;
  /// Where the function says what it computes: the specifications it implements.
  std::vector<names::ItemId> specifications;
  TextRange range;
};

/// One revision of all files, to be read by one thread at a time; copies are cheap. Everything
/// throws `query::Cancelled` after the next change.
class FrontendSnapshot {
 public:
  FrontendSnapshot(query::Snapshot snapshot, Interner& interner, types::TypeStore& types,
                   names::ItemTable& items)
      : snapshot_(std::move(snapshot)), interner_(&interner), types_(&types), items_(&items) {}

  /// What a query sees while it is computed: everything it reads is recorded. `counted_from` says
  /// that it begins at 0, so that what is made of its text stays as it is when it moves.
  explicit FrontendSnapshot(query::Context& context, names::ItemId counted_from = {})
      : context_(&context),
        counted_from_(counted_from),
        interner_(&context.service<Interner>()),
        types_(&context.service<types::TypeStore>()),
        items_(&context.service<names::ItemTable>()) {}

  /// A snapshot of the same revision that `token` cancels too. Not inside of a query.
  [[nodiscard]] auto with_token(CancellationToken token) const -> FrontendSnapshot {
    FrontendSnapshot copy = *this;
    copy.snapshot_ = query().with_token(std::move(token));
    return copy;
  }

  /// Not inside of a query.
  [[nodiscard]] auto query() const -> const query::Snapshot& {
    TACET_CHECK(snapshot_.has_value(), "a query has no snapshot");
    return *snapshot_;
  }
  /// A copy of one value.
  template <query::Query Q>
  [[nodiscard]] auto get(const query::KeyOf<Q>& key) const -> query::ValueOf<Q> {
    return context_ != nullptr ? context_->get<Q>(key) : query().get<Q>(key);
  }
  /// The instance of a function with size parameters.
  [[nodiscard]] auto instance(names::ItemId function, const std::vector<int64_t>& sizes) const
      -> names::ItemId {
    return names::instance_of(*items_, function, sizes);
  }
  /// The instance of a function with type parameters, whose sizes may be open.
  [[nodiscard]] auto instance_with_types(names::ItemId function,
                                         const std::vector<types::TypeId>& types) const
      -> names::ItemId {
    std::vector<Name> words;
    for (const types::TypeId type : types) {
      words.push_back(types::type_word(*interner_, *types_, type));
    }
    return names::instance_with_types(*items_, function, words);
  }
  [[nodiscard]] auto interner() const -> const Interner& { return *interner_; }
  [[nodiscard]] auto types() const -> types::TypeStore& { return *types_; }
  [[nodiscard]] auto item_key(names::ItemId item) const -> const names::ItemKey& {
    return (*items_)[item];
  }

  /// What is wrong with a file as far as these phases know: errors of syntax, then item by item.
  /// What users see is `problems::find`.
  [[nodiscard]] auto diagnostics(FileId file, Until until = Until::Conformance) const
      -> std::vector<Diagnostic>;
  /// The items of a file in the order of the text.
  [[nodiscard]] auto items(FileId file) const -> std::shared_ptr<const names::FileItems>;
  /// The item's syntax, with offsets that count from `item_begin`.
  [[nodiscard]] auto tree(names::ItemId item) const -> names::ItemTree;
  /// Where the item's tree begins in its file.
  [[nodiscard]] auto item_begin(names::ItemId item) const -> uint32_t;
  /// The range of the item's name in its file (of all of the item if it has none).
  [[nodiscard]] auto name_place(names::ItemId item) const -> FileRange;
  [[nodiscard]] auto body(names::ItemId item) const -> check::BodyPtr;
  [[nodiscard]] auto signature(names::ItemId item) const -> std::shared_ptr<const types::Signature>;
  /// The class that `item` is, or is a member of; null if neither.
  [[nodiscard]] auto equivalence_class(names::ItemId item) const
      -> std::shared_ptr<const names::EquivalenceClass>;
  /// The item of that name that `file` sees, or none.
  [[nodiscard]] auto find(FileId file, names::Namespace space, std::string_view name) const
      -> names::ItemId;

  /// What stands at `offset`, a name before the punctuation beside it.
  [[nodiscard]] auto entity_at(FileId file, uint32_t offset) const -> std::optional<Entity>;
  /// Where the name at `offset` is declared.
  [[nodiscard]] auto definition(FileId file, uint32_t offset) const -> std::optional<FileRange>;
  [[nodiscard]] auto hover(FileId file, uint32_t offset) const -> std::optional<HoverData>;
  /// See `program::can_be_lowered`.
  [[nodiscard]] auto can_be_lowered(names::ItemId item) const -> bool;
  /// An item as a line of code, without its body: `fn min(a: i64, b: i64) -> i64`.
  [[nodiscard]] auto describe(names::ItemId item) const -> std::string;
  /// The text of the `///` comments right in front of an item. Markdown.
  [[nodiscard]] auto documentation(names::ItemId item) const -> std::string;

 private:
  template <class Body>
  auto run(Body&& body) const -> decltype(body(std::declval<query::Context&>())) {
    return context_ != nullptr ? body(*context_) : query().run(std::forward<Body>(body));
  }

  std::optional<query::Snapshot> snapshot_;
  query::Context* context_ = nullptr;
  names::ItemId counted_from_{};
  Interner* interner_;
  types::TypeStore* types_;
  names::ItemTable* items_;
};

/// The files of a workspace and everything that is known about them. Files are named by paths
/// with forward slashes; nothing here reads a disk. The modules of the library are there from the
/// first import on.
class Frontend {
 public:
  Frontend();
  ~Frontend();
  Frontend(const Frontend&) = delete;
  auto operator=(const Frontend&) -> Frontend& = delete;

  using SharedText = std::shared_ptr<const std::string>;

  /// Sets the text of the file at `path`, which is added if it is new. Readers of older
  /// snapshots are cancelled. At most `syntax::kMaxFileSize` bytes. Edited files have durability
  /// `Low`, others `Medium`. A shared text is not copied.
  auto set_file(std::string_view path, std::string text,
                query::Durability durability = query::Durability::Low) -> FileId;
  auto set_file(std::string_view path, SharedText text,
                query::Durability durability = query::Durability::Low) -> FileId;
  /// Several files in one revision; much faster than one by one.
  auto set_files(std::vector<std::pair<std::string, std::string>> files,
                 query::Durability durability = query::Durability::Medium) -> std::vector<FileId>;
  auto set_files(std::vector<std::pair<std::string, SharedText>> files,
                 query::Durability durability = query::Durability::Medium) -> std::vector<FileId>;
  void remove_file(std::string_view path);
  void set_source_folders(std::vector<std::string> folders);
  /// Makes the modules of the library known before something is imported.
  void add_library();

  [[nodiscard]] auto find_file(std::string_view path) const -> std::optional<FileId>;
  [[nodiscard]] auto path(FileId file) const -> std::string;
  /// All files that were not removed, in the order in which they were added; not the library.
  [[nodiscard]] auto files() const -> std::vector<FileId>;
  /// The modules of the library, if they are known.
  [[nodiscard]] auto library_files() const -> std::vector<FileId>;
  [[nodiscard]] auto text(FileId file) const -> std::shared_ptr<const std::string>;

  [[nodiscard]] auto snapshot() -> FrontendSnapshot;
  [[nodiscard]] auto database() -> query::Database&;
  [[nodiscard]] auto interner() -> Interner&;
  [[nodiscard]] auto types() -> types::TypeStore&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacet::program
