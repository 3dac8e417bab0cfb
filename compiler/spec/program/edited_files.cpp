#include "compiler/spec/program/edited_files.h"

#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::program {

void EditedFiles::apply(std::span<const FileEdits> all) {
  for (const FileEdits& of_file : all) {
    const Frontend::SharedText text = frontend_.text(of_file.file);
    originals_.push_back({of_file.file, text});
    frontend_.set_file(frontend_.path(of_file.file), apply_edits(*text, of_file.edits));
  }
}

void EditedFiles::restore() {
  for (size_t i = originals_.size(); i-- > 0;) {  // a file may have been changed twice
    frontend_.set_file(frontend_.path(originals_[i].file), originals_[i].text);
  }
  originals_.clear();
}

}  // namespace tacet::program
