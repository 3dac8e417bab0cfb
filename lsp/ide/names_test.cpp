#include <gtest/gtest.h>

#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/goto_definition.h"
#include "lsp/ide/hover.h"

namespace tacet::ide {
namespace {

/// A file and one it imports, with the place that `$0` marks in the first.
class Names {
 public:
  Names(std::string text, std::string library) {
    offset_ = static_cast<uint32_t>(text.find("$0"));
    text.erase(offset_, 2);
    texts_ = {text, library};
    std::vector<FileChange> changes = {
        {"/w/a.tacet", std::make_shared<const std::string>(text), true},
        {"/w/library.tacet", std::make_shared<const std::string>(library), false}};
    host_->apply(changes);
    analysis_ = host_->analysis({});
    file_ = *analysis_->file("/w/a.tacet");
  }

  auto hover() -> std::string {
    auto found = ide::hover(analysis_->snapshot(), file_, offset_, analysis_->plans(),
                            analysis_->parties(file_));
    return found ? found->markdown : "";
  }

  /// `path:text of the target`, and what it was reached from.
  auto definition() -> std::string {
    DefinitionLinks links = goto_definition(analysis_->snapshot(), file_, offset_);
    if (links.targets.size() != 1) {
      return std::to_string(links.targets.size()) + " targets";
    }
    const Definition& target = links.targets.front();
    std::string path = analysis_->path(target.file);
    const std::string& text = texts_[path == "/w/a.tacet" ? 0 : 1];
    return texts_[0].substr(links.origin.begin, links.origin.length()) + " -> " + path + ":" +
           text.substr(target.name.begin, target.name.length()) + "@" +
           std::to_string(target.name.begin);
  }

  [[nodiscard]] auto n_diagnostics() const -> size_t {
    return file_diagnostics(*analysis_, file_).size();
  }

 private:
  std::vector<std::string> texts_;
  uint32_t offset_ = 0;
  std::unique_ptr<AnalysisHost> host_ = std::make_unique<AnalysisHost>();
  std::unique_ptr<Analysis> analysis_;
  FileId file_;
};

constexpr const char* kLibrary =
    "#version 0.1.0\n/// One more than `x`.\nval next(x: i64) -> i64 { returns x + 1 }\n";

TEST(Hover, ShowsHeadAndDocumentationAcrossFiles) {
  Names names("#version 0.1.0\nimport library\nval v() -> i64 { returns ne$0xt(1) }\n", kLibrary);
  EXPECT_EQ(names.n_diagnostics(), 0U);
  EXPECT_EQ(names.hover(), "```tacet\nval next(x: i64) -> i64\n```\n\n---\nOne more than `x`.");
  EXPECT_EQ(names.definition(), "next -> /w/library.tacet:next@42");
}

TEST(Hover, ShowsTheTypeOfALocal) {
  Names names("#version 0.1.0\nval v(a: i64) -> i64 { b :- a + 1 returns b$0 }\n", kLibrary);
  EXPECT_NE(names.hover().find("b: i64"), std::string::npos) << names.hover();
  EXPECT_EQ(names.definition(), "b -> /w/a.tacet:b@38");
}

TEST(Hover, ShowsNothingBetweenThings) {
  Names names("#version 0.1.0\n\n$0\n\nval v() -> i64 { returns 1 }\n", kLibrary);
  EXPECT_EQ(names.hover(), "");
  EXPECT_EQ(names.definition(), "0 targets");
}

}  // namespace
}  // namespace tacet::ide
