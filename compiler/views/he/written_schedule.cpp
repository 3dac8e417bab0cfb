#include "compiler/views/he/written_schedule.h"

#include <fmt/format.h>

#include "compiler/he/lower/alternatives.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/text.h"
#include "compiler/views/he/item_program.h"

namespace tacet::he_views {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto schedule_clause(Node function) -> Node {
  for (const Node child : function.children()) {
    if (child.is(NodeKind::Schedule) || child.is(NodeKind::OpenSchedule)) {
      return child;
    }
  }
  return {};
}

auto open_schedules(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<names::ItemId> {
  std::vector<names::ItemId> open;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn) {
      continue;
    }
    const names::ItemTree tree = snapshot.tree(item.id);
    const Node clause = schedule_clause(names::item_node(*tree));
    if (!clause || !clause.is(NodeKind::OpenSchedule)) {
      continue;
    }
    const auto program = snapshot.get<ProgramOfItem>(item.id);
    if (program != nullptr && program->program) {
      open.push_back(item.id);
    }
  }
  return open;
}

auto clause_edit(const program::FrontendSnapshot& snapshot, names::ItemId item,
                 const std::string& clause) -> TextEdit {
  const names::ItemTree tree = snapshot.tree(item);
  const Node function = names::item_node(*tree);
  const uint32_t begin = snapshot.item_begin(item);
  if (const Node old = schedule_clause(function)) {
    return {old.range().shifted(begin), clause};
  }
  const uint32_t body = begin + function.child(Field::Body).range().begin;
  return {{body, body}, clause + " "};
}

auto checked_clause(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    const std::string& text) -> Result<std::string> {
  const auto program = snapshot.get<ProgramOfItem>(item);
  const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
  if (program == nullptr || !program->program) {
    return Error{fmt::format("`{}` has no layout", name)};
  }
  std::vector<array::Program> programs = {*program->program};
  if (!program->with_functions) {
    programs = he_lower::alternatives_of(*program->program, snapshot, item);
    programs.insert(programs.begin(), *program->program);
  }
  std::string why;
  for (const array::Program& one : programs) {
    Result<schedule::Schedule> read = schedule::parse_schedule(one, text);
    if (read) {
      const std::optional<schedule::Fault> fault = schedule::find_fault(one, *read);
      Result<std::string> written =
          fault ? Result<std::string>(Error{fault->reason}) : schedule::to_text(one, *read);
      if (written) {
        return written;
      }
      why = why.empty() ? written.error().message : why;
    } else if (why.empty()) {
      why = read.error().message;
    }
  }
  return Error{fmt::format("`{}` cannot be laid out by `{}`: {}", name, text, why)};
}

auto find_plan(const program::FrontendSnapshot& snapshot, names::ItemId item,
               const PlanOptions& options) -> std::optional<Plan> {
  const auto program = snapshot.get<ProgramOfItem>(item);
  if (program == nullptr || !program->program) {
    return std::nullopt;
  }
  std::vector<array::Program> programs;
  if (program->with_functions) {
    programs.push_back(*program->with_functions);
  } else {
    programs = he_lower::alternatives_of(*program->program, snapshot, item);
  }
  return make_plan(std::move(programs), options);
}

}  // namespace tacet::he_views
