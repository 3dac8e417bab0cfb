#include "bench/process/edit_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "bench/process/language_client.h"

namespace tacet::bench {

namespace {

/// Text that takes the place of `removed`, which is found behind the middle of the file.
struct Edit {
  std::string_view name;
  /// Where the edit is: at the end of this text.
  std::string_view behind;
  std::string_view removed;
  std::string_view inserted;
};

constexpr Edit kEdits[] = {
    {"letter in a body", "if value < ", "low {", "lot {"},
    {"letter in a function's name", "\nfn clamp_local", "", "x"},
    {"letter in a specification's name", "\nval clamp", "", "x"},
    {"item added", "\n}\n", "", "\nval one() -> i64 { returns 1 }\n"},
    {"brace removed", "impls clamp_", "", ""},
    {"comment opened", "\n}\n", "", "/*"},
};

/// One open document that is edited anywhere.
class EditedDocument {
 public:
  EditedDocument(LanguageClient& client, const std::string& path, std::string text)
      : client_(client), uri_(json_text(uri_of(path))), text_(std::move(text)) {
    client_.notify("textDocument/didOpen",
                   fmt::format(R"({{"textDocument":{{"uri":{},"languageId":"tacet","version":1,)"
                               R"("text":{}}}}})",
                               uri_, json_text(text_)));
  }

  [[nodiscard]] auto text() const -> const std::string& { return text_; }

  void replace(size_t offset, size_t n_removed, std::string_view inserted) {
    const std::string range =
        fmt::format(R"({{"start":{},"end":{}}})", place(offset), place(offset + n_removed));
    text_.replace(offset, n_removed, inserted);
    client_.notify("textDocument/didChange",
                   fmt::format(R"({{"textDocument":{{"uri":{},"version":{}}},)"
                               R"("contentChanges":[{{"range":{},"text":{}}}]}})",
                               uri_, ++version_, range, json_text(inserted)));
  }

  /// The diagnostics of the present version, as JSON text.
  auto diagnostics() -> std::string {
    for (;;) {
      std::string message = client_.receive();
      if (message.find("textDocument/publishDiagnostics") == std::string::npos) {
        continue;
      }
      if (message.find(uri_) != std::string::npos &&
          message.find(fmt::format("\"version\":{}", version_)) != std::string::npos) {
        return message;
      }
    }
  }

  auto ask(std::string_view method, std::string_view more = "") -> std::string {
    return client_.wait_for_answer(client_.send_request(
        method, fmt::format(R"({{"textDocument":{{"uri":{}}}{}}})", uri_, more)));
  }

 private:
  auto place(size_t offset) const -> std::string {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    const size_t before = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    return fmt::format(R"({{"line":{},"character":{}}})", line,
                       before == std::string::npos ? offset : offset - before - 1);
  }

  LanguageClient& client_;
  std::string uri_;
  std::string text_;
  int version_ = 1;
};

/// What is published, without the version.
auto findings(const std::string& message) -> std::string {
  return nlohmann::json::parse(message)["params"]["diagnostics"].dump();
}

/// Where `edit` is made, and how much it removes.
auto range_of(const Edit& edit, std::string_view text) -> std::pair<size_t, size_t> {
  const size_t found = text.find(edit.behind, text.size() / 2);
  if (found == std::string_view::npos) {
    fail(fmt::format("no place for: {}", edit.name));
  }
  size_t begin = found + edit.behind.size();
  size_t length = edit.removed.size();
  if (edit.removed.empty() && edit.inserted.empty()) {
    begin = text.find('{', begin);
    length = 1;
  }
  return {begin, length};
}

class Measurement {
 public:
  Measurement(EditedDocument& document, const Edit& edit)
      : document_(document), edit_(edit), times_{std::string(edit.name), {}, {}, {}, {}, {}} {
    std::tie(begin_, length_) = range_of(edit, document.text());
    before_ = document.text().substr(begin_, length_);
  }

  auto run(int n) -> EditTimes {
    for (int i = 0; i < n; ++i) {
      const auto begin = Clock::now();
      flip();
      const std::string published = document_.diagnostics();
      times_.diagnostics.add(milliseconds_since(begin));
      compare(published);
    }
    requests("textDocument/documentSymbol", n / 4, times_.symbols);
    requests("textDocument/codeLens", n / 4, times_.lenses);
    requests("textDocument/foldingRange", n / 4, times_.folds);
    deltas(n / 4);
    return std::move(times_);
  }

 private:
  void flip() {
    is_made_ = !is_made_;
    if (is_made_) {
      document_.replace(begin_, length_, edit_.inserted);
    } else {
      document_.replace(begin_, edit_.inserted.size(), before_);
    }
  }

  /// The same text has the same findings.
  void compare(const std::string& published) {
    std::string& known = is_made_ ? findings_made_ : findings_undone_;
    const std::string found = findings(published);
    if (known.empty()) {
      known = found;
    } else if (known != found) {
      fail(fmt::format("{}: other findings than before: {}", edit_.name, found));
    }
  }

  void requests(std::string_view method, int n, Samples& samples) {
    for (int i = 0; i < n + n % 2; ++i) {
      flip();
      const auto begin = Clock::now();
      const std::string answer = document_.ask(method);
      samples.add(milliseconds_since(begin));
      if (answer.find("\"result\":[") == std::string::npos) {
        fail(fmt::format("{} was answered {:.200}", method, answer));
      }
      document_.diagnostics();
    }
  }

  void deltas(int n) {
    auto id_in = [](const std::string& answer) {
      return nlohmann::json::parse(answer)["result"].value("resultId", "");
    };
    std::string id = id_in(document_.ask("textDocument/semanticTokens/full"));
    for (int i = 0; i < n + n % 2; ++i) {
      flip();
      const auto begin = Clock::now();
      const std::string answer =
          document_.ask("textDocument/semanticTokens/full/delta",
                        fmt::format(R"(,"previousResultId":{})", json_text(id)));
      times_.tokens.add(milliseconds_since(begin));
      id = id_in(answer);
      document_.diagnostics();
    }
  }

  EditedDocument& document_;
  const Edit& edit_;
  EditTimes times_;
  size_t begin_ = 0;
  size_t length_ = 0;
  std::string before_;
  bool is_made_ = false;
  std::string findings_made_;
  std::string findings_undone_;
};

}  // namespace

auto measure_edits(const WorkspaceOnDisk& workspace, const std::string& program, int n_edits,
                   std::string_view only) -> std::vector<EditTimes> {
  // As editors do: symbols as a tree.
  static constexpr std::string_view kCapabilities =
      R"({"textDocument":{"publishDiagnostics":{"versionSupport":true},)"
      R"("documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}})";
  LanguageClient client(program, workspace.folder(), kCapabilities);
  EditedDocument document(client, workspace.files().front(), workspace.text());
  document.diagnostics();
  client.wait_until_idle();
  std::vector<EditTimes> all;
  for (const Edit& edit : kEdits) {
    if (edit.name.find(only) == std::string_view::npos) {
      continue;
    }
    Measurement(document, edit).run(8);
    all.push_back(Measurement(document, edit).run(n_edits));
  }
  return all;
}

}  // namespace tacet::bench
