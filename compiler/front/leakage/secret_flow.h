#pragma once

#include <map>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/leakage/conversation.h"
#include "compiler/front/leakage/summary.h"
#include "compiler/front/types/signature.h"

/// Private to this folder.
namespace tacet::leakage {

/// What is known of a function before any secret is followed through it.
struct Surroundings {
  const hir::Function& function;
  const syntax::Tree& tree;
  const types::Signature& signature;
  const types::TypeStore& types;
  const Interner& interner;
  const names::ItemTable& items;
  std::function<std::shared_ptr<const types::Signature>(names::ItemId)> signature_of;
  /// Null for what is no coordinator function, and for one of a circle in the first round.
  std::function<const Summary*(names::ItemId)> summary_of;
};

/// Where secrets begin that are followed together.
struct Source {
  enum class Kind : uint8_t {
    Port,       ///< whatever a caller gives to one port of the parameters
    Declared,   ///< what parameters and calls declare to be secret and one party owns
    Decrypted,  ///< what is read of what was encrypted
  };

  Kind kind = Kind::Port;
  uint32_t port = 0;  ///< of `Port`
  Name owner = {};    ///< of `Declared`; none where no owner is named
};

using StepId = Id<struct StepTag>;

/// Follows secrets through one function, which is built over places, in the order in which control
/// runs. A place is as secret as what was stored there last; what is stored where a secret decides
/// whether, is secret. Arrays are one value, records and encoders one per field.
class SecretFlow {
 public:
  SecretFlow(const Surroundings& around, const Conversation& conversation, Source source);

  /// Once.
  void run();

  [[nodiscard]] auto reach() const -> Reach;
  auto take_channels() -> std::vector<Channel> { return std::move(channels_); }

 private:
  struct Link {
    Step step;  ///< without text where nothing is to be reported
    StepId from;
    uint32_t length = 1;
    /// A branch on the path is reported already: what follows from it is the same error.
    bool is_reported = false;
  };
  using Held = std::map<hir::PlaceId, StepId>;
  /// A branch that the walk is in, on whose condition it depends.
  struct Mark {
    hir::BlockId join;
    StepId step;
  };

  auto step(uint32_t node, std::string text, StepId from) -> StepId;
  auto shorter(StepId a, StepId b) const -> StepId;
  auto of_operands(std::span<const hir::ValueId> operands) const -> StepId;
  auto control() const -> StepId { return marks_.empty() ? StepId() : marks_.back().step; }
  auto text_of(Name name) const -> std::string;
  auto callee_text(const hir::Instruction& instruction) const -> std::string;
  /// The child of `node` in the text, or `node` itself.
  auto child(uint32_t node, syntax::Field field) const -> uint32_t;
  /// The text of what stands at a port of a call.
  auto argument(const hir::Instruction& call, uint32_t port) const -> uint32_t;

  void block(hir::BlockId id);
  void leave(const hir::Block& block, hir::BlockId id);
  void pass_on(hir::BlockId to);
  void instruction(const hir::Instruction& instruction);
  auto result(const hir::Instruction& instruction) -> StepId;
  /// What an instruction gives holds a secret because of `cause`, if there is one.
  void results(const hir::Instruction& instruction, StepId cause);
  void store(const hir::Instruction& instruction);
  auto load(const hir::Instruction& instruction) -> StepId;
  auto parameter(const hir::Instruction& instruction) -> StepId;
  auto peek(const hir::Instruction& instruction) const -> StepId;
  auto written(const hir::Instruction& instruction) -> StepId;
  void call(const hir::Instruction& instruction);
  void call_function(const hir::Instruction& instruction, const Summary& callee);
  void give_to(const hir::Instruction& instruction, uint32_t port, const Reach& reach);
  void call_extern(const hir::Instruction& instruction, const types::Signature& callee);
  void declared_results(const hir::Instruction& instruction, const types::Signature& callee);
  void encode_copy(const hir::Instruction& instruction);
  void encode_call(const hir::Instruction& instruction);
  void give_back(const hir::Terminator& end);
  auto is_in_result_type(types::TypeId whole, const hir::Port& port) const -> bool;

  void set(hir::ValueId value, StepId cause) {
    values_[value.index] = shorter(values_[value.index], cause);
  }
  auto path(StepId cause) const -> std::vector<Step>;
  void add(ChannelKind kind, Name subject, uint32_t node, std::string text, StepId cause);
  void add(Channel channel);

  const Surroundings& around_;
  const hir::Function& function_;
  const Conversation& conversation_;
  Source source_;
  Store<StepId, Link> links_;
  std::vector<StepId> values_;  ///< by value
  std::vector<Held> at_begin_;  ///< by block: what places hold
  Held held_;                   ///< where the walk is
  std::vector<Mark> marks_;
  std::vector<StepId> after_call_;  ///< by port of the last call: what it put there
  std::vector<StepId> results_;
  std::map<hir::PlaceId, uint32_t> ports_of_referents_;
  std::vector<StepId> referents_;
  std::vector<Channel> channels_;
};

/// Whether what stands at a port is a secret of its own by its declaration, and of which kind.
auto declared_level(const types::TypeStore& types, types::TypeId whole, const hir::Port& port)
    -> std::optional<Level>;

}  // namespace tacet::leakage
