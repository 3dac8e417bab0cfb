#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/device/array/print.h"
#include "compiler/front/names/queries.h"
#include "compiler/views/he/layout.h"
#include "compiler/views/picture/layout_picture.h"
#include "compiler/views/picture/svg.h"
#include "lsp/ide/array_programs.h"

namespace tacet::ide {

namespace {

using he_views::Layout;
using he_views::Slot;

/// More sites of one array are not drawn.
constexpr size_t kMostPictures = 2;

/// A place where an array is read.
struct ReadPlace {
  size_t statement = 0;
  array::ExprId expr;
};

auto plural(int64_t n, std::string_view what) -> std::string {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class LayoutText {
 public:
  /// `text` is the program as it is written now, `program` one that computes the same, of which the
  /// schedule is: it has the same names, but its places mean nothing.
  LayoutText(const array::Program& text, const array::Program& program,
             const schedule::Schedule* schedule, const he_views::Plan* plan, Pictures pictures)
      : written_(text), program_(program), schedule_(schedule), plan_(plan), pictures_(pictures) {}

  /// Of the array that is declared at `declared`, mentioned at `mentioned`; empty if there is none.
  auto write(TextRange declared, TextRange mentioned) -> std::string {
    const auto& arrays = written_.arrays.values();
    const auto n_columns = std::count_if(arrays.begin(), arrays.end(), [&](const auto& array) {
      return array::is_input(array.owner) && array.place.range == declared;
    });
    if (n_columns > 1) {
      return {};  // a record: each of its fields is laid out in its own way
    }
    for (const array::Array& array : written_.arrays.values()) {
      if (array.place.range.contains(declared) && is_named(array, declared)) {
        find_read(array.name, mentioned);
        write_named(array.name);
        return std::move(text_);
      }
    }
    return {};
  }

 private:
  /// A result's place is its whole value, which no name is.
  [[nodiscard]] auto is_named(const array::Array& array, TextRange declared) const -> bool {
    return is_input(array.owner) || array.place.range == declared;
  }

  /// The read of the array at the hovered place, if any.
  void find_read(const std::string& name, TextRange mentioned) {
    for (const array::Statement& statement : written_.statements) {
      for (uint32_t e = 0; e < statement.exprs.size(); ++e) {
        const array::Expr& expr = statement.exprs[array::ExprId{e}];
        const auto* site = std::get_if<array::Site>(&expr.node);
        if (site != nullptr && written_.arrays[site->array].name == name &&
            expr.place.range.contains(mentioned)) {
          read_ = print(written_, statement, array::ExprId{e});
        }
      }
    }
  }

  void write_named(const std::string& name) {
    for (uint32_t i = 0; i < program_.arrays.size(); ++i) {
      if (program_.arrays[array::ArrayId{i}].name == name) {
        write_array(array::ArrayId{i});
        return;
      }
    }
    text_ = "Recomputed at every read, which is faster\n";
  }

  void write_array(array::ArrayId id) {
    const array::Array& array = program_.arrays[id];
    text_ = fmt::format("{}{}\n",
                        array.extents.empty()
                            ? std::string("one value")
                            : fmt::format("{} values", fmt::join(array.extents, " × ")),
                        array.owner == array::Owner::Client     ? ", encrypted by the client"
                        : array.owner == array::Owner::Server   ? ", unencrypted"
                        : array.owner == array::Owner::Constant ? ", part of the program"
                                                                : ", computed under encryption");
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      if (program_.statements[i].result == id && schedule_ != nullptr) {
        if (Result<Layout> left = he_views::layout_of_result(program_, *schedule_, i)) {
          text_ += "\nStored as\n";
          draw(*left);
        }
        write_levels(array.name);
      }
    }
    std::vector<ReadPlace> places = places_of(id);
    // Of several reads, the hovered one.
    const auto at_cursor = std::find_if(places.begin(), places.end(), [&](const ReadPlace& place) {
      return print(program_, program_.statements[place.statement], place.expr) == read_;
    });
    if (at_cursor != places.end()) {
      places = {*at_cursor};
    }
    for (size_t i = 0; i < std::min(places.size(), kMostPictures); ++i) {
      write_read(places[i], array.owner);
    }
    if (places.size() > kMostPictures) {
      text_ += fmt::format("\nand {} more reads\n", places.size() - kMostPictures);
    }
  }

  void write_levels(const std::string& array) {
    if (plan_ == nullptr) {
      return;
    }
    if (const auto of = plan_->levels.find(array); of != plan_->levels.end()) {
      text_ += fmt::format("\nLevels left, of {}: {}\n", of->second.all, to_text(of->second));
    }
  }

  [[nodiscard]] auto places_of(array::ArrayId id) const -> std::vector<ReadPlace> {
    std::vector<ReadPlace> places;
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      const auto& exprs = program_.statements[i].exprs;
      for (uint32_t e = 0; e < exprs.size(); ++e) {
        const auto* site = std::get_if<array::Site>(&exprs[array::ExprId{e}].node);
        if (site != nullptr && site->array == id) {
          places.push_back({i, array::ExprId{e}});
        }
      }
    }
    return places;
  }

  void write_read(const ReadPlace& place, array::Owner owner) {
    const array::Statement& statement = program_.statements[place.statement];
    const auto& site = std::get<array::Site>(statement.exprs[place.expr].node);
    text_ += fmt::format("\nRead as `{}`: {}\n", print(program_, statement, place.expr),
                         traversal(statement, site));
    if (schedule_ != nullptr) {
      const Layout layout =
          he_views::layout_of_site(program_, *schedule_, place.statement, place.expr);
      draw(layout);
      if (owner == array::Owner::Client && layout.n_vectors() > 1) {
        text_ += "Vectors that are rotations of each other are encrypted once\n";
      }
    }
  }

  /// `dimension 0 from -1, `i` (30) by 1, `k` (3) by 1; dimension 1 …`
  static auto traversal(const array::Statement& statement, const array::Site& site) -> std::string {
    std::string text;
    for (size_t i = 0; i < site.indices.size(); ++i) {
      const array::ArrayIndex& index = site.indices[i];
      text += fmt::format("{}dimension {} from {}", i == 0 ? "" : "; ", i, index.offset);
      for (const array::IndexTerm& term : index.terms) {
        const array::Dim& dim = statement.dims[term.dim];
        text += fmt::format(", `{}` (0..{}) with stride {}", dim.name, dim.extent, term.stride);
        text += term.is_cyclic ? fmt::format(", cyclic from {}", term.shift) : std::string();
      }
    }
    return text.empty() ? "the same in every slot" : text;
  }

  void draw(const Layout& layout) {
    text_ += pictures_ == Pictures::Text
                 ? fmt::format("\n```text\n{}```\n", he_views::picture(layout))
                 : fmt::format("\n![layout]({})\n\n",
                               picture::data_url(picture::layout_picture({{"", layout}})));
    const bool has_rows = !array::is_real(program_);
    text_ += fmt::format("{} of {}{} slots", plural(layout.n_vectors(), "vector"),
                         has_rows ? "2 × " : "", layout.n_columns * layout.n_repetitions);
    if (layout.n_repetitions > 1) {
      const std::string slots = plural(layout.n_columns, "slot");
      text_ += layout.is_repeated ? fmt::format(", {} repeated", slots)
                                  : fmt::format(", arbitrary values after the first {}", slots);
    }
    text_ += has_rows && layout.n_rows == 1 ? ", both rows equal" : "";
    text_ += has(layout, Slot::Kind::Summand) ? "; `+` is added by the client" : "";
    text_ += has(layout, Slot::Kind::Padding) ? "; `·` is padding" : "";
    text_ += has(layout, Slot::Kind::Outside) ? "; `∅` is outside the array and reads as 0" : "";
    text_ += has(layout, Slot::Kind::Anything)
                 ? has(layout, Slot::Kind::Summand)
                       ? "; `?` is not used"
                       : "; `?` is left over from rotations and masked where it matters"
                 : "";
    text_ += "\n";
    for (const std::string& roll : layout.rolls) {
      text_ += fmt::format("\nRolled: {}, so that diagonals lie in slots\n", roll);
    }
  }

  static auto has(const Layout& layout, Slot::Kind kind) -> bool {
    return std::any_of(layout.slots.begin(), layout.slots.end(),
                       [&](const Slot& slot) { return slot.kind == kind; });
  }

  const array::Program& written_;
  const array::Program& program_;
  const schedule::Schedule* schedule_;
  const he_views::Plan* plan_;  ///< none if it is not known
  Pictures pictures_;
  std::string read_;  ///< as text
  std::string text_;
};

/// The program that the name is of, and where the name is declared and mentioned, counted as the
/// program's places are.
struct Named {
  names::ItemId item;
  TextRange declared;
  TextRange mentioned;
};

auto named_array(const program::FrontendSnapshot& snapshot, const program::Entity& entity)
    -> std::optional<Named> {
  const names::ItemKey& key = snapshot.item_key(entity.in_item);
  const syntax::Node node(entity.tree.get(), entity.node);
  if (key.kind == names::ItemKind::Fn) {
    if (entity.local == names::Local::kNone || entity.local_of != entity.in_item) {
      return std::nullopt;
    }
    const uint32_t declaration = snapshot.body(entity.in_item)->names.locals[entity.local].node;
    if (declaration == names::Local::kNone) {
      return std::nullopt;
    }
    return Named{entity.in_item, syntax::Node(entity.tree.get(), declaration).range(),
                 node.range()};
  }
  names::ItemId program;
  for (const names::FileItem& item : snapshot.items(key.file)->items) {
    program = item.kind == names::ItemKind::Program ? item.id : program;
  }
  if (!program.has_value()) {
    return std::nullopt;
  }
  if (entity.item.has_value() && snapshot.item_key(entity.item).kind == names::ItemKind::Input) {
    return Named{program, snapshot.name_place(entity.item).range, entity.range};
  }
  if (entity.local == names::Local::kNone || entity.local_of != program) {
    return std::nullopt;
  }
  const names::Local& local = snapshot.body(program)->names.locals[entity.local];
  if (local.node != names::Local::kNone) {
    const names::ItemTree tree = snapshot.tree(program);
    return Named{program,
                 syntax::Node(tree.get(), local.node).range().shifted(snapshot.item_begin(program)),
                 entity.range};
  }
  return std::nullopt;
}

}  // namespace

auto layout_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                 PlanStore& plans, Pictures pictures) -> std::string {
  const std::optional<Named> named = named_array(snapshot, entity);
  const auto program = named ? array_program(snapshot, named->item) : nullptr;
  if (program == nullptr) {
    return {};
  }
  std::string note;
  std::shared_ptr<const he_views::Plan> plan;
  const schedule::Schedule* schedule = program->pinned ? &*program->pinned : nullptr;
  if (program->has_clause && schedule == nullptr) {
    note = "The `schedule` cannot be followed.";
  } else if (schedule == nullptr) {
    plan = plans.find(snapshot, named->item, *program, PlanStore::Clause::Obeyed);
    schedule = plan != nullptr && plan->schedule ? &*plan->schedule : nullptr;
    note = plan == nullptr       ? "Searching for a schedule…"
           : schedule == nullptr ? fmt::format("Cannot be encrypted: {}.", plan->problem)
                                 : "";
  }
  const array::Program& shown =
      plan != nullptr && plan->schedule ? plan->program : *program->program;
  std::string text = LayoutText(*program->program, shown, schedule, plan.get(), pictures)
                         .write(named->declared, named->mentioned);
  text += text.empty() || note.empty() ? "" : "\n" + note;
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace tacet::ide
