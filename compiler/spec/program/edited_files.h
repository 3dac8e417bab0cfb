#pragma once

#include <span>
#include <vector>

#include "compiler/spec/program/call_swaps.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {

/// Gives files of a frontend other texts for a while: those that they have when it is made come
/// back with `restore`. Only one at a time may be used with a frontend.
class EditedFiles {
 public:
  explicit EditedFiles(Frontend& frontend) : frontend_(frontend) {}

  /// Changes the texts as they are now.
  void apply(std::span<const FileEdits> all);
  void restore();

 private:
  struct Original {
    FileId file;
    Frontend::SharedText text;
  };

  Frontend& frontend_;
  std::vector<Original> originals_;
};

}  // namespace tacet::program
