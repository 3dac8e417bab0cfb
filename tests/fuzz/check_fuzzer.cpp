#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "compiler/spec/program/frontend.h"

// Everything that reads a module must have an answer for every text: diagnostics in range, facts
// for every node, and something or nothing at every place.

namespace tacet {
namespace {

constexpr size_t kMaxSize = 8192;

void check_text(std::string_view path, std::string text) {
  program::Frontend frontend;
  const auto size = static_cast<uint32_t>(text.size());
  const FileId file = frontend.set_file(path, std::move(text));
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  const std::vector<FileId> library = frontend.library_files();
  // In this one, or in a module of the library that it imports.
  const auto is_in_its_file = [&](FileRange place) {
    return place.file == file
               ? place.range.end <= size
               : std::find(library.begin(), library.end(), place.file) != library.end() &&
                     place.range.end <= frontend.text(place.file)->size();
  };
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    TACET_CHECK(diagnostic.place.range.begin <= diagnostic.place.range.end &&
                    diagnostic.place.range.end <= size,
                "a diagnostic outside of the file");
    for (const Label& label : diagnostic.labels) {
      TACET_CHECK(is_in_its_file(label.place), "a label outside of its file");
    }
    uint32_t depth = 0;
    for (const Reason& reason : diagnostic.reasons) {
      TACET_CHECK(!reason.has_place() || is_in_its_file(reason.place),
                  "a reason outside of its file");
      TACET_CHECK(reason.depth <= depth, "a reason of nothing");
      depth = reason.depth + 1;
    }
  }
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const check::BodyPtr body = snapshot.body(item.id);
    TACET_CHECK(body->types.size() == snapshot.tree(item.id)->nodes.size(), "a type for each node");
    TACET_CHECK(!item.name.has_value() || !snapshot.describe(item.id).empty(),
                "a named item can be described");
  }
  for (uint32_t offset = 0; offset <= size; offset += 7) {
    const auto hover = snapshot.hover(file, offset);
    TACET_CHECK(!hover || hover->range.end <= size, "a hover outside of the file");
    const auto place = snapshot.definition(file, offset);
    TACET_CHECK(!place || is_in_its_file(*place), "a definition outside of its file");
  }
}

}  // namespace
}  // namespace tacet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > tacet::kMaxSize) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  tacet::check_text(text.rfind("input ", 0) == 0 ? "a.tlhe" : "a.tacet", text);
  return 0;
}
