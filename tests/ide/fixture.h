#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lsp/ide/analysis_host.h"
#include "lsp/ide/move_item.h"
#include "tests/harness/golden.h"

namespace tacet::ide {

/// The files of a case under analysis.
class Fixture {
 public:
  /// The title of a case is its feature, a colon, and what it shows.
  explicit Fixture(const harness::Case& test);

  /// What the feature of the case gives, as text, when what takes long has been found out.
  [[nodiscard]] auto answer() const -> std::string;

 private:
  [[nodiscard]] auto answer_now() const -> std::string;
  [[nodiscard]] auto hovers() const -> std::string;
  [[nodiscard]] auto links(const DefinitionLinks& found) const -> std::string;
  [[nodiscard]] auto places(const std::vector<FileRange>& found) const -> std::string;
  [[nodiscard]] auto place(FileId file, TextRange range) const -> std::string;
  [[nodiscard]] auto highlights() const -> std::string;
  [[nodiscard]] auto renamed(std::string_view new_name) const -> std::string;
  [[nodiscard]] auto hints(HintOptions options) const -> std::string;
  [[nodiscard]] auto moved(MoveDirection direction) const -> std::string;
  [[nodiscard]] auto secrets() const -> std::string;
  [[nodiscard]] auto lenses() const -> std::string;
  [[nodiscard]] auto actions() const -> std::string;
  [[nodiscard]] auto refactored() const -> std::string;
  [[nodiscard]] auto text() const -> const std::string& { return *text_; }

  std::string feature_;
  std::unique_ptr<AnalysisHost> host_;
  std::unique_ptr<Analysis> analysis_;
  FileId file_;
  std::shared_ptr<const std::string> text_;
  uint32_t cursor_ = 0;
  uint32_t end_ = 0;  ///< of the selection
};

}  // namespace tacet::ide
