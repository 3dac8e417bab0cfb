#include "compiler/front/names/importers.h"

#include <algorithm>

namespace tacet::names {

static auto is_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

static auto is_space(char c) -> bool {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

auto ImportedWordsOfFile::compute(query::Context& context, const Key& file) -> Value {
  static constexpr std::string_view kImport = "import";
  auto& interner = context.service<Interner>();
  const auto& source = context.get<syntax::SourceText>(file);
  Value words;
  if (source.text == nullptr) {
    return words;
  }
  const std::string_view text = *source.text;
  for (size_t at = text.find(kImport); at != std::string_view::npos;
       at = text.find(kImport, at + kImport.size())) {
    size_t begin = at + kImport.size();
    const bool is_part =
        (at > 0 && is_word(text[at - 1])) || (begin < text.size() && is_word(text[begin]));
    if (is_part) {
      continue;
    }
    while (begin < text.size() && is_space(text[begin])) {
      ++begin;
    }
    size_t end = begin;
    if (end < text.size() && text[end] == '"') {
      end = std::min(text.find_first_of("\"\r\n", end + 1), text.size() - 1) + 1;
    }
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    if (end > begin) {
      words.names.push_back(interner.intern(text.substr(begin, end - begin)));
    } else {
      words.may_be_any = words.may_be_any || (begin < text.size() && text[begin] == '/');
    }
  }
  std::sort(words.names.begin(), words.names.end());
  words.names.erase(std::unique(words.names.begin(), words.names.end()), words.names.end());
  return words;
}

auto ImportersOfFile::compute(query::Context& context, const Key& file) -> Value {
  const auto workspace = context.get<WorkspaceInput>({});
  const Name module = context.service<Interner>().intern(workspace->module_name(file));
  Value importers;
  for (uint32_t i = 0; i < workspace->files().size(); ++i) {
    const FileId other{i};
    if (other == file || workspace->files()[i].path.empty()) {
      continue;
    }
    const ImportedWords& words = context.get<ImportedWordsOfFile>(other);
    if (!words.may_be_any && !std::binary_search(words.names.begin(), words.names.end(), module)) {
      continue;
    }
    const auto& imports = context.get<ImportsOfFile>(other);
    if (std::any_of(imports.begin(), imports.end(),
                    [&](const Import& import) { return import.file == file; })) {
      importers.push_back(other);
    }
  }
  return importers;
}

}  // namespace tacet::names
