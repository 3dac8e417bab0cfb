#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/query/revision.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/folding.h"
#include "lsp/ide/formatting.h"
#include "lsp/ide/name_colours.h"
#include "lsp/ide/selection_ranges.h"
#include "lsp/ide/signature_help.h"

namespace tacet::ide {
namespace {

/// One file and its analysis.
class Fixture {
 public:
  explicit Fixture(std::string text, const std::string& path = "/a.tacet")
      : text_(std::make_shared<const std::string>(std::move(text))) {
    FileChange change{path, text_, true};
    host_->apply({&change, 1});
    analysis_ = host_->analysis({});
    file_ = *analysis_->file(path);
  }

  auto operator->() const -> const Analysis* { return analysis_.get(); }
  auto operator*() const -> const Analysis& { return *analysis_; }
  [[nodiscard]] auto file() const -> FileId { return file_; }
  [[nodiscard]] auto all() const -> TextRange { return {0, static_cast<uint32_t>(text_->size())}; }
  [[nodiscard]] auto text(TextRange range) const -> std::string {
    return text_->substr(range.begin, range.length());
  }
  [[nodiscard]] auto source() const -> const std::string& { return *text_; }

 private:
  std::shared_ptr<const std::string> text_;
  std::unique_ptr<AnalysisHost> host_ = std::make_unique<AnalysisHost>();
  std::unique_ptr<Analysis> analysis_;
  FileId file_;
};

constexpr const char* kModule = R"(#version 0.1.0
import a
import b

// one
// two
feq f {
    /* three */
    val g(x: i64) -> i64 {
        returns x
    }
    extern(cpu) pure h(i64) -> i64
}

/// Doc.
fn k(x: i64)
    -> i64 impls f {
    let y = 1; y
}
)";

auto outline(const std::vector<Symbol>& symbols, int depth = 0) -> std::string {
  std::string out;
  for (const Symbol& symbol : symbols) {
    out += fmt::format("{:{}}{} {} {}\n", "", 2 * depth, static_cast<int>(symbol.kind), symbol.name,
                       symbol.detail);
    out += outline(symbol.children, depth + 1);
  }
  return out;
}

TEST(DocumentSymbols, ListsItemsAndTheMembersOfClasses) {
  Fixture fixture(kModule);
  EXPECT_EQ(
      outline(document_symbols(*fixture->syntax(fixture.file()))),
      fmt::format("{} f \n  {} g (x: i64) -> i64\n  {} h (i64) -> i64\n{} k (x: i64) -> i64\n",
                  static_cast<int>(SymbolKind::Class), static_cast<int>(SymbolKind::ValueSpec),
                  static_cast<int>(SymbolKind::Extern), static_cast<int>(SymbolKind::Function)));
}

TEST(DocumentSymbols, ABrokenItemHasANameToo) {
  Fixture fixture("#version 0.1.0\nval (");
  for (const Symbol& symbol : document_symbols(*fixture->syntax(fixture.file()))) {
    EXPECT_FALSE(symbol.name.empty());
  }
}

TEST(Folding, FoldsBracesCommentsAndImports) {
  Fixture fixture(kModule);
  std::string found;
  for (const Fold& fold : folding_ranges(*fixture->syntax(fixture.file()))) {
    std::string text = fixture.text(fold.range);
    found += fmt::format("{} {}…{}\n", static_cast<int>(fold.kind), text.substr(0, 5),
                         text.substr(text.size() - 3));
  }
  EXPECT_EQ(found,
            "2 impor…t b\n"
            "1 // on…two\n"
            "0 {\n   …4\n}\n"
            "1 /* th… */\n"
            "0 {\n   …  }\n"
            "1 /// D…oc.\n"
            "0 {\n   …y\n}\n");
}

auto colours(const Fixture& fixture, TextRange range) -> std::string {
  std::string out;
  for (const Token& token : semantic_tokens(*fixture, fixture.file(), range)) {
    out += fmt::format("{}:{}{} ", fixture.text(token.range), static_cast<int>(token.kind),
                       token.modifiers == 0 ? "" : fmt::format("+{}", token.modifiers));
  }
  return out;
}

TEST(SemanticTokens, ColourWordsLiteralsCommentsAndNames) {
  Fixture fixture(kModule);
  auto begin = static_cast<uint32_t>(fixture.source().find("/// Doc"));
  EXPECT_EQ(
      colours(fixture, {begin, fixture.all().end}),
      "/// Doc.:11+8 fn:10 k:9+1 x:6+1 i64:1+16 i64:1+16 impls:10 f:9 let:10 y:7+5 1:13 y:7+4 ");
}

TEST(SemanticTokens, AreInOrderAndApart) {
  Fixture fixture(kModule);
  uint32_t end = 0;
  for (const Token& token : semantic_tokens(*fixture, fixture.file(), fixture.all())) {
    EXPECT_LE(end, token.range.begin);
    end = token.range.end;
  }
}

TEST(CodeActions, OfferTheFixOfTheDiagnosticAtTheCursor) {
  Fixture fixture(
      "#version 0.1.0\nval v() -> i64 { returns 1 }\nconst c = 2 * (1 + 1\nconst d = 2 * (2 + 2\n");
  auto diagnostics = file_diagnostics(*fixture, fixture.file());
  ASSERT_EQ(diagnostics.size(), 2U);
  auto actions =
      actions_at(*fixture, fixture.file(), diagnostics[1].place.range, FixAll::WithEdits);
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_TRUE(actions[0].is_preferred);
  EXPECT_EQ(actions[0].diagnostic, diagnostics[1]);
  EXPECT_EQ(actions[1].kind, Action::Kind::FixAll);
  Fixture fixed(apply_edits(fixture.source(), actions[1].edits));
  EXPECT_TRUE(file_diagnostics(*fixed, fixed.file()).empty());
  EXPECT_EQ(actions_at(*fixture, fixture.file(), {0, 0}, FixAll::WithEdits).size(), 1U);
}

TEST(Formatting, GivesEditsForTheRequestedRange) {
  Fixture fixture("#version 0.1.0\n\nconst  a = 1\n\nconst  b = 2\n");
  auto whole = format_edits(*fixture, fixture.file(), fixture.all(), {});
  EXPECT_EQ(apply_edits(fixture.source(), whole), "#version 0.1.0\n\nconst a = 1\n\nconst b = 2\n");
  auto begin = static_cast<uint32_t>(fixture.source().find("const  b"));
  auto part = format_edits(*fixture, fixture.file(), {begin + 1, begin + 2}, {});
  EXPECT_EQ(apply_edits(fixture.source(), part), "#version 0.1.0\n\nconst  a = 1\n\nconst b = 2\n");
}

TEST(CompilerHost, ANewRevisionCancelsTheOldAnalyses) {
  auto host = std::make_unique<AnalysisHost>();
  auto text = std::make_shared<const std::string>("#version 0.1.0\n");
  FileChange change{"/a.tacet", text, true};
  host->apply({&change, 1});
  auto before = host->analysis({});
  FileId file = *before->file("/a.tacet");
  change.text = std::make_shared<const std::string>("#version 0.1.0\n// more\n");
  host->apply({&change, 1});
  EXPECT_THROW(static_cast<void>(file_diagnostics(*before, file)), query::Cancelled);
  CancellationToken token;
  auto after = host->analysis(token);
  EXPECT_TRUE(file_diagnostics(*after, file).empty());
  change.text = nullptr;
  host->apply({&change, 1});
  EXPECT_EQ(host->analysis({})->file("/a.tacet"), std::nullopt);
}

/// The text of each parameter of a head.
auto parameters(std::string_view head, std::string_view name) -> std::vector<std::string> {
  std::vector<std::string> found;
  for (TextRange range : parameters_of_head(head, name)) {
    found.emplace_back(head.substr(range.begin, range.length()));
  }
  return found;
}

TEST(SignatureHelp, CutsHeadsAtTheirOwnCommas) {
  using Parameters = std::vector<std::string>;
  EXPECT_EQ(parameters("fn f(a: i64, b: [i64; 2, 3]) -> i64", "f"),
            (Parameters{"a: i64", "b: [i64; 2, 3]"}));
  EXPECT_EQ(parameters("extern(cpu) pure h(i64, (i64, i64))", "h"),
            (Parameters{"i64", "(i64, i64)"}));
  EXPECT_EQ(parameters("fn g(e: Encoder'{ a: i64'<storage, map_read>, b: i64 }, n: i64)", "g"),
            (Parameters{"e: Encoder'{ a: i64'<storage, map_read>, b: i64 }", "n: i64"}));
  EXPECT_EQ(parameters("rand_u64()", "rand_u64"), Parameters{});
  EXPECT_EQ(parameters("val f", "f"), Parameters{});
}

TEST(SignatureHelp, KnowsTheFormsOfWhatIsBuiltIn) {
  const std::string text = "#version 0.1.0\nfn(mpc) f(x: secret i64) -> i64 {\n    reveal(x, ";
  Fixture fixture(text + "\n}\n");
  const auto help =
      signature_help(fixture->snapshot(), fixture.file(), static_cast<uint32_t>(text.size()));
  ASSERT_TRUE(help);
  ASSERT_EQ(help->signatures.size(), 2U);
  EXPECT_EQ(help->signatures[1].head, "reveal(e, to p)");
  EXPECT_EQ(help->active, 1U);
  EXPECT_EQ(help->parameter, 1U);
  EXPECT_EQ(help->signatures[0].documentation, "makes a secret public, to all parties or to `p`.");
}

TEST(SelectionRanges, GrowAndEndWithTheFile) {
  Fixture fixture(kModule);
  for (uint32_t offset = 0; offset <= fixture.all().end; ++offset) {
    const std::vector<TextRange> ranges =
        selection_ranges(*fixture->syntax(fixture.file()), offset);
    ASSERT_FALSE(ranges.empty());
    EXPECT_EQ(ranges.back(), fixture.all());
    for (size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_TRUE(ranges[i].begin <= offset && offset <= ranges[i].end) << offset;
      EXPECT_TRUE(i == 0 || (ranges[i].begin <= ranges[i - 1].begin &&
                             ranges[i].end >= ranges[i - 1].end && ranges[i] != ranges[i - 1]));
    }
  }
}

}  // namespace
}  // namespace tacet::ide
