#include "compiler/spec/fill/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/fill/device_search.h"
#include "compiler/spec/fill/forms.h"
#include "compiler/spec/fill/operands.h"
#include "compiler/spec/fill/whole_bodies.h"

namespace tacet::fill {

namespace {

/// What a warning in the function costs, so that texts without come first.
constexpr uint32_t kWarningCost = 40;
/// What is deduced for a hole costs less than what is guessed.
constexpr uint32_t kDeducedCost = 10;
/// Of bodies that were planned; forms come behind the first of these.
constexpr uint32_t kWholeCost = 18;

auto is_within(TextRange inner, TextRange outer) -> bool {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

/// A text for the hole that is still to be tried.
struct Attempt {
  uint32_t cost = 0;
  size_t number = 0;
  /// How many of its holes were filled by forms in turn.
  uint32_t depth = 0;
  TextRange replaced;
  std::string text;

  friend auto operator<(const Attempt& a, const Attempt& b) -> bool {
    return a.cost != b.cost ? a.cost > b.cost : a.number > b.number;
  }
};

class Search {
 public:
  Search(Trial& trial, const std::string& text, TextRange hole, const Limits& limits)
      : trial_(trial), text_(text), hole_(hole), limits_(limits) {}

  auto run() -> Found {
    const std::vector<Diagnostic> before = trial_.check(text_);
    const auto around = surroundings_of(trial_.snapshot(), trial_.file(), hole_);
    if (!around) {
      return {{}, "there is no hole here"};
    }
    around_ = *around;
    if (around_.is_device_function) {
      return search_device(trial_, text_, around_, limits_);
    }
    reveals_.emplace(trial_.snapshot(), around_.item);
    for (const Diagnostic& diagnostic : before) {
      if (!is_within(diagnostic.place.range, around_.function) &&
          diagnostic.severity == Severity::Error) {
        elsewhere_.insert(name_of(diagnostic));
      }
    }
    add_deduced(before);
    add_whole_bodies();
    for (Form& form : forms_for(around_)) {
      add(hole_, std::move(form.text), form.cost);
    }
    const size_t first = trial_.n_checks();
    while (!open_.empty() && trial_.n_checks() - first < limits_.n_checks &&
           found_.size() < limits_.n_candidates) {
      const Attempt attempt = open_.top();
      open_.pop();
      if (!found_.empty() && attempt.cost > found_.front().cost + kMostDifference) {
        break;
      }
      attempt_one(attempt);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (!found_.empty()) {
      problem_.clear();
    }
    return {std::move(found_), std::move(problem_)};
  }

 private:
  static constexpr uint32_t kMostDifference = 30;
  static constexpr size_t kMostRefined = 40;
  static constexpr uint32_t kMostDepth = 2;

  static auto name_of(const Diagnostic& diagnostic) -> std::string {
    return fmt::format("{} {}", code_name(diagnostic.code), diagnostic.message);
  }

  void add(TextRange replaced, std::string text, uint32_t cost, uint32_t depth = 0) {
    if (seen_.insert({replaced.end, text}).second) {
      open_.push({cost, open_number_++, depth, replaced, std::move(text)});
    }
  }

  void add_whole_bodies() {
    if (!around_.is_whole_body) {
      return;
    }
    WholeBodies bodies = whole_bodies(trial_.snapshot(), around_.item, around_.indent);
    uint32_t cost = kWholeCost;
    for (Form& form : bodies.forms) {
      add(hole_, std::move(form.text), cost++);
    }
    problem_ = bodies.forms.empty() ? bodies.problem : "no body that was tried conforms";
  }

  /// What the specification was found to say of the hole.
  void add_deduced(const std::vector<Diagnostic>& before) {
    for (const Diagnostic& diagnostic : before) {
      if (diagnostic.code != DiagnosticCode::T3011 || diagnostic.place.range != hole_) {
        continue;
      }
      for (size_t i = 0; i < diagnostic.fixes.size(); ++i) {
        const TextEdit& edit = diagnostic.fixes[i].edits.front();
        add(edit.range, edit.new_text, kDeducedCost + static_cast<uint32_t>(i));
      }
    }
  }

  void attempt_one(const Attempt& attempt) {
    const std::string text =
        apply_edits(text_, std::vector<TextEdit>{{attempt.replaced, attempt.text}});
    const auto n_written = static_cast<uint32_t>(attempt.text.size());
    const TextRange written = {attempt.replaced.begin, attempt.replaced.begin + n_written};
    const TextRange function = {
        around_.function.begin,
        around_.function.end - (attempt.replaced.end - attempt.replaced.begin) + n_written};
    const std::vector<Diagnostic> diagnostics = trial_.check(text);
    uint32_t n_warnings = 0;
    const Diagnostic* open = nullptr;
    for (const Diagnostic& diagnostic : diagnostics) {
      const TextRange place = diagnostic.place.range;
      if (diagnostic.severity == Severity::Error) {
        const bool is_new =
            is_within(place, function) || elsewhere_.count(name_of(diagnostic)) == 0;
        if (is_new) {
          return;
        }
      }
      if (diagnostic.severity == Severity::Warning && is_within(place, function)) {
        ++n_warnings;
      }
      const bool is_hole =
          diagnostic.code == DiagnosticCode::T3011 || diagnostic.code == DiagnosticCode::T3012;
      if (is_hole && is_within(place, written) && open == nullptr) {
        open = &diagnostic;
      }
    }
    if (open != nullptr) {
      refine(attempt, *open);
      return;
    }
    if (has_hole(written)) {
      return;  // one that is not reported
    }
    if (reveals_->has_more(trial_.snapshot())) {
      return;
    }
    found_.push_back({attempt.replaced, attempt.text, attempt.cost + kWarningCost * n_warnings});
  }

  /// Tries what may be written for a hole in what was written.
  void refine(const Attempt& attempt, const Diagnostic& open) {
    const uint32_t begin = attempt.replaced.begin;
    uint32_t depth = attempt.depth;
    const auto with = [&](TextRange range, const std::string& text, uint32_t more) {
      if (range.begin < begin || range.end > begin + attempt.text.size()) {
        return;
      }
      add(attempt.replaced,
          apply_edits(attempt.text,
                      std::vector<TextEdit>{{{range.begin - begin, range.end - begin}, text}}),
          attempt.cost + more, depth);
    };
    for (size_t i = 0; i < open.fixes.size(); ++i) {
      const TextEdit& edit = open.fixes[i].edits.front();
      with(edit.range, edit.new_text, static_cast<uint32_t>(i));
    }
    if (!open.fixes.empty()) {
      return;
    }
    const TextRange place = open.place.range;
    const auto inner = surroundings_of(trial_.snapshot(), trial_.file(), place);
    if (!inner || n_refined_++ >= kMostRefined) {
      return;
    }
    if (inner->kind == HoleKind::Expression) {
      for (const Form& atom : atoms_for(*inner)) {
        with(place, atom.text, atom.cost);
      }
    } else if (depth < kMostDepth) {
      ++depth;
      for (const Form& form : forms_for(*inner)) {
        with(place, form.text, form.cost);
      }
    }
  }

  auto has_hole(TextRange written) -> bool {
    return surroundings_of(trial_.snapshot(), trial_.file(), written).has_value();
  }

  Trial& trial_;
  const std::string& text_;
  TextRange hole_;
  Limits limits_;
  Surroundings around_;
  std::optional<Reveals> reveals_;
  /// Errors of other items, which were there before.
  std::set<std::string> elsewhere_;
  std::priority_queue<Attempt> open_;
  size_t open_number_ = 0;
  size_t n_refined_ = 0;
  std::set<std::pair<uint32_t, std::string>> seen_;
  std::vector<Candidate> found_;
  std::string problem_;
};

}  // namespace

auto search(Trial& trial, const std::string& text, TextRange hole, const Limits& limits) -> Found {
  return Search(trial, text, hole, limits).run();
}

}  // namespace tacet::fill
