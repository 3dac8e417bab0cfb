#include "cli/explore/call_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/spec/program/edited_files.h"

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
    for (const Callee& other : site.others) {
      chosen_.push_back(site.swap(sites->first, other.name));
      with_callee(other, at, call);
      chosen_.pop_back();
    }
  }

  void with_callee(const Callee& callee, size_t at, size_t call) {
    const bool is_new = seen_.insert(callee.function).second;
    if (is_new) {
      open_.push_back(callee.function);
    }
    next_call(at, call + 1);
    if (is_new) {
      open_.pop_back();
      seen_.erase(callee.function);
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
      : frontend_(frontend), program_(program), hosts_(hosts), texts_(frontend) {}

  auto run(const std::vector<std::string>& functions) -> CallSpace {
    collect(functions);
    for (auto& [function, calls] : space_.sites_) {
      for (size_t i = 0; i < calls.size(); ++i) {
        for (const Callee& other : plausible_[{function, i}]) {
          offer(function, calls[i], other);
        }
      }
    }
    texts_.restore();
    return std::move(space_);
  }

 private:
  /// All functions that are reached, with their calls, and the alternatives as heads have them.
  void collect(const std::vector<std::string>& functions) {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    std::vector<names::ItemId> open;
    for (const std::string& name : functions) {
      open.push_back(snapshot.find(program_.file, names::Namespace::Callable, name));
    }
    while (!open.empty()) {
      const names::ItemId item = open.back();
      open.pop_back();
      if (!item.has_value() || snapshot.item_key(item).kind != names::ItemKind::Fn) {
        continue;
      }
      const std::optional<std::string>& module = module_of(snapshot, snapshot.item_key(item).file);
      const auto [place, is_new] = space_.sites_.try_emplace(function_of(snapshot, item));
      if (!is_new || !module) {
        continue;
      }
      std::vector<CallSite>& calls = place->second;
      const auto points = snapshot.get<program::CallPointsOf>(item);
      for (const CallPoint& point : *points) {
        const auto n_same = std::count_if(points->begin(), points->end(), [&](const auto& other) {
          return other.callee == point.callee;
        });
        calls.push_back(
            {callee_of(snapshot, point.callee), n_same > 1 ? point.number : 0, {}, *module});
        open.push_back(point.callee);
        for (const names::ItemId other : point.others) {
          consider(snapshot, point, other, place->first, calls);
          open.push_back(other);
        }
      }
    }
  }

  /// What swaps name a file by; nothing for files whose calls stay as they are.
  auto module_of(const program::FrontendSnapshot& snapshot, FileId file)
      -> const std::optional<std::string>& {
    const auto [known, is_new] = modules_.try_emplace(file.index);
    if (is_new) {
      known->second = program::swap_module(snapshot, program_.file, file);
    }
    return known->second;
  }

  auto function_of(const program::FrontendSnapshot& snapshot, names::ItemId item) -> std::string {
    const std::string name = callable_name(snapshot, item);
    const FileId file = snapshot.item_key(item).file;
    const std::optional<std::string>& module = module_of(snapshot, file);
    return !module           ? fmt::format("{}/{}", frontend_.path(file), name)
           : module->empty() ? name
                             : fmt::format("{}.{}", *module, name);
  }

  auto callee_of(const program::FrontendSnapshot& snapshot, names::ItemId item) -> Callee {
    return {callable_name(snapshot, item), function_of(snapshot, item)};
  }

  /// What is known of an alternative without trying it.
  void consider(const program::FrontendSnapshot& snapshot, const CallPoint& point,
                names::ItemId item, const std::string& function,
                const std::vector<CallSite>& calls) {
    const Callee other = callee_of(snapshot, item);
    const CallSite& site = calls.back();
    if (other.function == function) {
      return;  // a function that calls itself instead
    }
    if (snapshot.item_key(item).kind == names::ItemKind::Extern && !hosts_.contains(other.name)) {
      exclude(site.swap(function, other.name), "no library of `--extern` has it");
      return;
    }
    const auto reveals = [&](names::ItemId of) {
      return snapshot.query().run(
          [&](query::Context& context) { return program::reveals_on_the_way(context, of); });
    };
    if (reveals(item) && !reveals(point.callee)) {
      exclude(site.swap(function, other.name), "it reveals intermediate values");
      return;
    }
    plausible_[{function, calls.size() - 1}].push_back(other);
  }

  void exclude(CallSwap swap, std::string why) {
    space_.exclusions_.push_back({std::move(swap), std::move(why)});
  }

  /// Whether `from` calls `to`, directly or not, as written or as offered so far.
  [[nodiscard]] auto reaches(const std::string& from, const std::string& to) const -> bool {
    std::vector<std::string> open = {from};
    std::set<std::string> seen = {from};
    const auto add = [&](const Callee& callee) {
      if (seen.insert(callee.function).second) {
        open.push_back(callee.function);
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

  void offer(const std::string& function, CallSite& site, const Callee& other) {
    const CallSwap swap = site.swap(function, other.name);
    if (reaches(other.function, function)) {
      exclude(swap, fmt::format("it calls `{}` again", function));
      return;
    }
    texts_.restore();
    Result<std::vector<program::FileEdits>> edits =
        program::call_edits(frontend_.snapshot(), program_.file, {&swap, 1});
    if (!edits) {
      exclude(swap, edits.error().message);
      return;
    }
    texts_.apply(*edits);
    if (std::string error = error_of(frontend_.snapshot(), program_); !error.empty()) {
      exclude(swap, std::move(error));
      return;
    }
    site.others.push_back(other);
  }

  program::Frontend& frontend_;
  const LoadedProgram& program_;
  const std::set<std::string>& hosts_;
  program::EditedFiles texts_;
  std::map<uint32_t, std::optional<std::string>> modules_;  ///< by file
  std::map<std::pair<std::string, size_t>, std::vector<Callee>> plausible_;
  CallSpace space_;
};

auto CallSite::swap(const std::string& function, const std::string& other) const -> CallSwap {
  return {.function = module.empty() ? function : function.substr(module.size() + 1),
          .callee = callee.name,
          .number = number,
          .other = other,
          .module = module};
}

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
      if (seen.insert(site.callee.function).second) {
        open.push_back(site.callee.function);
      }
      for (const Callee& other : site.others) {
        choices.push_back({site.swap(calls->first, other.name)});
      }
    }
  }
  return choices;
}

}  // namespace tacet::cli
