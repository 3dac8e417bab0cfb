#include "compiler/core/syntax/file_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/line_index.h"
#include "compiler/core/diagnostics/code.h"

namespace tacet::syntax {

namespace {

constexpr std::string_view kVersion = "0.1.0";

}  // namespace

auto Unit::item() const -> Node {
  for (Node child : tree->root().children()) {
    return child;
  }
  return {};
}

auto FileSyntax::unit_at(uint32_t offset) const -> size_t {
  auto next = std::upper_bound(units.begin(), units.end(), offset,
                               [](uint32_t at, const Unit& unit) { return at < unit.begin; });
  return next == units.begin() ? 0 : static_cast<size_t>(next - units.begin() - 1);
}

auto language_of(std::string_view path) -> Language {
  return path.ends_with(".tlhe") ? Language::ArrayProgram : Language::Module;
}

// ---- errors of the file as a whole ----

/// `# version 0.1.0`, of which the first character was reported.
static auto begins_with_a_hash(const FileSyntax& file) -> bool {
  if (file.units.empty()) {
    return false;
  }
  const Tree& tree = *file.units[0].tree;
  return !tree.errors.empty() && tree.errors[0].code == DiagnosticCode::T0003 &&
         file.units[0].item().text().starts_with('#');
}

static void check_version(FileSyntax& file) {
  bool seen = false;
  for (const Unit& unit : file.units) {
    const std::vector<NodeData>& nodes = unit.tree->nodes;
    if (nodes.size() < 2) {
      continue;
    }
    if (nodes[1].kind == NodeKind::VersionHeader) {
      Node item = unit.item();
      Node number = item.child(Field::Version);
      TextRange range = item.range().shifted(unit.begin);
      if (seen) {
        file.errors.push_back(
            make_diagnostic(DiagnosticCode::T0001, {FileId{}, range},
                            "`#version` may appear only once, at the start of the file"));
      } else if (number && number.text() != kVersion) {
        TextRange place = number.range().shifted(unit.begin);
        SyntaxError error = make_diagnostic(
            DiagnosticCode::T0008, {FileId{}, place},
            fmt::format("unsupported language version {}; this compiler supports {}", number.text(),
                        kVersion));
        error.fixes.push_back({fmt::format("write `{}`", kVersion),
                               Applicability::Unsafe,
                               {{place, std::string(kVersion)}}});
        file.errors.push_back(std::move(error));
      }
      seen = true;
      continue;
    }
    if (!seen) {
      break;
    }
  }
  if (!seen && !begins_with_a_hash(file)) {
    SyntaxError error =
        make_diagnostic(DiagnosticCode::T0007, {FileId{}, {0, 0}},
                        fmt::format("a module must start with `#version {}`", kVersion));
    error.fixes.push_back({fmt::format("insert `#version {}`", kVersion),
                           Applicability::Safe,
                           {{{0, 0}, fmt::format("#version {}\n", kVersion)}}});
    file.errors.push_back(std::move(error));
  }
}

static void check_result(FileSyntax& file) {
  for (const Unit& unit : file.units) {
    Node item = unit.item();
    if (item && !item.is(NodeKind::InputDeclaration)) {
      return;
    }
  }
  uint32_t end = file.size();
  file.errors.push_back(
      make_diagnostic(DiagnosticCode::T0001, {FileId{}, {end, end}},
                      "expected the program's result, found the end of the file"));
}

static void check_encoding(FileSyntax& file, std::string_view text) {
  size_t bad = find_invalid_utf8(text);
  if (bad == text.size()) {
    return;
  }
  auto offset = static_cast<uint32_t>(bad);
  const Unit& unit = file.units[file.unit_at(offset)];
  for (const SyntaxError& error : unit.tree->errors) {
    if (error.code == DiagnosticCode::T0010) {
      return;
    }
  }
  file.errors.push_back(make_diagnostic(
      DiagnosticCode::T0010, {FileId{}, {offset, offset + 1}},
      fmt::format("byte 0x{:02X} here is not valid UTF-8", static_cast<unsigned char>(text[bad]))));
}

static void check_file(FileSyntax& file, std::string_view text) {
  if (file.language == Language::Module) {
    check_version(file);
  } else {
    check_result(file);
  }
  check_encoding(file, text);
}

// ---- parsing ----

/// Parses units from `begin` on until `done(offset)` says that the rest is known.
template <class Done>
static void parse_units(FileSyntax& file, std::string_view text, uint32_t begin, const Done& done) {
  const auto size = static_cast<uint32_t>(text.size());
  ParserMemory memory;
  while (begin < size || file.units.empty()) {
    if (done(begin)) {
      return;
    }
    Unit unit;
    unit.tree = std::make_shared<const Tree>(parse_unit(text.substr(begin), file.language, memory));
    unit.begin = begin;
    begin = unit.end();
    file.units.push_back(std::move(unit));
  }
}

auto parse_file(std::string_view text, Language language) -> FileSyntax {
  TACET_CHECK(text.size() <= kMaxFileSize, "a text too large to parse");
  FileSyntax file;
  file.language = language;
  parse_units(file, text, 0, [](uint32_t) { return false; });
  check_file(file, text);
  return file;
}

static auto common_prefix(std::string_view a, std::string_view b) -> size_t {
  size_t n = std::min(a.size(), b.size());
  if (std::memcmp(a.data(), b.data(), n) == 0) {
    return n;
  }
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
      a.begin());
}

static auto common_suffix(std::string_view a, std::string_view b) -> size_t {
  size_t n = std::min(a.size(), b.size());
  if (std::memcmp(a.data() + a.size() - n, b.data() + b.size() - n, n) == 0) {
    return n;
  }
  size_t i = 0;
  while (i < n && a[a.size() - 1 - i] == b[b.size() - 1 - i]) {
    ++i;
  }
  return i;
}

/// How many bytes at the front of the old file are unchanged.
static auto unchanged_front(const FileSyntax& old, std::string_view text) -> size_t {
  size_t same = 0;
  for (const Unit& unit : old.units) {
    size_t here = common_prefix(unit.tree->text, text.substr(same));
    same += here;
    if (here < unit.tree->text.size()) {
      break;
    }
  }
  return same;
}

/// The same at the back, without reaching into the first `front` bytes of either text.
static auto unchanged_back(const FileSyntax& old, std::string_view text, size_t front) -> size_t {
  size_t most = std::min<size_t>(old.size(), text.size()) - front;
  size_t same = 0;
  for (auto unit = old.units.rbegin(); unit != old.units.rend() && same < most; ++unit) {
    size_t here = common_suffix(unit->tree->text, text.substr(0, text.size() - same));
    same += here;
    if (here < unit->tree->text.size()) {
      break;
    }
  }
  return std::min(same, most);
}

auto reparse_file(const FileSyntax& old, std::string_view text) -> FileSyntax {
  TACET_CHECK(text.size() <= kMaxFileSize, "a text too large to parse");
  size_t front = unchanged_front(old, text);
  if (front == text.size() && front == old.size()) {
    return old;
  }
  size_t back = unchanged_back(old, text, front);
  FileSyntax file;
  file.language = old.language;
  file.units.reserve(old.units.size() + 4);
  for (const Unit& unit : old.units) {
    if (uint64_t{unit.begin} + unit.tree->examined > front) {
      break;
    }
    file.units.push_back(unit);
  }
  // From an old unit's beginning inside the unchanged back on, a fresh parse gives the old units.
  auto next_old = old.units.begin();
  size_t old_size = old.size();
  auto meets_old = [&](uint32_t at) {
    if (text.size() - at > back || (at == 0 && file.units.empty())) {
      return false;
    }
    auto begin = static_cast<uint32_t>(old_size - (text.size() - at));
    next_old = std::lower_bound(next_old, old.units.end(), begin,
                                [](const Unit& unit, uint32_t b) { return unit.begin < b; });
    return next_old != old.units.end() && next_old->begin == begin;
  };
  parse_units(file, text, file.size(), meets_old);
  uint32_t at = file.size();
  if (at < text.size()) {
    for (; next_old != old.units.end(); ++next_old) {
      file.units.push_back({next_old->tree, at});
      at = file.units.back().end();
    }
  }
  check_file(file, text);
  return file;
}

auto syntax_errors(const FileSyntax& file, FileId id) -> std::vector<Diagnostic> {
  auto with_file = [&](SyntaxError error) {
    error.place.file = id;
    for (Label& label : error.labels) {
      label.place.file = id;
    }
    return error;
  };
  std::vector<Diagnostic> all;
  for (const SyntaxError& error : file.errors) {
    all.push_back(with_file(error));
  }
  for (const Unit& unit : file.units) {
    for (const SyntaxError& error : unit.tree->errors) {
      all.push_back(shifted(with_file(error), unit.begin));
    }
  }
  sort_diagnostics(all);
  return all;
}

auto ParseFile::compute(query::Context& context, const Key& file) -> Value {
  const SourceFile& source = context.get<SourceText>(file);
  const Value* old = context.previous<ParseFile>();
  if (old != nullptr && *old != nullptr && (*old)->language == source.language) {
    return std::make_shared<const FileSyntax>(reparse_file(**old, *source.text));
  }
  return std::make_shared<const FileSyntax>(parse_file(*source.text, source.language));
}

}  // namespace tacet::syntax
