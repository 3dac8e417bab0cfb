#include "lsp/ide/code_lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/front/names/item_chunks.h"
#include "compiler/spec/program/call_points.h"
#include "compiler/spec/program/implementations.h"
#include "compiler/spec/program/shown_instance.h"
#include "compiler/views/picture/timeline_picture.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/goto_implementation.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

using names::ItemId;
using names::ItemKind;

/// The class whose work a function does, or null.
static auto class_of_function(query::Context& context, ItemId function)
    -> std::shared_ptr<const names::EquivalenceClass> {
  if (context.service<names::ItemTable>()[function].parent.has_value()) {
    return context.get<names::ClassOfItem>(function);
  }
  const ItemId val = context.get<names::ImplementedBy>(function).val;
  return val.has_value() ? context.get<names::ClassOfItem>(val) : nullptr;
}

static auto has_lens(query::Context& context, ItemKind kind, ItemId item) -> bool {
  return kind == ItemKind::Val || kind == ItemKind::Feq ||
         (kind == ItemKind::Fn && class_of_function(context, item) != nullptr);
}

static auto is_array_program(query::Context& context, ItemKind kind, ItemId item) -> bool {
  if (kind != ItemKind::Fn && kind != ItemKind::Program) {
    return false;
  }
  const auto program = context.get<he_views::ProgramOfItem>(item);
  return program != nullptr && (program->program || program->is_bit_by_bit);
}

static auto is_shared(query::Context& context, ItemKind kind, ItemId item) -> bool {
  return kind == ItemKind::Fn && context.get<mpc_views::ProgramOfItem>(item) != nullptr;
}

namespace {

/// Query: the lenses above the items of a chunk, by offsets in their trees.
struct LensesOfChunk {
  static constexpr std::string_view kName = "lenses_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Value = std::shared_ptr<const std::vector<std::pair<ItemId, Lens>>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

auto LensesOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  std::vector<std::pair<ItemId, Lens>> lenses;
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    if (!item.name.has_value()) {
      continue;
    }
    std::vector<LensKind> kinds;
    if (has_lens(context, item.kind, item.id)) {
      kinds.push_back(LensKind::Implementations);
    }
    const ItemId shown = context.get<program::ShownInstanceOf>(item.id);
    if (shown.has_value() &&
        (is_array_program(context, item.kind, shown) || is_shared(context, item.kind, shown))) {
      kinds.push_back(LensKind::Cost);
      if (shown == item.id) {  // what is run has sizes
        kinds.push_back(LensKind::Run);
        kinds.push_back(LensKind::Trace);
      }
    }
    if (kinds.empty()) {
      continue;
    }
    const syntax::Node root = names::item_node(*context.get<names::SyntaxOfItem>(item.id));
    const syntax::Node name = root ? names::item_name_node(root) : root;
    for (const LensKind kind : kinds) {
      lenses.push_back({item.id, {name ? name.range() : root.range(), item.id.index, kind}});
    }
  }
  return std::make_shared<const std::vector<std::pair<ItemId, Lens>>>(std::move(lenses));
}

}  // namespace

auto code_lenses(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Lens> {
  return snapshot.query().run([&](query::Context& context) {
    const auto& syntax = context.get<syntax::ParseFile>(file);
    const auto& items = context.get<names::ItemsOfFile>(file);
    std::vector<Lens> lenses;
    names::for_chunks<LensesOfChunk>(context, file, [&](const LensesOfChunk::Value& found) {
      for (const auto& [id, lens] : *found) {
        const names::FileItem& item = *items->find(id);
        const uint32_t begin = item.member == names::FileItem::kTopLevel
                                   ? syntax->units[item.unit].begin
                                   : context.get<names::BeginOfItem>(id);
        lenses.push_back({lens.range.shifted(begin), lens.subject, lens.kind});
      }
    });
    return lenses;
  });
}

/// The functions that compute what was explored.
static auto explored_functions(query::Context& context, FileId file,
                               const std::vector<program::ExploredChoice>& explored)
    -> std::set<ItemId> {
  std::set<ItemId> functions;
  const auto& interner = context.service<Interner>();
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    const bool is_specification = item.kind == ItemKind::Val || item.kind == ItemKind::Feq;
    const bool is_explored = is_specification && item.name.has_value() &&
                             std::any_of(explored.begin(), explored.end(), [&](const auto& choice) {
                               return choice.target == interner.text(item.name);
                             });
    if (is_explored) {
      const std::vector<ItemId> found = program::implementations_of(context, item.id);
      functions.insert(found.begin(), found.end());
    }
  }
  return functions;
}

auto call_lenses(const program::FrontendSnapshot& snapshot, FileId file,
                 const std::vector<program::ExploredChoice>& explored) -> std::vector<Lens> {
  if (explored.empty()) {
    return {};
  }
  return snapshot.query().run([&](query::Context& context) {
    std::vector<Lens> lenses;
    const std::set<ItemId> functions = explored_functions(context, file, explored);
    const auto& items = context.get<names::ItemsOfFile>(file)->items;
    for (const names::FileItem& item : functions.empty() ? std::vector<names::FileItem>() : items) {
      const check::BodyPtr body =
          item.kind == ItemKind::Fn ? context.get<check::BodyOf>(item.id) : nullptr;
      const auto is_explored = [&](ItemId callee) { return functions.contains(callee); };
      if (body == nullptr ||
          std::none_of(body->names.items.begin(), body->names.items.end(), is_explored)) {
        continue;
      }
      const names::ItemTree tree = context.get<names::SyntaxOfItem>(item.id);
      const uint32_t begin = context.get<names::BeginOfItem>(item.id);
      for (const program::CallPoint& point : *context.get<program::CallPointsOf>(item.id)) {
        if (!point.others.empty() && is_explored(point.callee)) {
          const TextRange name = syntax::Node(tree.get(), point.node).range();
          lenses.push_back({name.shifted(begin), point.callee.index, LensKind::Call});
        }
      }
    }
    return lenses;
  });
}

/// `implements `rec_sum` · 3 of 4 members`.
static auto text_of_class(query::Context& context, const names::EquivalenceClass& of_class)
    -> std::string {
  const program::ClassCoverage coverage = program::coverage_of(context, of_class);
  const Name name = context.service<names::ItemTable>()[of_class.item].name;
  std::string text = fmt::format("implements `{}`",
                                 name.has_value() ? context.service<Interner>().text(name) : "");
  if (coverage.n_members > 1) {
    text += fmt::format(" · {} of {} members", coverage.n_runnable, coverage.n_members);
  }
  return text;
}

static auto text_of_count(size_t n_implementations) -> std::string {
  return n_implementations == 0   ? "no implementation"
         : n_implementations == 1 ? "1 implementation"
                                  : fmt::format("{} implementations", n_implementations);
}

/// Who sees what, with the page that has the rest.
static auto trust_in_parties(mpc_views::Protocol protocol) -> std::string {
  return fmt::format("{} Threat model: docs/security/parties.md", mpc_views::trust_in(protocol));
}

static auto trust_in_server() -> std::string {
  return "The server sees no value of the client; it is trusted to compute what was compiled. "
         "Threat model: docs/security/encryption.md";
}

/// The lens of a function on secret shares.
static auto shared_lens(const program::FrontendSnapshot& snapshot, ItemId item, LensKind kind,
                        const mpc_views::Parties& parties) -> LensText {
  LensText lens;
  lens.range = snapshot.name_place(item).range;
  if (kind == LensKind::Cost) {
    lens.title = shared_cost_text(snapshot, item, parties);
    lens.trust = trust_in_parties(parties.protocol);
    return lens;
  }
  lens.run = shared_run_target(snapshot, item, parties);
  if (lens.run && kind == LensKind::Trace) {
    lens.title = "trace";
  } else {
    lens.title = lens.run ? fmt::format("run on {} local parties", lens.run->n_parties)
                          : "cannot run on secret shares";
  }
  return lens;
}

/// The cost of a function with size parameters for some of them.
static auto instance_lens(const program::FrontendSnapshot& snapshot, ItemId instance, LensKind kind,
                          PlanStore& plans, const mpc_views::Parties& parties)
    -> std::optional<LensText> {
  if (kind != LensKind::Cost) {
    return std::nullopt;
  }
  const bool is_shared = is_shared_function(snapshot, instance);
  if (!is_shared && array_program(snapshot, instance) == nullptr &&
      !is_bit_by_bit(snapshot, instance)) {
    return std::nullopt;
  }
  LensText lens;
  lens.range = snapshot.name_place(instance).range;
  lens.title = fmt::format("`{}`: {}",
                           names::instance_values(snapshot.interner(), snapshot.item_key(instance)),
                           is_shared ? shared_cost_text(snapshot, instance, parties)
                                     : cost_text(snapshot, instance, plans));
  lens.trust = is_shared ? trust_in_parties(parties.protocol) : trust_in_server();
  return lens;
}

/// The lens of an array program.
static auto program_lens(const program::FrontendSnapshot& snapshot, FileId file, ItemId item,
                         LensKind kind, PlanStore& plans, const mpc_views::Parties& parties)
    -> std::optional<LensText> {
  const names::FileItem* found = snapshot.items(file)->find(item);
  const ItemId shown = found == nullptr ? item : snapshot.get<program::ShownInstanceOf>(item);
  if (shown != item) {
    std::optional<LensText> lens =
        shown.has_value() ? instance_lens(snapshot, shown, kind, plans, parties) : std::nullopt;
    return lens;
  }
  if (found != nullptr && is_shared_function(snapshot, item)) {
    return shared_lens(snapshot, item, kind, parties);
  }
  if (found == nullptr ||
      (array_program(snapshot, item) == nullptr && !is_bit_by_bit(snapshot, item))) {
    return std::nullopt;
  }
  LensText lens;
  lens.range = snapshot.name_place(item).range;
  if (kind == LensKind::Cost) {
    lens.title = cost_text(snapshot, item, plans);
    lens.trust = trust_in_server();
  } else {
    lens.title = kind == LensKind::Trace ? "trace" : "run";
    lens.run = run_target(snapshot, item);
  }
  return lens;
}

/// ` · `closed` 0.8 µs, `shared` by parties 8 ms`: what was measured, the fastest first.
static auto text_of_times(const std::vector<program::ExploredChoice>& explored,
                          std::string_view target) -> std::string {
  const auto choice =
      std::find_if(explored.begin(), explored.end(),
                   [&](const program::ExploredChoice& of) { return of.target == target; });
  if (choice == explored.end()) {
    return {};
  }
  std::vector<program::ExploredWay> ways = choice->others;
  ways.insert(ways.begin(), choice->chosen);
  constexpr size_t kMostTimes = 3;
  std::string text;
  std::vector<std::string> seen;
  for (const program::ExploredWay& way : ways) {
    const std::string where = !way.scheme.empty()   ? " under " + way.scheme
                              : way.device == "mpc" ? " by parties"
                                                    : "";
    const std::string name = fmt::format("`{}`{}", way.implementation, where);
    if (!way.milliseconds || seen.size() == kMostTimes ||
        std::find(seen.begin(), seen.end(), name) != seen.end()) {
      continue;
    }
    text += fmt::format("{}{} {}", seen.empty() ? " · " : ", ", name,
                        picture::duration_text(*way.milliseconds / 1000));
    seen.push_back(name);
  }
  return text;
}

/// `2 others compute `total` · `closed` 0.8 µs, `shared` by parties 8 ms`
static auto call_lens(query::Context& context, FileId file, ItemId callee,
                      const std::vector<program::ExploredChoice>& explored)
    -> std::optional<LensText> {
  const std::vector<ItemId> others = context.get<program::CallAlternatives>({file, callee});
  if (others.empty()) {
    return std::nullopt;
  }
  const auto& interner = context.service<Interner>();
  const auto word = [&](ItemId item) {
    return std::string(interner.text(context.service<names::ItemTable>()[item].name));
  };
  LensText lens;
  lens.title = others.size() == 1
                   ? fmt::format("`{}` computes the same as `{}`", word(others[0]), word(callee))
                   : fmt::format("{} others compute the same as `{}`", others.size(), word(callee));
  std::vector<ItemId> computed = program::specifications_of(context, callee);
  computed.push_back(callee);
  for (const ItemId specification : computed) {
    if (std::string times = text_of_times(explored, word(specification)); !times.empty()) {
      lens.title += times;
      break;
    }
  }
  for (const ItemId other : others) {
    const Definition place = definition_of(context, other);
    lens.places.push_back({place.file, place.name});
  }
  return lens;
}

auto lens_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t subject,
               LensKind kind, PlanStore& plans, const mpc_views::Parties& parties,
               const std::vector<program::ExploredChoice>& explored) -> std::optional<LensText> {
  if (kind == LensKind::Call) {
    return snapshot.query().run([&](query::Context& context) {
      return call_lens(context, file, ItemId{subject}, explored);
    });
  }
  if (kind != LensKind::Implementations) {
    return program_lens(snapshot, file, ItemId{subject}, kind, plans, parties);
  }
  return snapshot.query().run([&](query::Context& context) -> std::optional<LensText> {
    const ItemId item{subject};
    const names::FileItem* found = context.get<names::ItemsOfFile>(file)->find(item);
    if (found == nullptr || !has_lens(context, found->kind, item)) {
      return std::nullopt;
    }
    LensText lens;
    lens.range = definition_of(context, item).name;
    ItemId of = item;
    if (found->kind == ItemKind::Fn) {
      const auto of_class = class_of_function(context, item);
      lens.title = text_of_class(context, *of_class);
      of = of_class->item;
    }
    const std::vector<ItemId> implementations = program::implementations_of(context, of);
    if (found->kind != ItemKind::Fn) {
      lens.title = text_of_count(implementations.size());
      const Name name = context.service<names::ItemTable>()[item].name;
      if (!explored.empty() && name.has_value()) {
        lens.title += text_of_times(explored, context.service<Interner>().text(name));
      }
    }
    for (ItemId implementation : implementations) {
      const Definition place = definition_of(context, implementation);
      lens.places.push_back({place.file, place.name});
    }
    return lens;
  });
}

}  // namespace tacet::ide
