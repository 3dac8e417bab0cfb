#include "lsp/server/documents/document_store.h"

#include <algorithm>
#include <utility>

namespace tacet::lsp {

OpenDocuments::OpenDocuments(std::vector<std::shared_ptr<const DocumentView>> documents)
    : documents_(std::move(documents)) {}

auto OpenDocuments::find_uri(std::string_view uri) const -> std::shared_ptr<const DocumentView> {
  for (const auto& document : documents_) {
    if (document->uri == uri) {
      return document;
    }
  }
  return nullptr;
}

auto OpenDocuments::find_path(std::string_view path) const -> std::shared_ptr<const DocumentView> {
  for (const auto& document : documents_) {
    if (document->path == path) {
      return document;
    }
  }
  return nullptr;
}

auto DocumentStore::open(DidOpenParams params) -> bool {
  auto document = std::make_unique<Document>(params.uri, params.version, std::move(params.text));
  touch(document->path());
  auto [at, is_new] = documents_.insert_or_assign(std::move(params.uri), std::move(document));
  return !is_new;
}

auto DocumentStore::find(std::string_view uri) -> Document* {
  auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second.get();
}

auto DocumentStore::find_path(std::string_view path) -> Document* {
  for (auto& [uri, document] : documents_) {
    if (document->path() == path) {
      return document.get();
    }
  }
  return nullptr;
}

auto DocumentStore::close(std::string_view uri) -> bool {
  auto found = documents_.find(uri);
  if (found == documents_.end()) {
    return false;
  }
  touch(found->second->path());
  documents_.erase(found);
  return true;
}

void DocumentStore::touch(const std::string& path) {
  std::erase(touched_, path);
  touched_.push_back(path);
  snapshot_.reset();
}

auto DocumentStore::take_touched() -> std::vector<std::string> {
  return std::exchange(touched_, {});
}

auto DocumentStore::snapshot() -> std::shared_ptr<const OpenDocuments> {
  if (snapshot_ == nullptr) {
    std::vector<std::shared_ptr<const DocumentView>> views;
    for (auto& [uri, document] : documents_) {
      views.push_back(document->view());
    }
    snapshot_ = std::make_shared<const OpenDocuments>(std::move(views));
  }
  return snapshot_;
}

auto DocumentStore::all() -> std::vector<Document*> {
  std::vector<Document*> found;
  for (auto& [uri, document] : documents_) {
    found.push_back(document.get());
  }
  return found;
}

}  // namespace tacet::lsp
