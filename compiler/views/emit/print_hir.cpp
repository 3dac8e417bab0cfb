#include "compiler/views/emit/print_hir.h"

#include <fmt/format.h>

#include <map>

#include "compiler/front/hir/build.h"
#include "compiler/spec/infer/quotients.h"
#include "compiler/spec/infer/spec_text.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::emit {

using hir::BlockId;
using hir::Function;
using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::ValueId;

namespace {

/// One function. Values are named in the order in which they are defined: `%a` after a variable,
/// `%a.1` the next one of that name, and `%3` where there is no name.
class HirPrinter {
 public:
  HirPrinter(const program::FrontendSnapshot& snapshot, const Function& function, std::string& out)
      : snapshot_(snapshot),
        function_(function),
        tree_(snapshot.tree(function.item)),
        out_(out),
        value_names_(function.values.size()),
        place_names_(function.places.size()) {}

  /// Prints what each value is in the specification, too.
  void show(std::shared_ptr<const infer::Quotients> quotients) {
    val_ = specification(quotients->val, "val");
    quotients_ = std::move(quotients);
  }
  /// Prints what encoders and futures are in the timeline, and where the current event changes.
  void show(std::shared_ptr<const infer::TimelineQuotients> quotients) {
    tmln_ = specification(quotients->tmln, "tmln");
    timeline_ = std::move(quotients);
  }

  void print() {
    name_values();
    name_places();
    out_ += fmt::format("{}\n", snapshot_.describe(function_.item));
    for (uint32_t i = 0; i < function_.places.size(); ++i) {
      if (is_used_[i]) {
        out_ += fmt::format("  place {}: {}\n", place_names_[i],
                            type_text(function_.places[PlaceId{i}].type));
      }
    }
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      block({i});
    }
  }

 private:
  auto type_text(types::TypeId type) const -> std::string {
    return types::type_text(snapshot_.types(), snapshot_.interner(), type);
  }
  auto text(Name name) const -> std::string_view { return snapshot_.interner().text(name); }
  auto node(uint32_t index) const -> syntax::Node {
    return index == hir::kNoNode ? syntax::Node() : syntax::Node(tree_.get(), index);
  }
  auto item_name(names::ItemId item) const -> std::string_view {
    return text(snapshot_.item_key(item).name);
  }

  void name_values() {
    std::map<Name, uint32_t> n_named;
    uint32_t n_nameless = 0;
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      for (hir::InstructionId id : function_.blocks[BlockId{i}].instructions) {
        const Instruction& instruction = function_.instructions[id];
        for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
          const Name name = function_.values[ValueId{v}].name;
          if (!name.has_value()) {
            value_names_[v] = fmt::format("%{}", n_nameless++);
            continue;
          }
          const uint32_t n = n_named[name]++;
          value_names_[v] =
              n == 0 ? fmt::format("%{}", text(name)) : fmt::format("%{}.{}", text(name), n);
        }
      }
    }
  }

  void name_places() {
    is_used_.resize(function_.places.size());
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      for (hir::InstructionId id : function_.blocks[BlockId{i}].instructions) {
        const Instruction& instruction = function_.instructions[id];
        const bool is_place_of_ssa =
            instruction.opcode == Opcode::Phi || instruction.opcode == Opcode::Undefined;
        if (instruction.place.has_value() && !is_place_of_ssa) {
          is_used_[instruction.place.index] = true;
        }
      }
    }
    std::map<std::string, uint32_t> n_named;
    for (uint32_t i = 0; i < function_.places.size(); ++i) {
      const hir::Place& place = function_.places[PlaceId{i}];
      std::string name = place.name.has_value() ? std::string(text(place.name)) : "_";
      if (place.kind == hir::PlaceKind::Field && place.owner.has_value()) {
        name = fmt::format("{}.{}", text(place.owner), name);
      }
      const uint32_t n = is_used_[i] ? n_named[name]++ : 0;
      place_names_[i] = n == 0 ? name : fmt::format("{}.{}", name, n);
    }
  }

  void block(BlockId id) {
    out_ += fmt::format("b{}:", id.index);
    if (timeline_) {
      event_ = timeline_->event_at_begin[id.index];
      out_ += "  // " + event_text();
    }
    out_ += "\n";
    for (hir::InstructionId instruction : function_.blocks[id].instructions) {
      step(function_.instructions[instruction]);
      tags(hir::TagSubject::Instruction, instruction.index);
      const hir::Slice results = function_.instructions[instruction].results;
      for (uint32_t value = results.begin; value < results.end; ++value) {
        tags(hir::TagSubject::Value, value);
      }
      nodes(instruction);
      out_ += "\n";
    }
    terminator(function_.blocks[id].terminator);
    tags(hir::TagSubject::Branch, id.index);
    out_ += "\n";
  }

  /// A specification whose nodes are printed.
  struct Specification {
    infer::SpecGraphPtr graph;
    names::ItemTree tree;
    std::string_view dimension;
  };

  auto specification(names::ItemId item, std::string_view dimension) const -> Specification {
    return {snapshot_.query().get<infer::SpecificationOf>(item)->graph, snapshot_.tree(item),
            dimension};
  }

  /// What the values of an instruction are in the specifications, and the event it leads to.
  void nodes(hir::InstructionId id) {
    const hir::Slice results = function_.instructions[id].results;
    std::string text;
    auto add = [&](const std::string& node) { text += (text.empty() ? "  // " : ", ") + node; };
    for (uint32_t value = results.begin; value < results.end; ++value) {
      if (quotients_ && quotients_->of_value[value].has_value()) {
        add(node_text(val_, quotients_->of_value[value]));
      }
      if (timeline_ && timeline_->of_value[value].has_value()) {
        add(node_text(tmln_, timeline_->of_value[value]));
      }
    }
    if (timeline_ && timeline_->event_after[id.index] != event_) {
      event_ = timeline_->event_after[id.index];
      add(event_text());
    }
    out_ += text;
  }
  auto event_text() const -> std::string {
    return event_.has_value() ? "event " + node_text(tmln_, event_) : "event not known";
  }
  auto node_text(const Specification& spec, infer::SpecNodeId node) const -> std::string {
    const bool is_named = spec.graph->nodes[node].name.has_value();
    std::string text = infer::spec_node_text(*spec.graph, *spec.tree, snapshot_.interner(), node);
    return is_named ? fmt::format("{}.{}", spec.dimension, text) : fmt::format("`{}`", text);
  }

  void tags(hir::TagSubject subject, uint32_t index) {
    for (const hir::TagUse& use : function_.tags) {
      if (use.subject == subject && use.index == index) {
        out_ += fmt::format(" {}", node(use.node).text());
      }
    }
  }

  void step(const Instruction& instruction) {
    out_ += "  ";
    for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
      out_ += fmt::format("{}{}: {}", v == instruction.results.begin ? "" : ", ", value_names_[v],
                          type_text(function_.values[ValueId{v}].type));
    }
    if (instruction.results.size() > 0) {
      out_ += " = ";
    }
    out_ += hir::opcode_text(instruction.opcode);
    detail(instruction);
    std::span<const ValueId> operands = function_.operands_of(instruction);
    const char* before = " ";
    for (ValueId operand : operands) {
      out_ += fmt::format("{}{}", before, value(operand));
      before = ", ";
    }
  }

  /// What stands between the opcode and the operands.
  void detail(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Parameter:
      case Opcode::Dimension:
        out_ += fmt::format(" {}", instruction.number);
        return;
      case Opcode::Literal:
        out_ += fmt::format(" {}", node(instruction.node).text());
        return;
      case Opcode::Pattern:
      case Opcode::Update:
      case Opcode::Peek:
      case Opcode::Overwritten:
      case Opcode::Opaque:
        out_ += fmt::format(" `{}`", syntax::kind_name(node(instruction.node).kind()));
        return;
      case Opcode::Unary:
      case Opcode::Binary:
        out_ += fmt::format(" {}", types::scheme_of(instruction.op).name);
        return;
      case Opcode::Constant:
      case Opcode::Call:
      case Opcode::EncodeCall:
        out_ += fmt::format(" {}", item_name(instruction.item));
        return;
      case Opcode::EncodeBegin:
        out_ += fmt::format(" {}", names::device_text(instruction.device));
        return;
      case Opcode::EncodeCopy:
        out_ += instruction.is_public ? " public" : "";
        return;
      case Opcode::Choose:
      case Opcode::Load:
      case Opcode::Store:
      case Opcode::Borrow:
      case Opcode::Written:
        out_ += fmt::format(" {}", place_names_[instruction.place.index]);
        return;
      case Opcode::Annotate:
        out_ +=
            fmt::format(" {}{}{}", instruction.is_at_entry ? "in" : "out",
                        instruction.place.has_value() ? " " + place_names_[instruction.place.index]
                                                      : std::string(),
                        fmt::format(" {}", node(instruction.node).text()));
        return;
      case Opcode::Undefined:
      case Opcode::Copy:
      case Opcode::Cast:
      case Opcode::Array:
      case Opcode::Index:
      case Opcode::Poke:
      case Opcode::Submit:
      case Opcode::Await:
      case Opcode::Hole:
      case Opcode::Phi:
        return;
    }
  }

  auto value(ValueId value) const -> std::string {
    return value.has_value() && !value_names_[value.index].empty() ? value_names_[value.index]
                                                                   : "%?";
  }

  void terminator(const hir::Terminator& terminator) {
    switch (terminator.kind) {
      case hir::TerminatorKind::None:
        return;
      case hir::TerminatorKind::Jump:
        out_ += fmt::format("  jump b{}", terminator.targets[0].index);
        return;
      case hir::TerminatorKind::Branch:
        out_ += fmt::format("  branch {}, b{}, b{}, join b{}", value(terminator.condition),
                            terminator.targets[0].index, terminator.targets[1].index,
                            terminator.join.index);
        return;
      case hir::TerminatorKind::Return: {
        out_ += "  return";
        const char* before = " ";
        for (ValueId operand : function_.operands_of(terminator)) {
          out_ += fmt::format("{}{}", before, value(operand));
          before = ", ";
        }
        return;
      }
    }
  }

  const program::FrontendSnapshot& snapshot_;
  const Function& function_;
  names::ItemTree tree_;
  std::string& out_;
  std::vector<std::string> value_names_;
  std::vector<std::string> place_names_;
  std::vector<bool> is_used_;
  std::shared_ptr<const infer::Quotients> quotients_;
  Specification val_;
  std::shared_ptr<const infer::TimelineQuotients> timeline_;
  Specification tmln_;
  infer::SpecNodeId event_;  ///< the current one, at the place that is printed
};

}  // namespace

auto print_hir(const program::FrontendSnapshot& snapshot, FileId file, HirForm form)
    -> std::string {
  std::string out;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const hir::FunctionPtr function = form == HirForm::Built
                                          ? snapshot.query().get<hir::FunctionOf>(item.id)
                                          : snapshot.query().get<hir::SsaOf>(item.id);
    if (!function) {
      continue;
    }
    out += out.empty() ? "" : "\n";
    HirPrinter printer(snapshot, *function, out);
    if (form == HirForm::Quotients) {
      if (auto quotients = snapshot.query().get<infer::QuotientsOf>(item.id)) {
        printer.show(std::move(quotients));
      }
      if (auto timeline = snapshot.query().get<infer::TimelineQuotientsOf>(item.id)) {
        printer.show(std::move(timeline));
      }
    }
    printer.print();
  }
  return out;
}

}  // namespace tacet::emit
