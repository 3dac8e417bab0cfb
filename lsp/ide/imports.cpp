#include "lsp/ide/imports.h"

#include "compiler/front/names/importers.h"
#include "compiler/front/names/queries.h"

namespace tacet::ide {

auto document_links(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<FileLink> {
  std::vector<FileLink> links;
  for (const names::Import& import : snapshot.get<names::ImportsOfFile>(file)) {
    if (import.file.has_value()) {
      links.push_back({snapshot.name_place(import.item).range, import.file});
    }
  }
  return links;
}

auto places_of_import(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<FileRange> {
  std::vector<FileRange> places;
  for (FileId importer : snapshot.get<names::ImportersOfFile>(file)) {
    for (const FileLink& link : document_links(snapshot, importer)) {
      if (link.target == file) {
        places.push_back({importer, link.range});
      }
    }
  }
  return places;
}

}  // namespace tacet::ide
