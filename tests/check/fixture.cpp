#include "tests/check/fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/line_index.h"
#include "compiler/spec/program/frontend.h"
#include "problems/problems.h"
#include "tests/harness/files.h"
#include "tests/harness/sections.h"

namespace tacet::program {

namespace {

auto trimmed(std::string_view text) -> std::string_view {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

auto severity_word(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::Error:
      return "ERROR";
    case Severity::Warning:
      return "WARNING";
    case Severity::Information:
      return "INFORMATION";
    case Severity::Hint:
      return "HINT";
  }
  return {};
}

auto is_severity(std::string_view word) -> bool {
  for (const Severity severity :
       {Severity::Error, Severity::Warning, Severity::Information, Severity::Hint}) {
    if (word == severity_word(severity)) {
      return true;
    }
  }
  return false;
}

/// `//~^^ ERROR[T1003] part of the message`, behind the `//~`. Nothing if it is malformed.
auto read_diagnostic(std::string_view text, uint32_t line) -> std::optional<ExpectedDiagnostic> {
  ExpectedDiagnostic expected;
  expected.line = line;
  while (!text.empty() && text.front() == '^') {
    text.remove_prefix(1);
    if (expected.line-- == 0) {
      return std::nullopt;
    }
  }
  text = trimmed(text);
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  expected.severity = text.substr(0, open);
  expected.code = text.substr(open + 1, close - open - 1);
  expected.part = trimmed(text.substr(close + 1));
  DiagnosticCode code = {};
  return is_severity(expected.severity) && find_code(expected.code, code) ? std::optional(expected)
                                                                          : std::nullopt;
}

/// Is the line a comment that starts with `^`, as those that mark the text above do?
auto marks_text_above(std::string_view line) -> bool {
  const std::string_view comment = trimmed(line);
  return comment.substr(0, 2) == "//" && trimmed(comment.substr(2)).substr(0, 1) == "^";
}

/// `// ^^^ type: i64` in a line that marks text. Nothing if it is malformed.
auto read_fact(std::string_view text, std::string_view what, uint32_t above_begin, uint32_t line)
    -> std::optional<ExpectedFact> {
  const size_t first = text.find('^');
  const size_t last = std::min(text.find_first_not_of('^', first), text.size());
  const std::string_view rest = trimmed(text.substr(last));
  if (rest.substr(0, what.size()) != what) {
    return std::nullopt;
  }
  return ExpectedFact{above_begin + static_cast<uint32_t>(first),
                      above_begin + static_cast<uint32_t>(last),
                      std::string(trimmed(rest.substr(what.size()))), line};
}

void add_malformed(FixtureFile& file, uint32_t line, std::string_view text) {
  file.malformed +=
      fmt::format("{}:{}: malformed annotation: {}\n", file.path, line + 1, trimmed(text));
}

void read_mark(FixtureFile& file, std::string_view text, uint32_t above_begin, uint32_t line) {
  if (auto type = read_fact(text, "type:", above_begin, line)) {
    file.types.push_back(std::move(*type));
  } else if (auto node = read_fact(text, "node:", above_begin, line)) {
    file.nodes.push_back(std::move(*node));
  } else {
    add_malformed(file, line, text);
  }
}

void read_expectations(FixtureFile& file) {
  uint32_t line = 0;
  uint32_t above = 0;
  size_t begin = 0;
  const std::string_view all = file.text;
  while (begin < all.size()) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view text = all.substr(begin, end - begin);
    if (marks_text_above(text)) {
      read_mark(file, text, above, line);
    } else {
      above = static_cast<uint32_t>(begin);
    }
    if (text.substr(0, 3) == "//-") {
      add_malformed(file, line, text);
    }
    for (size_t at = text.find("//~"); at != std::string_view::npos;) {
      const size_t next = text.find("//~", at + 3);
      const std::string_view annotation =
          text.substr(at, next == std::string_view::npos ? next : next - at);
      if (auto expected = read_diagnostic(annotation.substr(3), line)) {
        file.diagnostics.push_back(std::move(*expected));
      } else {
        add_malformed(file, line, annotation);
      }
      at = next;
    }
    begin = end + 1;
    ++line;
  }
}

/// The type of the smallest node that takes the whole range, or nothing.
auto type_at(const FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::optional<std::string> {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const uint32_t begin = snapshot.item_begin(item.id);
    const names::ItemTree tree = snapshot.tree(item.id);
    if (range.begin < begin || item.kind == names::ItemKind::Feq) {
      continue;
    }
    for (uint32_t i = static_cast<uint32_t>(tree->nodes.size()); i-- > 0;) {
      const syntax::NodeData& node = tree->nodes[i];
      if (TextRange{node.begin, node.end}.shifted(begin) != range) {
        continue;
      }
      const types::TypeId type = snapshot.body(item.id)->type(i);
      if (type != types::TypeStore::kError) {
        return types::type_text(snapshot.types(), snapshot.interner(), type);
      }
    }
  }
  return std::nullopt;
}

/// Compares the diagnostics of one file with the expected ones.
void compare(const FixtureFile& file, const std::vector<Diagnostic>& diagnostics,
             std::string& faults) {
  const LineIndex lines(file.text);
  std::vector<bool> is_met(file.diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) {
    const uint32_t line =
        lines.position(file.text, diagnostic.place.range.begin, PositionEncoding::Utf8).line;
    bool is_expected = false;
    for (size_t i = 0; i < file.diagnostics.size() && !is_expected; ++i) {
      const ExpectedDiagnostic& expected = file.diagnostics[i];
      is_expected = !is_met[i] && expected.line == line &&
                    expected.code == code_name(diagnostic.code) &&
                    expected.severity == severity_word(diagnostic.severity) &&
                    diagnostic.message.find(expected.part) != std::string::npos;
      is_met[i] = is_met[i] || is_expected;
    }
    if (!is_expected) {
      faults += fmt::format("{}:{}: unexpected {}[{}] {}\n", file.path, line + 1,
                            severity_word(diagnostic.severity), code_name(diagnostic.code),
                            diagnostic.message);
    }
  }
  for (size_t i = 0; i < file.diagnostics.size(); ++i) {
    if (!is_met[i]) {
      faults += fmt::format("{}:{}: missing {}[{}] {}\n", file.path, file.diagnostics[i].line + 1,
                            file.diagnostics[i].severity, file.diagnostics[i].code,
                            file.diagnostics[i].part);
    }
  }
}

}  // namespace

auto read_fixture(std::string_view path, std::string_view text) -> std::vector<FixtureFile> {
  std::vector<FixtureFile> files;
  for (const harness::ProgramFile& part : harness::split_files(text, path)) {
    const bool is_path = part.path.starts_with('/');
    FixtureFile& file =
        files.emplace_back(FixtureFile{part.path.substr(is_path ? 1 : 0), part.text});
    if (!is_path && part.line != 0) {
      file.malformed =
          fmt::format("{}:{}: malformed annotation: //- {}\n", path, part.line, part.path);
    }
    read_expectations(file);
  }
  return files;
}

auto fixture_paths() -> std::vector<std::filesystem::path> {
  return harness::find_files({.folder = "tests/check",
                              .endings = {".tacet", ".tlhe", ".cm"},
                              .least = 500,
                              .depth = harness::Depth::Below});
}

auto looks_of(const std::filesystem::path& path) -> Looks {
  const std::string folder = path.parent_path().filename().string();
  if (folder == "syntax") {
    return Looks::Syntax;
  }
  if (folder == "lint") {
    return Looks::Lint;
  }
  if (folder == "advice") {
    return Looks::Advice;
  }
  return folder == "names" || folder == "types" ? Looks::Types : Looks::Everything;
}

auto diagnostics_of(const FrontendSnapshot& snapshot, FileId file, Looks looks)
    -> std::vector<Diagnostic> {
  switch (looks) {
    case Looks::Syntax:
      return problems::find(snapshot, file, {.until = problems::Until::Syntax});
    case Looks::Types:
      return problems::find(snapshot, file, {.until = problems::Until::Types});
    case Looks::Everything:
      return problems::find(snapshot, file, {});
    case Looks::Lint:
    case Looks::Advice:
      break;
  }
  linter::Settings settings;
  settings.today = 20260101;
  if (looks == Looks::Lint) {
    settings.others = linter::Level::Allow;
    settings.groups[linter::Group::Obliviousness] = linter::Level::Warn;
    settings.groups[linter::Group::Suppression] = linter::Level::Warn;
  }
  return problems::find(
      snapshot, file,
      {.until = problems::Until::Types, .lint = linter::LintOptions{.settings = settings}});
}

auto run_fixture(std::string_view path, std::string_view text, Looks looks) -> std::string {
  const std::vector<FixtureFile> files = read_fixture(path, text);
  Frontend frontend;
  std::vector<FileId> ids;
  for (const FixtureFile& file : files) {
    ids.push_back(frontend.set_file(file.path, file.text));
  }
  const FrontendSnapshot snapshot = frontend.snapshot();
  std::string faults;
  for (size_t i = 0; i < files.size(); ++i) {
    faults += files[i].malformed;
    compare(files[i], diagnostics_of(snapshot, ids[i], looks), faults);
    for (const ExpectedFact& expected : files[i].nodes) {
      const auto hover = snapshot.hover(ids[i], expected.begin);
      if (!hover || hover->node != expected.text) {
        faults += fmt::format("{}:{}: the node is {}, expected {}\n", files[i].path,
                              expected.line + 1, hover ? hover->node : "not known", expected.text);
      }
    }
    for (const ExpectedFact& expected : files[i].types) {
      const auto found = type_at(snapshot, ids[i], {expected.begin, expected.end});
      if (found != expected.text) {
        faults += fmt::format("{}:{}: the type is {}, expected {}\n", files[i].path,
                              expected.line + 1, found.value_or("not known"), expected.text);
      }
    }
  }
  return faults;
}

}  // namespace tacet::program
