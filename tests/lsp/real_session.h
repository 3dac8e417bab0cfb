#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/lsp/test_client.h"

namespace tacet::lsp {

/// A folder that is there as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  auto operator=(const TemporaryFolder&) -> TemporaryFolder& = delete;

  [[nodiscard]] auto path() const -> const std::filesystem::path& { return path_; }
  /// Writes a file, with the folders around it.
  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] auto uri(const std::string& name) const -> std::string {
    return "file://" + (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// A session with the server of the compiler. Messages that were not requested yet are kept.
class RealSession {
 public:
  /// `root` is the workspace, or empty.
  explicit RealSession(Json capabilities = Json::object(), const std::string& root = {});

  void open(const std::string& uri, std::string_view text);
  void insert(const std::string& uri, int line, int column, std::string_view text);
  void notify(std::string_view method, Json params);
  /// Sends a request and waits for its answer.
  auto ask(std::string_view method, Json params) -> Json;
  /// `ask` for a method that takes a document alone.
  auto ask_of(std::string_view method, const std::string& uri) -> Json;
  auto ask_at(std::string_view method, const std::string& uri, int line, int column) -> Json;
  /// The next notification or request of that method.
  auto wait_for(std::string_view method) -> Json;
  /// The diagnostics pushed last for a document, once `is_wanted` likes them.
  auto pushed(const std::string& uri, const std::function<bool(const Json&)>& is_wanted) -> Json;
  /// Waits until the server does nothing of its own accord any more: files are read and indexed.
  void settle();
  /// Answers a request of the server.
  void answer(const Json& request, Json result);
  /// Ends the session in order, and says with which code the server did.
  auto end() -> int;

  auto client() -> TestClient& { return client_; }

 private:
  /// The first message that `is_wanted` likes, of those kept or to come; null if none comes.
  auto take(const std::function<bool(const Json&)>& is_wanted) -> Json;

  TestClient client_;
  int n_requests_ = 0;
  int version_ = 1;
  std::deque<Json> kept_;
};

}  // namespace tacet::lsp
