#include "compiler/spec/fill/device_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/columns.h"
#include "compiler/spec/fill/device_holes.h"
#include "compiler/spec/fill/whole_bodies.h"
#include "compiler/spec/program/call_points.h"
#include "compiler/spec/program/device_callees.h"

namespace tacet::fill {

namespace {

/// Of a function with more of them none is filled but by hand.
constexpr size_t kMostHoles = 4;
constexpr uint32_t kMostDearer = 24;

auto callees_of(const program::FrontendSnapshot& snapshot, names::ItemId function)
    -> std::vector<names::ItemId> {
  std::vector<names::ItemId> callees;
  for (const program::CallPoint& point : *snapshot.get<program::CallPointsOf>(function)) {
    callees.push_back(point.callee);
  }
  return callees;
}

auto reveals(const program::FrontendSnapshot& snapshot, names::ItemId function) -> bool {
  return snapshot.query().run(
      [&](query::Context& context) { return program::reveals_on_the_way(context, function); });
}

/// Whether a device function gives everyone what it computes from what is secret.
auto opens(const program::FrontendSnapshot& snapshot, names::ItemId function) -> bool {
  const auto signature = snapshot.signature(function);
  const auto has_secrets = [&](const auto& ports) {
    return std::any_of(ports.begin(), ports.end(), [&](const auto& port) {
      const std::vector<bool> secret = types::secret_columns(snapshot.types(), port.type);
      return std::find(secret.begin(), secret.end(), true) != secret.end();
    });
  };
  const auto is_public = [&](const types::SignatureResult& result) {
    const std::vector<bool> secret = types::secret_columns(snapshot.types(), result.type);
    return std::find(secret.begin(), secret.end(), false) != secret.end();
  };
  return signature && signature->is_device_function && has_secrets(signature->parameters) &&
         std::any_of(signature->results.begin(), signature->results.end(), is_public);
}

auto is_error(const Diagnostic& diagnostic) -> bool {
  return diagnostic.severity == Severity::Error;
}

/// One form for each hole.
struct Assignment {
  uint32_t cost = 0;
  std::vector<size_t> forms;

  friend auto operator<(const Assignment& a, const Assignment& b) -> bool {
    return a.cost != b.cost ? a.cost > b.cost : a.forms > b.forms;
  }
};

class DeviceSearch {
 public:
  DeviceSearch(Trial& trial, const std::string& text, const Surroundings& around,
               const Limits& limits)
      : trial_(trial), text_(text), around_(around), limits_(limits) {}

  auto run() -> Found {
    static_cast<void>(trial_.check(text_));
    const program::FrontendSnapshot snapshot = trial_.snapshot();
    if (!trial_.can_verify()) {
      return {{}, "nothing verifies device functions here"};
    }
    if (!snapshot.signature(around_.item)->val.has_value()) {
      return {{}, "the function implements no value specification; name one behind `impls`"};
    }
    const Reveals reveals(snapshot, around_.item);
    if (reveals.has_any()) {
      return {{}, "the function reveals intermediate values; which is for a person to decide"};
    }
    holes_ = device_holes(snapshot, around_.item);
    const auto hole = std::find_if(holes_.begin(), holes_.end(), [&](const DeviceHole& one) {
      return one.place.begin == around_.hole.begin;
    });
    if (hole == holes_.end() || holes_.size() > kMostHoles) {
      return {{}, fmt::format("the function has more than {} holes", kMostHoles)};
    }
    hole_ = static_cast<size_t>(hole - holes_.begin());
    for (const DeviceHole& one : holes_) {
      if (one.is_revealed) {
        return {{}, "it would be revealed; what others may see is for a person to decide"};
      }
    }
    add_whole_bodies(snapshot);
    for (const DeviceHole& one : holes_) {
      if (one.forms.empty()) {
        return {{}, "its specification has errors"};
      }
    }
    alone_ = without_others(snapshot);
    search(reveals);
    if (found_.empty()) {
      return {{},
              !problem_.empty()
                  ? problem_
                  : fmt::format("none of {} texts that were tried computes the specification",
                                trial_.n_checks() - n_before_)};
    }
    return {std::move(found_), {}};
  }

 private:
  static auto is_within(TextRange inner, TextRange outer) -> bool {
    return outer.begin <= inner.begin && inner.end <= outer.end;
  }

  /// Bodies by construction come before all others.
  void add_whole_bodies(const program::FrontendSnapshot& snapshot) {
    if (!around_.is_whole_body) {
      return;
    }
    WholeBodies bodies = whole_bodies(snapshot, around_.item, around_.indent);
    problem_ = bodies.forms.empty() ? bodies.problem : "";
    std::vector<Form>& forms = holes_[hole_].forms;
    for (size_t i = 0; i < bodies.forms.size(); ++i) {
      made_.insert(bodies.forms[i].text);
      bodies.forms[i].cost = static_cast<uint32_t>(i);
      std::erase_if(forms, [&](const Form& form) { return form.text == bodies.forms[i].text; });
    }
    for (Form& form : forms) {
      form.cost += static_cast<uint32_t>(bodies.forms.size());
    }
    forms.insert(forms.begin(), bodies.forms.begin(), bodies.forms.end());
  }

  /// The cheapest first, each combination once.
  void search(const Reveals& reveals) {
    n_before_ = trial_.n_checks();
    std::priority_queue<Assignment> open;
    std::set<std::vector<size_t>> seen;
    const auto add = [&](std::vector<size_t> forms) {
      uint32_t cost = 0;
      for (size_t i = 0; i < forms.size(); ++i) {
        if (forms[i] >= holes_[i].forms.size()) {
          return;
        }
        cost += holes_[i].forms[forms[i]].cost;
      }
      if (seen.insert(forms).second) {
        open.push({cost, std::move(forms)});
      }
    };
    add(std::vector<size_t>(holes_.size(), 0));
    while (!open.empty() && trial_.n_checks() - n_before_ < limits_.n_checks &&
           found_.size() < limits_.n_candidates) {
      const Assignment assignment = open.top();
      open.pop();
      if (!found_.empty() && assignment.cost > found_.front().cost + kMostDearer) {
        return;
      }
      attempt(assignment, reveals);
      for (size_t i = 0; i < assignment.forms.size(); ++i) {
        std::vector<size_t> next = assignment.forms;
        ++next[i];
        add(std::move(next));
      }
    }
  }

  void attempt(const Assignment& assignment, const Reveals& reveals) {
    const Form& form = holes_[hole_].forms[assignment.forms[hole_]];
    const bool is_known =
        std::any_of(found_.begin(), found_.end(),
                    [&](const Candidate& candidate) { return candidate.text == form.text; });
    if (is_known) {
      return;  // with something else for the other holes
    }
    const std::vector<TextEdit> edits = edits_of(assignment);
    const std::vector<Diagnostic> found = trial_.check(apply_edits(alone_, edits));
    if (std::any_of(found.begin(), found.end(), is_error) || reveals.has_more(trial_.snapshot())) {
      return;
    }
    const Verified verified = trial_.verify(around_.item);
    if (verified == Verified::No ||
        (verified == Verified::Undecided && !made_.contains(form.text))) {
      return;
    }
    found_.push_back({holes_[hole_].place, form.text, assignment.cost});
  }

  auto edits_of(const Assignment& assignment) const -> std::vector<TextEdit> {
    std::vector<TextEdit> edits;
    for (size_t i = 0; i < holes_.size(); ++i) {
      edits.push_back({holes_[i].place, holes_[i].forms[assignment.forms[i]].text});
    }
    return edits;
  }

  /// The text with blanks for broken functions that this one does not call, and for those of the
  /// coordinator: their errors, and their holes, would keep it from being run.
  auto without_others(const program::FrontendSnapshot& snapshot) const -> std::string {
    std::vector<names::ItemId> open = {around_.item};
    const auto items = snapshot.items(trial_.file());
    for (const names::FileItem& item : items->items) {
      if (item.kind == names::ItemKind::Fn && snapshot.item_key(item.id).parent.has_value()) {
        open.push_back(item.id);
      }
    }
    std::set<names::ItemId> kept(open.begin(), open.end());
    while (!open.empty()) {
      const names::ItemId next = open.back();
      open.pop_back();
      for (const names::ItemId callee : snapshot.get<program::DeviceCalleesOf>(next)) {
        if (kept.insert(callee).second) {
          open.push_back(callee);
        }
      }
    }
    const std::vector<TextRange> holes = hole_ranges(snapshot, trial_.file());
    std::string text = text_;
    for (const names::FileItem& item : items->items) {
      const bool is_apart = item.kind == names::ItemKind::Fn ||
                            item.kind == names::ItemKind::Pipeline ||
                            item.kind == names::ItemKind::Test;
      if (!is_apart || kept.contains(item.id) || snapshot.item_key(item.id).parent.has_value()) {
        continue;
      }
      const names::ItemTree tree = snapshot.tree(item.id);
      const TextRange range = names::item_node(*tree).range().shifted(snapshot.item_begin(item.id));
      if (!is_broken(snapshot, item, range, holes)) {
        continue;
      }
      for (uint32_t i = range.begin; i < range.end; ++i) {
        text[i] = text[i] == '\n' ? '\n' : ' ';
      }
    }
    return text;
  }

  /// On the coordinator anything may depend on what is broken, and nothing on a device depends on
  /// the coordinator.
  static auto is_broken(const program::FrontendSnapshot& snapshot, const names::FileItem& item,
                        TextRange range, const std::vector<TextRange>& holes) -> bool {
    const auto signature = item.kind == names::ItemKind::Fn ? snapshot.signature(item.id) : nullptr;
    if (signature == nullptr || !signature->is_device_function) {
      return true;
    }
    return !snapshot.can_be_lowered(item.id) ||
           std::any_of(holes.begin(), holes.end(),
                       [&](TextRange hole) { return is_within(hole, range); });
  }

  Trial& trial_;
  const std::string& text_;
  const Surroundings& around_;
  Limits limits_;
  std::vector<DeviceHole> holes_;
  size_t hole_ = 0;  ///< the one to be filled, in `holes_`
  std::string alone_;
  size_t n_before_ = 0;
  std::set<std::string> made_;  ///< from the specification, as whole bodies
  std::string problem_;         ///< why there are none of these
  std::vector<Candidate> found_;
};

}  // namespace

Reveals::Reveals(const program::FrontendSnapshot& snapshot, names::ItemId function)
    : function_(function),
      is_device_(snapshot.signature(function)->is_device_function),
      reveals_(reveals(snapshot, function)),
      callees_(callees_of(snapshot, function)) {}

auto Reveals::has_more(const program::FrontendSnapshot& snapshot) const -> bool {
  if (!reveals_ && reveals(snapshot, function_)) {
    return true;
  }
  const std::vector<names::ItemId> callees = callees_of(snapshot, function_);
  return std::any_of(callees.begin(), callees.end(), [&](names::ItemId callee) {
    return std::find(callees_.begin(), callees_.end(), callee) == callees_.end() &&
           (reveals(snapshot, callee) || (is_device_ && opens(snapshot, callee)));
  });
}

auto search_device(Trial& trial, const std::string& text, const Surroundings& around,
                   const Limits& limits) -> Found {
  return DeviceSearch(trial, text, around, limits).run();
}

}  // namespace tacet::fill
