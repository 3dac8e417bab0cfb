#include "cli/explore/stored_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/atomic_write.h"
#include "cli/explore/pin.h"
#include "cli/explore/report.h"
#include "cli/find_files.h"
#include "cli/line_edits.h"
#include "cli/unified_diff.h"
#include "compiler/core/diagnostics/apply_edits.h"
#include "project/explore_file.h"
#include "project/manifest.h"

namespace tacet::cli {

namespace {

/// Where the program is, and `tacet.explore`.
auto program_folder(const ExploreOptions& options) -> std::filesystem::path {
  const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
  return folder.empty() ? "." : folder;
}

auto explore_path(const ExploreOptions& options) -> std::string {
  return (program_folder(options) / project::kExploreFile).lexically_normal().string();
}

auto file_name_of(const ExploreOptions& options) -> std::string {
  return std::filesystem::path(options.file).filename().string();
}

auto reports(Invocation& invocation, const Error& error) -> ExitCode {
  invocation.error(error.message);
  return ExitCode::Failed;
}

/// Reads `tacet.explore` to `file`: what was chosen before. An error if nothing was.
auto chosen_before(const ExploreOptions& options, const Candidates& found,
                   project::ExploreFile& file) -> Result<program::ExploredChoice> {
  Result<project::ExploreFile> read = project::read_explore_file(program_folder(options).string());
  if (!read) {
    return read.error();
  }
  file = std::move(*read);
  const program::ExploredChoice* const choice =
      file.find(file_name_of(options), found.pipeline.empty() ? found.target : "", found.pipeline);
  if (choice == nullptr) {
    return Error{
        fmt::format("nothing was chosen for `{}` yet; run `tacet explore {} {}` with values",
                    target_name(found), options.file, target_words(found))};
  }
  return *choice;
}

/// A file that pinning changes.
struct PinnedText {
  std::string path;  ///< where it is
  std::string shown;
  std::string before;
  std::string after;
};

/// The folder within which pinning changes files: that of `tacet.toml`, or the program's.
auto pinning_folder(const ExploreOptions& options) -> std::filesystem::path {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(
      std::filesystem::absolute(program_folder(options)), ignored);
  std::vector<std::string> warnings;  // which loading the program printed
  Result<std::optional<project::Workspace>> workspace =
      project::find_workspace(folder.string(), warnings);
  return workspace && *workspace ? std::filesystem::path((*workspace)->root) : folder;
}

/// Whether a file is in a folder or below it, wherever links lead.
auto is_within(const std::string& path, const std::filesystem::path& folder) -> bool {
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(path, failed);
  const std::filesystem::path root = std::filesystem::canonical(folder, failed);
  return !failed &&
         std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

/// The files with their new texts. An error if one of them is none of the user's workspace.
auto pinned_texts(const ExploreOptions& options, const program::Frontend& frontend, FileId file,
                  const Pinned& pinned) -> Result<std::vector<PinnedText>> {
  const std::filesystem::path folder = pinning_folder(options);
  std::vector<PinnedText> texts;
  for (const program::FileEdits& of_file : pinned.edits) {
    const std::string before = *frontend.text(of_file.file);
    const std::string path = frontend.path(of_file.file);
    PinnedText text{.path = of_file.file == file ? options.file : path,
                    .shown = of_file.file == file ? options.file : path_from_here(path),
                    .before = before,
                    .after = apply_edits(before, of_file.edits)};
    if (text.after == before) {
      continue;
    }
    if (of_file.file != file && !is_within(path, folder)) {
      return Error{fmt::format("{} is outside of {} and is not changed; pin its calls there",
                               text.shown, folder.string())};
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The program, and the choice without what is in its text now.
auto write_pinned(const ExploreOptions& options, project::ExploreFile& file,
                  program::ExploredChoice choice, const std::vector<PinnedText>& texts) -> Status {
  // What was measured beside a layout that is written now was measured with another text.
  const bool has_layout = !choice.chosen.layout.empty();
  std::erase_if(choice.others, [&](const program::ExploredWay& way) {
    return !way.calls.empty() || !way.layout.empty() ||
           (has_layout && way.implementation == choice.chosen.implementation && way.device == "he");
  });
  choice.chosen.calls.clear();
  choice.chosen.layout.clear();
  file.set(std::move(choice));
  for (const PinnedText& text : texts) {
    if (Status written = write_atomically(text.path, text.after); !written) {
      return written;
    }
  }
  return write_or_create(explore_path(options), project::to_text(file));
}

}  // namespace

auto target_name(const Candidates& found) -> std::string {
  return found.pipeline.empty() ? found.target : found.pipeline;
}

auto target_words(const Candidates& found) -> std::string {
  return fmt::format("{} {}", found.pipeline.empty() ? "--fn" : "--pipeline", target_name(found));
}

auto explain_stored(const ExploreOptions& options, const Candidates& found, Invocation& invocation)
    -> ExitCode {
  project::ExploreFile file;
  Result<program::ExploredChoice> choice = chosen_before(options, found, file);
  if (!choice) {
    return reports(invocation, choice.error());
  }
  Result<std::string> text = explanation_text(*choice);
  if (!text) {
    return reports(invocation, text.error());
  }
  invocation.out.write(*text);
  invocation.out.flush();
  return ExitCode::Done;
}

auto pin_stored(const ExploreOptions& options, const Candidates& found, program::Frontend& frontend,
                FileId file, Invocation& invocation) -> ExitCode {
  project::ExploreFile stored;
  Result<program::ExploredChoice> choice = chosen_before(options, found, stored);
  if (!choice) {
    return reports(invocation, choice.error());
  }
  Result<Candidate> candidate = candidate_of(choice->chosen);
  if (!candidate) {
    return reports(invocation, candidate.error());
  }
  const Candidate alone = candidate->outline();
  if (std::find(found.candidates.begin(), found.candidates.end(), alone) ==
      found.candidates.end()) {
    return reports(
        invocation,
        {fmt::format("`{}` cannot be computed by {} any more; run `tacet explore {} {}` again "
                     "with values",
                     target_name(found), alone.text(), options.file, target_words(found))});
  }
  Result<Pinned> pinned = pin_choice(frontend.snapshot(), file, *candidate, found.pipeline);
  if (!pinned) {
    return reports(invocation, pinned.error());
  }
  Result<std::vector<PinnedText>> texts = pinned_texts(options, frontend, file, *pinned);
  if (!texts) {
    return reports(invocation, texts.error());
  }
  if (!pinned->remark.empty()) {
    invocation.err.write(fmt::format("tacet: note: {}\n", pinned->remark));
  }
  if (texts->empty()) {
    invocation.err.write("the program has nothing to change\n");
    return ExitCode::Done;
  }
  if (options.is_dry) {
    for (const PinnedText& text : *texts) {
      invocation.out.write(unified_diff(text.shown, text.before,
                                        line_edits(text.before, text.after),
                                        invocation.out_terminal.colour));
    }
    invocation.out.flush();
    return ExitCode::Done;
  }
  if (Status written = write_pinned(options, stored, *choice, *texts); !written) {
    return reports(invocation, written.error());
  }
  for (const PinnedText& text : *texts) {
    invocation.err.write(fmt::format("{} was changed\n", text.shown));
  }
  return ExitCode::Done;
}

auto store_choice(const ExploreOptions& options, const Candidates& found,
                  const std::vector<Trial>& trials, const Trial& best, Invocation& invocation)
    -> ExitCode {
  Result<project::ExploreFile> file = project::read_explore_file(program_folder(options).string());
  if (!file) {
    return reports(invocation, file.error());
  }
  file->set(choice_of(found, trials, best, file_name_of(options), options.links));
  if (Status written = write_or_create(explore_path(options), project::to_text(*file)); !written) {
    return reports(invocation, written.error());
  }
  invocation.err.write(fmt::format("`{}` will be computed by {}: written to {}\n",
                                   target_name(found), best.candidate.text(),
                                   explore_path(options)));
  return ExitCode::Done;
}

}  // namespace tacet::cli
