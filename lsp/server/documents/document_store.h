#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/server/documents/document.h"

namespace tacet::lsp {

/// The open documents at one moment, by the path that the analysis knows. Immutable
/// and shared by the requests of that moment.
class OpenDocuments {
 public:
  explicit OpenDocuments(std::vector<std::shared_ptr<const DocumentView>> documents);

  [[nodiscard]] auto find_uri(std::string_view uri) const -> std::shared_ptr<const DocumentView>;
  [[nodiscard]] auto find_path(std::string_view path) const -> std::shared_ptr<const DocumentView>;

 private:
  std::vector<std::shared_ptr<const DocumentView>> documents_;
};

/// All documents that the client has open, and which ones the analysis does not know yet. Used by
/// the main thread alone.
class DocumentStore {
 public:
  /// Replaces a document of the same URI; says whether there was one.
  auto open(DidOpenParams params) -> bool;
  /// Null if it is not open.
  auto find(std::string_view uri) -> Document*;
  auto find_path(std::string_view path) -> Document*;
  /// Says whether it was open.
  auto close(std::string_view uri) -> bool;

  /// Notes that the analysis must be notified of a path.
  void touch(const std::string& path);
  [[nodiscard]] auto size() const -> size_t { return documents_.size(); }
  [[nodiscard]] auto has_touched() const -> bool { return !touched_.empty(); }
  /// The paths noted since the last call, in the order of the last touch.
  auto take_touched() -> std::vector<std::string>;

  /// The documents as they are now; the same object until something changes.
  auto snapshot() -> std::shared_ptr<const OpenDocuments>;

  [[nodiscard]] auto all() -> std::vector<Document*>;

 private:
  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;
  std::vector<std::string> touched_;
  std::shared_ptr<const OpenDocuments> snapshot_;
};

}  // namespace tacet::lsp
