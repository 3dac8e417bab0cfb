#include "cli/explore/call_space.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::cli {

namespace {

using program::CallPoint;
using program::CallSwap;

auto callable_name(const program::FrontendSnapshot& snapshot, names::ItemId item) -> std::string {
  return std::string(snapshot.interner().text(snapshot.item_key(item).name));
}

/// The first error of a program, without its place; empty if there is none.
auto error_of(const program::FrontendSnapshot& snapshot, const LoadedProgram& program)
    -> std::string {
  std::string first;
  const bool is_right = check_program(snapshot, program, [&](std::span<const Diagnostic> found) {
    for (const Diagnostic& diagnostic : found) {
      if (first.empty() && diagnostic.severity == Severity::Error) {
        first = diagnostic.message;
      }
    }
  });
  return is_right ? "" : first.empty() ? "the program is wrong with it" : first;
}

/// Walks over the choices for the calls that a function reaches.
class ChoiceWalk {
 public:
  ChoiceWalk(const std::map<std::string, std::vector<CallSite>>& sites, size_t limit)
      : sites_(sites), limit_(limit) {}

  /// False if there are more than the limit.
  auto run(const std::string& function) -> bool {
    open_.push_back(function);
    seen_.insert(function);
    next_function(0);
    return found_.size() <= limit_;
  }

  auto take() -> std::vector<std::vector<CallSwap>> { return std::move(found_); }

 private:
  /// Chooses for the calls of the `at`-th function that was reached, then for those behind it.
  void next_function(size_t at) {
    if (found_.size() > limit_) {
      return;
    }
    if (at == open_.size()) {
      found_.push_back(chosen_);
      return;
    }
    next_call(at, 0);
  }

  void next_call(size_t at, size_t call) {
    const auto sites = sites_.find(open_[at]);
    if (sites == sites_.end() || call == sites->second.size()) {
      next_function(at + 1);
      return;
    }
    const CallSite& site = sites->second[call];
    with_callee(site.callee, at, call);
    for (const std::string& other : site.others) {
      chosen_.push_back({sites->first, site.callee, site.number, other});
      with_callee(other, at, call);
      chosen_.pop_back();
    }
  }

  void with_callee(const std::string& callee, size_t at, size_t call) {
    const bool is_new = seen_.insert(callee).second;
    if (is_new) {
      open_.push_back(callee);
    }
    next_call(at, call + 1);
    if (is_new) {
      open_.pop_back();
      seen_.erase(callee);
    }
  }

  const std::map<std::string, std::vector<CallSite>>& sites_;
  size_t limit_;
  std::vector<std::string> open_;
  std::set<std::string> seen_;
  std::vector<CallSwap> chosen_;
  std::vector<std::vector<CallSwap>> found_;
};

}  // namespace

/// Finds the calls that functions reach, and tries the alternatives.
class CallSpaceSearch {
 public:
  CallSpaceSearch(program::Frontend& frontend, const LoadedProgram& program,
                  const std::set<std::string>& hosts)
      : frontend_(frontend), program_(program), hosts_(hosts), text_(frontend.text(program.file)) {}

  auto run(const std::vector<std::string>& functions) -> CallSpace {
    collect(functions);
    for (auto& [function, calls] : space_.sites_) {
      for (size_t i = 0; i < calls.size(); ++i) {
        for (const std::string& other : plausible_[{function, i}]) {
          offer(function, calls[i], other);
        }
      }
    }
    if (has_changed_) {
      frontend_.set_file(frontend_.path(program_.file), text_);
    }
    return std::move(space_);
  }

 private:
  /// All functions that are reached, with their calls, and the alternatives as heads have them.
  void collect(const std::vector<std::string>& functions) {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    std::vector<std::string> open = functions;
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      const names::ItemId item = snapshot.find(program_.file, names::Namespace::Callable, name);
      if (!item.has_value() || snapshot.item_key(item).file != program_.file ||
          snapshot.item_key(item).kind != names::ItemKind::Fn || space_.sites_.contains(name)) {
        continue;
      }
      std::vector<CallSite>& calls = space_.sites_[name];
      const auto points = snapshot.get<program::CallPointsOf>(item);
      for (const CallPoint& point : *points) {
        const auto n_same = std::count_if(points->begin(), points->end(), [&](const auto& other) {
          return other.callee == point.callee;
        });
        calls.push_back({callable_name(snapshot, point.callee), n_same > 1 ? point.number : 0, {}});
        open.push_back(calls.back().callee);
        for (const names::ItemId other : point.others) {
          consider(snapshot, point, other, name, calls);
          open.push_back(callable_name(snapshot, other));
        }
      }
    }
  }

  /// What is known of an alternative without trying it.
  void consider(const program::FrontendSnapshot& snapshot, const CallPoint& point,
                names::ItemId other, const std::string& function,
                const std::vector<CallSite>& calls) {
    const std::string name = callable_name(snapshot, other);
    const CallSite& site = calls.back();
    if (name == function) {
      return;  // a function that calls itself instead
    }
    if (snapshot.item_key(other).kind == names::ItemKind::Extern && !hosts_.contains(name)) {
      exclude(function, site, name, "no library of `--extern` has it");
      return;
    }
    const auto reveals = [&](names::ItemId item) {
      return snapshot.query().run(
          [&](query::Context& context) { return program::reveals_on_the_way(context, item); });
    };
    if (reveals(other) && !reveals(point.callee)) {
      exclude(function, site, name, "it reveals intermediate values");
      return;
    }
    plausible_[{function, calls.size() - 1}].push_back(name);
  }

  void exclude(const std::string& function, const CallSite& site, const std::string& other,
               std::string why) {
    space_.exclusions_.push_back({{function, site.callee, site.number, other}, std::move(why)});
  }

  /// Whether `from` calls `to`, directly or not, as written or as offered so far.
  [[nodiscard]] auto reaches(const std::string& from, const std::string& to) const -> bool {
    std::vector<std::string> open = {from};
    std::set<std::string> seen = {from};
    const auto add = [&](const std::string& callee) {
      if (seen.insert(callee).second) {
        open.push_back(callee);
      }
    };
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (next == to) {
        return true;
      }
      const auto calls = space_.sites_.find(next);
      if (calls == space_.sites_.end()) {
        continue;
      }
      for (const CallSite& site : calls->second) {
        add(site.callee);
        std::for_each(site.others.begin(), site.others.end(), add);
      }
    }
    return false;
  }

  void offer(const std::string& function, CallSite& site, const std::string& other) {
    if (reaches(other, function)) {
      exclude(function, site, other, fmt::format("it calls `{}` again", function));
      return;
    }
    const CallSwap swap{function, site.callee, site.number, other};
    if (has_changed_) {
      frontend_.set_file(frontend_.path(program_.file), text_);
    }
    Result<std::vector<TextEdit>> edits =
        program::call_edits(frontend_.snapshot(), program_.file, {&swap, 1});
    if (!edits) {
      exclude(function, site, other, edits.error().message);
      return;
    }
    frontend_.set_file(frontend_.path(program_.file), apply_edits(*text_, *edits));
    has_changed_ = true;
    if (std::string error = error_of(frontend_.snapshot(), program_); !error.empty()) {
      exclude(function, site, other, std::move(error));
      return;
    }
    site.others.push_back(other);
  }

  program::Frontend& frontend_;
  const LoadedProgram& program_;
  const std::set<std::string>& hosts_;
  program::Frontend::SharedText text_;
  bool has_changed_ = false;
  std::map<std::pair<std::string, size_t>, std::vector<std::string>> plausible_;
  CallSpace space_;
};

auto CallSpace::find(program::Frontend& frontend, const LoadedProgram& program,
                     const std::vector<std::string>& functions, const std::set<std::string>& hosts)
    -> CallSpace {
  return CallSpaceSearch(frontend, program, hosts).run(functions);
}

auto CallSpace::choices_of(const std::string& function, size_t limit, bool& is_cut) const
    -> std::vector<std::vector<CallSwap>> {
  ChoiceWalk walk(sites_, limit);
  if (walk.run(function)) {
    return walk.take();
  }
  is_cut = true;
  std::vector<std::vector<CallSwap>> choices = {{}};
  std::vector<std::string> open = {function};
  std::set<std::string> seen = {function};
  while (!open.empty()) {
    const auto calls = sites_.find(open.back());
    open.pop_back();
    if (calls == sites_.end()) {
      continue;
    }
    for (const CallSite& site : calls->second) {
      if (seen.insert(site.callee).second) {
        open.push_back(site.callee);
      }
      for (const std::string& other : site.others) {
        choices.push_back({{calls->first, site.callee, site.number, other}});
      }
    }
  }
  return choices;
}

}  // namespace tacet::cli
