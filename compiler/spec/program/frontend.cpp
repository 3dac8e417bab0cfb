#include "compiler/spec/program/frontend.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "compiler/front/flow/function_flows.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/quotients.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/spec/program/file_diagnostics.h"
#include "compiler/spec/program/lowerable.h"
#include "compiler/spec/program/pieces.h"
#include "library/embedded/module.h"

namespace tacet::program {

namespace {

/// Bodies that are kept when files change; those of a screen or two are used again.
constexpr size_t kKeptBodies = 2048;
/// The same of graphs, which hovers look at.
constexpr size_t kKeptGraphs = 64;

auto is_wanted(const Diagnostic& diagnostic, Until until) -> bool {
  const char group = code_name(diagnostic.code)[1];
  switch (until) {
    case Until::Syntax:
      return group == '0';
    case Until::Names:
      return group <= '1';
    case Until::Types:
    case Until::Conformance:
      return true;
  }
  return true;
}

}  // namespace

// ---- snapshots ----

auto FrontendSnapshot::diagnostics(FileId file, Until until) const -> std::vector<Diagnostic> {
  if (until == Until::Syntax) {
    return run([&](query::Context& context) {
      return syntax::syntax_errors(*context.get<syntax::ParseFile>(file), file);
    });
  }
  if (until == Until::Conformance) {
    return *get<DiagnosticsOfFile>(file);
  }
  const auto all = get<TypeDiagnosticsOfFile>(file);
  if (until == Until::Types) {
    return *all;
  }
  std::vector<Diagnostic> wanted;
  std::copy_if(all->begin(), all->end(), std::back_inserter(wanted),
               [&](const Diagnostic& diagnostic) { return is_wanted(diagnostic, until); });
  return wanted;
}

auto FrontendSnapshot::items(FileId file) const -> std::shared_ptr<const names::FileItems> {
  return get<names::ItemsOfFile>(file);
}

auto FrontendSnapshot::tree(names::ItemId item) const -> names::ItemTree {
  return get<names::SyntaxOfItem>(item);
}

auto FrontendSnapshot::item_begin(names::ItemId item) const -> uint32_t {
  return counted_from_.has_value() && item == counted_from_ ? 0 : get<names::BeginOfItem>(item);
}

auto FrontendSnapshot::name_place(names::ItemId item) const -> FileRange {
  const names::ItemTree tree = this->tree(item);
  const syntax::Node root = names::item_node(*tree);
  const syntax::Node name = names::item_name_node(root);
  return {item_key(item).file, (name ? name : root).range().shifted(item_begin(item))};
}

auto FrontendSnapshot::can_be_lowered(names::ItemId item) const -> bool {
  return run([&](query::Context& context) { return program::can_be_lowered(context, item); });
}

auto FrontendSnapshot::body(names::ItemId item) const -> check::BodyPtr {
  return get<check::BodyOf>(item);
}

auto FrontendSnapshot::signature(names::ItemId item) const
    -> std::shared_ptr<const types::Signature> {
  return get<types::SignatureOf>(item);
}

auto FrontendSnapshot::equivalence_class(names::ItemId item) const
    -> std::shared_ptr<const names::EquivalenceClass> {
  return get<names::ClassOfItem>(item);
}

auto FrontendSnapshot::find(FileId file, names::Namespace space, std::string_view name) const
    -> names::ItemId {
  return get<names::ModuleScopeOfFile>(file)->find(space, interner_->find(name));
}

// ---- the frontend ----

struct Frontend::State {
  Interner interner;
  names::ItemTable items;
  types::TypeStore types;
  query::Database database{query::Services().add(interner).add(items).add(types)};

  /// Held while something is changed, also while a change waits for readers to end.
  std::mutex writing;
  /// Guards what follows: who is `writing` changes it, readers of paths may be on other threads.
  /// Never held while readers are waited for, since these may ask for paths.
  mutable std::shared_mutex mutex;
  std::vector<names::WorkspaceFile> files;
  std::vector<std::shared_ptr<const std::string>> texts;
  std::vector<std::string> source_folders;
  std::unordered_map<std::string, FileId> by_path;
  bool has_library = false;

  /// The id of `path`, new or old; true if the workspace changed.
  auto add(std::string_view path, bool& is_changed) -> FileId {
    auto [place, is_new] = by_path.emplace(std::string(path), FileId{});
    if (is_new) {
      place->second = FileId{static_cast<uint32_t>(files.size())};
      files.push_back({std::string(path), syntax::language_of(path)});
      texts.emplace_back();
    } else if (files[place->second.index].path.empty()) {
      files[place->second.index].path = std::string(path);
    } else {
      return place->second;
    }
    is_changed = true;
    return place->second;
  }

  /// The modules of the library, which nobody edits.
  auto add_library(bool& is_changed) -> std::vector<FileId> {
    has_library = true;
    std::vector<FileId> ids;
    for (const LibraryModule& module : library_modules()) {
      std::string path(names::kLibraryFolder);
      path += module.name;
      path += ".tacet";
      ids.push_back(add(path, is_changed));
      texts[ids.back().index] = std::make_shared<const std::string>(module.text);
    }
    return ids;
  }

  void set_texts(query::Writer& writer, const std::vector<FileId>& ids,
                 query::Durability durability) const {
    for (const FileId id : ids) {
      writer.set<syntax::SourceText>(id, {texts[id.index], files[id.index].language}, durability);
    }
  }

  [[nodiscard]] auto present(bool of_library) const -> std::vector<FileId> {
    std::vector<FileId> ids;
    for (uint32_t i = 0; i < files.size(); ++i) {
      if (!files[i].path.empty() && names::is_library_path(files[i].path) == of_library) {
        ids.push_back(FileId{i});
      }
    }
    return ids;
  }

  void set_workspace(query::Writer& writer) const {
    writer.set<names::WorkspaceInput>(
        {}, std::make_shared<const names::Workspace>(files, source_folders),
        query::Durability::Medium);
  }
};

Frontend::Frontend() : state_(std::make_unique<State>()) {
  query::Database& database = state_->database;
  database.set_capacity<check::BodyOf>(kKeptBodies);
  database.set_capacity<hir::FunctionOf>(kKeptGraphs);
  database.set_capacity<hir::SsaOf>(kKeptGraphs);
  database.set_capacity<flow::FlowsOf>(kKeptGraphs);
  database.set_capacity<infer::QuotientsOf>(kKeptGraphs);
  database.set_capacity<infer::TimelineQuotientsOf>(kKeptGraphs);
}

Frontend::~Frontend() = default;

auto Frontend::set_file(std::string_view path, std::string text, query::Durability durability)
    -> FileId {
  return set_file(path, std::make_shared<const std::string>(std::move(text)), durability);
}

auto Frontend::set_file(std::string_view path, SharedText text, query::Durability durability)
    -> FileId {
  std::vector<std::pair<std::string, SharedText>> files;
  files.emplace_back(std::string(path), std::move(text));
  return set_files(std::move(files), durability).front();
}

auto Frontend::set_files(std::vector<std::pair<std::string, std::string>> files,
                         query::Durability durability) -> std::vector<FileId> {
  std::vector<std::pair<std::string, SharedText>> shared;
  shared.reserve(files.size());
  for (auto& [path, text] : files) {
    shared.emplace_back(std::move(path), std::make_shared<const std::string>(std::move(text)));
  }
  return set_files(std::move(shared), durability);
}

auto Frontend::set_files(std::vector<std::pair<std::string, SharedText>> files,
                         query::Durability durability) -> std::vector<FileId> {
  const std::scoped_lock writing(state_->writing);
  std::vector<FileId> ids;
  std::vector<FileId> library;
  bool is_changed = false;
  {
    const std::unique_lock lock(state_->mutex);
    bool imports = false;
    for (auto& [path, text] : files) {
      const FileId id = state_->add(path, is_changed);
      imports = imports || (text != nullptr && text->find("import") != std::string::npos);
      state_->texts[id.index] = std::move(text);
      ids.push_back(id);
    }
    if (imports && !state_->has_library) {
      library = state_->add_library(is_changed);
    }
  }
  state_->database.write([&](query::Writer& writer) {
    state_->set_texts(writer, ids, durability);
    state_->set_texts(writer, library, query::Durability::Medium);
    if (is_changed) {
      state_->set_workspace(writer);
    }
  });
  return ids;
}

void Frontend::add_library() {
  const std::scoped_lock writing(state_->writing);
  if (state_->has_library) {
    return;
  }
  std::vector<FileId> library;
  {
    const std::unique_lock lock(state_->mutex);
    bool is_changed = false;
    library = state_->add_library(is_changed);
  }
  state_->database.write([&](query::Writer& writer) {
    state_->set_texts(writer, library, query::Durability::Medium);
    state_->set_workspace(writer);
  });
}

void Frontend::remove_file(std::string_view path) {
  const std::scoped_lock writing(state_->writing);
  auto found = state_->by_path.find(std::string(path));
  if (found == state_->by_path.end()) {
    return;
  }
  const FileId id = found->second;
  {
    const std::unique_lock lock(state_->mutex);
    state_->files[id.index].path.clear();
    state_->texts[id.index] = std::make_shared<const std::string>();
  }
  state_->database.write([&](query::Writer& writer) {
    writer.set<syntax::SourceText>(id, {state_->texts[id.index], state_->files[id.index].language},
                                   query::Durability::Low);
    state_->set_workspace(writer);
  });
}

void Frontend::set_source_folders(std::vector<std::string> folders) {
  const std::scoped_lock writing(state_->writing);
  {
    const std::unique_lock lock(state_->mutex);
    state_->source_folders = std::move(folders);
  }
  state_->database.write([&](query::Writer& writer) { state_->set_workspace(writer); });
}

auto Frontend::find_file(std::string_view path) const -> std::optional<FileId> {
  const std::shared_lock lock(state_->mutex);
  auto found = state_->by_path.find(std::string(path));
  if (found == state_->by_path.end() || state_->files[found->second.index].path.empty()) {
    return std::nullopt;
  }
  return found->second;
}

auto Frontend::path(FileId file) const -> std::string {
  const std::shared_lock lock(state_->mutex);
  return file.index < state_->files.size() ? state_->files[file.index].path : std::string();
}

auto Frontend::files() const -> std::vector<FileId> {
  const std::shared_lock lock(state_->mutex);
  return state_->present(false);
}

auto Frontend::library_files() const -> std::vector<FileId> {
  const std::shared_lock lock(state_->mutex);
  return state_->present(true);
}

auto Frontend::text(FileId file) const -> std::shared_ptr<const std::string> {
  const std::shared_lock lock(state_->mutex);
  return file.index < state_->texts.size() ? state_->texts[file.index] : nullptr;
}

auto Frontend::snapshot() -> FrontendSnapshot {
  return {state_->database.snapshot(), state_->interner, state_->types, state_->items};
}

auto Frontend::database() -> query::Database& {
  return state_->database;
}

auto Frontend::interner() -> Interner& {
  return state_->interner;
}

auto Frontend::types() -> types::TypeStore& {
  return state_->types;
}

}  // namespace tacet::program
