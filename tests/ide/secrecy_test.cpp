// What hovers, hints and tokens say of secrets is what the analysis of secrecy finds, at every name
// of every device function in the fixtures.

#include "compiler/device/oblivious/secrecy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/walk.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/hover.h"
#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/name_colours.h"
#include "tests/harness/files.h"
#include "tests/harness/sections.h"

namespace tacet::ide {
namespace {

/// By offset in a file: whether a secret is there.
using Secrets = std::map<uint32_t, bool>;

/// What the analysis finds of one function.
struct Found {
  Secrets reads;      ///< of variables, where their names are
  Secrets variables;  ///< what they ever hold, where they are declared
};

void add(Secrets& secrets, uint32_t offset, bool is_secret) {
  bool& known = secrets[offset];
  known = known || is_secret;
}

auto find_secrets(const kernel::Kernel& kernel, FileId file) -> Found {
  Found found;
  const oblivious::Secrecy secrecy = oblivious::analyse_secrecy(kernel);
  const auto note = [&](kernel::VariableId id, bool is_secret) {
    const FileRange place = kernel.variables[id].place;
    const bool is_column = !kernel.variables[id].path.empty();  // its name is that of others, too
    if (place.file == file && !is_column) {
      add(found.variables, place.range.begin, is_secret);
    }
  };
  kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId at) {
    if (!secrecy.is_reached(at)) {
      return;
    }
    kernel::visit_exprs(kernel.statements[at], [&](kernel::ExprId root) {
      kernel::walk_exprs(kernel, root, [&](kernel::ExprId expr) {
        const auto* read = std::get_if<kernel::Read>(&kernel.exprs[expr].node);
        if (read == nullptr) {
          return;
        }
        if (!kernel.variables[read->variable].path.empty()) {
          return;
        }
        const bool is_secret = secrecy.is_secret(at, expr);
        note(read->variable, is_secret);
        if (const FileRange place = kernel.exprs[expr].place; place.file == file) {
          add(found.reads, place.range.begin, is_secret);
        }
      });
    });
  });
  return found;
}

/// The answers of the features about one file.
class Answers {
 public:
  Answers(const Analysis& analysis, FileId file)
      : analysis_(analysis), file_(file), text_(analysis.text(file)) {
    const TextRange whole{0, static_cast<uint32_t>(text_->size())};
    for (const Token& token : semantic_tokens(analysis, file, whole)) {
      tokens_[token.range.begin] = (token.modifiers & kSecret) != 0;
      ends_[token.range.begin] = token.range.end;
    }
    for (const Hint& hint :
         inlay_hints(analysis.snapshot(), file, whole, {.costs = false}, analysis.parties(file))) {
      if (hint.kind == Hint::Kind::Type) {
        hints_[hint.offset] = hint.text.starts_with(": secret ");
      }
    }
  }

  [[nodiscard]] auto is_name(uint32_t offset) const -> bool {
    const auto entity = analysis_.snapshot().entity_at(file_, offset);
    return entity && entity->local != names::Local::kNone && entity->range.begin == offset;
  }

  /// Where a variable is read.
  void expect_read(uint32_t offset, bool is_secret) const {
    EXPECT_EQ(tokens_.at(offset), is_secret) << "token " << place(offset);
    const std::string text = hover_at(offset);
    const bool is_public = text.ends_with("\npublic") || text.ends_with("public value here") ||
                           text.find("\npublic\n") != std::string::npos ||
                           text.find("public value here\n") != std::string::npos;
    EXPECT_EQ(is_public, !is_secret) << text << "\n" << place(offset);
  }

  /// Where a variable is declared. Its type may say `secret` of what holds none.
  void expect_variable(uint32_t offset, bool is_secret) const {
    if (!is_secret) {
      return;
    }
    EXPECT_TRUE(tokens_.at(offset)) << "token " << place(offset);
    EXPECT_NE(hover_at(offset).find(": secret "), std::string::npos) << hover_at(offset) << "\n"
                                                                     << place(offset);
    if (const auto hint = hints_.find(ends_.at(offset)); hint != hints_.end()) {
      EXPECT_TRUE(hint->second) << "hint " << place(offset);
    }
  }

 private:
  [[nodiscard]] auto hover_at(uint32_t offset) const -> std::string {
    const auto found =
        hover(analysis_.snapshot(), file_, offset, analysis_.plans(), analysis_.parties(file_));
    return found ? found->markdown : std::string();
  }
  [[nodiscard]] auto place(uint32_t offset) const -> std::string {
    const size_t begin = offset == 0 ? 0 : text_->rfind('\n', offset - 1) + 1;
    return fmt::format("at column {} of {}", offset - begin + 1,
                       text_->substr(begin, text_->find('\n', offset) - begin));
  }

  const Analysis& analysis_;
  FileId file_;
  std::shared_ptr<const std::string> text_;
  Secrets tokens_, hints_;
  std::map<uint32_t, uint32_t> ends_;
};

struct Counts {
  size_t secret = 0;
  size_t open = 0;
};

void compare(const std::filesystem::path& path, Counts& counts) {
  SCOPED_TRACE(path.string());
  const auto host = std::make_unique<AnalysisHost>();
  const std::string name = "/" + path.filename().string();
  const std::vector<FileChange> changes = {
      {name, std::make_shared<const std::string>(harness::read_file(path)), true}};
  host->apply(changes);
  const auto analysis = host->analysis({});
  const FileId file = *analysis->file(name);
  const auto& snapshot = analysis->snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    if (diagnostic.severity == Severity::Error) {
      return;
    }
  }
  const Answers answers(*analysis, file);
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn || !snapshot.signature(item.id)->is_device_function) {
      continue;
    }
    const kernel::Lowering lowering = kernel::lower(snapshot, item.id);
    if (!lowering.kernel) {
      continue;
    }
    const auto is_inside = [&](uint32_t offset) {
      const auto entity = snapshot.entity_at(file, offset);
      return entity && entity->in_item == item.id && answers.is_name(offset);
    };
    const Found found = find_secrets(*lowering.kernel, file);
    for (const auto& [offset, is_secret] : found.reads) {
      if (is_inside(offset)) {
        answers.expect_read(offset, is_secret);
        ++(is_secret ? counts.secret : counts.open);
      }
    }
    for (const auto& [offset, is_secret] : found.variables) {
      if (is_inside(offset)) {
        answers.expect_variable(offset, is_secret);
      }
    }
  }
}

TEST(Secrecy, IsShownAsTheAnalysisFindsIt) {
  Counts counts;
  for (const std::string_view folder :
       {"tests/check", "tests/oblivious", "tests/lift", "tests/ide/secrecy"}) {
    for (const auto& path : harness::find_files({.folder = std::string(folder),
                            .endings = {".tacet"},
                            .depth = harness::Depth::Below})) {
      compare(path, counts);
    }
  }
  EXPECT_GT(counts.secret, 800U);
  EXPECT_GT(counts.open, 300U);
}

}  // namespace
}  // namespace tacet::ide
