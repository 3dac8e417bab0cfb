#pragma once

#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "engine/mpc_model/product_checks.h"
#include "engine/mpc_model/programs/instruction_costs.h"
#include "engine/mpc_model/programs/round_spans.h"
#include "engine/program/mpc/batches.h"

/// When the instructions of a run begin and end, in rounds: as engine/mpc/machine runs them.
/// Private to this folder.
namespace tacet::mpc_model {

/// What an instruction gives.
using ValueId = uint32_t;

/// An instruction that has begun, and its cost.
struct TimedInstruction {
  static constexpr size_t kNone = SIZE_MAX;

  size_t at = kNone;  ///< in the program; none: a movement that the machine does by itself
  uint32_t line = 0;
  /// Whose truth values it needs as numbers.
  std::optional<ValueId> number_of{};
  unsigned number_ring = 64;
  /// Does it run for certain? Else others may not count on numbers that it makes.
  bool is_certain = true;
  /// An output: it begins when nothing else does in its round, and belongs to no line.
  bool is_output = false;
  Cost number{};
  Cost rest{};
};

class Timetable {
 public:
  Timetable(const ProtocolCosts& protocol, const engine::MpcProgram& program)
      : protocol_(protocol),
        program_(program),
        batches_(engine::find_batches(program)),
        together_(batches_.is_local.size()) {}

  /// The round in progress.
  [[nodiscard]] auto now() const -> uint64_t { return now_; }
  [[nodiscard]] auto is_there(ValueId value) const -> bool { return given_[value].ready <= now_; }
  /// When it is there; only of what was waited for.
  [[nodiscard]] auto ready(ValueId value) const -> uint64_t { return given_[value].ready; }
  /// Does it run with others, at the end of a round?
  [[nodiscard]] auto is_batched(size_t at) const -> bool { return batches_.waits(at); }

  /// A value that is there.
  auto known() -> ValueId;
  /// One that is there after some rounds: an input.
  auto input(uint64_t rounds) -> ValueId;
  /// What an instruction gives that begins now, and waits for its operands.
  auto begin(const TimedInstruction& instruction, std::span<const ValueId> operands) -> ValueId;

  /// Continues until a value is there.
  void wait_for(ValueId value);
  /// Continues until the machine may begin another instruction.
  void wait_for_room();
  /// Continues until nothing is left.
  void finish();

  /// What ran so far, by line: the rounds and the bytes.
  struct Line {
    std::vector<Span> spans;
    uint64_t bytes = 0;
    /// What batches save. Where it is not certain when instructions run, they may save nothing.
    uint64_t saved_bytes = 0;
    bool has_checks = false;  ///< of all products that were recorded before
  };
  [[nodiscard]] auto lines() const -> const std::map<uint32_t, Line>& { return lines_; }
  [[nodiscard]] auto bytes() const -> uint64_t { return bytes_; }
  [[nodiscard]] auto saved_bytes() const -> uint64_t { return saved_bytes_; }
  [[nodiscard]] auto last_round() const -> uint64_t { return last_; }
  /// Whether products were checked, and whether so many were that it was done on the way: what is
  /// checked together is then up to the order of tasks within a round, which is not known.
  [[nodiscard]] auto has_checks() const -> bool { return has_checks_; }
  [[nodiscard]] auto has_early_checks() const -> bool { return has_early_checks_; }

 private:
  using NodeId = uint32_t;
  static constexpr uint64_t kNever = UINT64_MAX;

  /// Of which value; or of a node that makes its own.
  using NumberKey = std::pair<uint64_t, unsigned>;

  struct Given {
    uint64_t ready = kNever;  ///< the round after which it is there
    std::vector<NodeId> waiting{};
  };
  struct Node {
    TimedInstruction instruction{};
    ValueId result = 0;
    size_t n_missing = 0;  ///< operands that are not there yet
    bool has_number = false;
    NumberKey number{};
  };
  /// Numbers that truth values are made, if somebody asked.
  struct Number {
    uint64_t ready = kNever;  ///< once they are being made
    std::vector<NodeId> waiting{};
  };
  enum class EventKind : uint8_t { NumberIsThere, End, Continuation, EndOfCheck };
  struct Event {
    uint64_t round = 0;
    uint32_t id = 0;  ///< of the node, or of what continues
    EventKind kind = EventKind::End;
    uint64_t order = 0;

    friend auto operator>(const Event& a, const Event& b) -> bool {
      return a.round != b.round ? a.round > b.round : a.order > b.order;
    }
  };
  /// A kernel that records products and waits for checks, which make it end later; or an output.
  struct RecordingRun {
    Record record{};
    size_t next = 0;          ///< of the record
    uint64_t begin = 0;       ///< as if it had begun later, without the checks
    uint64_t rounds = 0;      ///< without checks
    uint64_t first = 0;       ///< when it began
    uint64_t waits_from = 0;  ///< for the check that it requested
    uint64_t n_wanted = 0;    ///< what was recorded before it asked, all of which is to be checked
    std::optional<uint32_t> line{};
    std::vector<NodeId> nodes{};       ///< that end with it
    std::vector<NumberKey> numbers{};  ///< that are there when it ends
  };

  auto new_value() -> ValueId;
  void count(uint32_t line, const Cost& cost);
  /// `cost` was counted for what would have sent `bytes_alone` without company.
  void save(uint32_t line, const Cost& cost, uint64_t bytes_alone);
  void start(NodeId id);
  auto needs_number(NodeId id) -> bool;
  auto number_of(NodeId id) -> Number&;
  void join(uint32_t batch, NodeId id);
  void run_batch(uint32_t batch);
  void compute_batch(const std::vector<NodeId>& nodes);
  void make_numbers(const std::vector<NodeId>& nodes);
  void end_after(const Cost& cost, NodeId id);
  void at(uint64_t round, uint32_t id, EventKind kind);
  void record(const Cost& cost, RecordingRun run);
  void go_on(uint32_t run);
  void end_run(uint32_t run);
  void await_check(uint32_t run);
  void begin_check();
  void end_check();
  void number_is_there(Number& number);
  void complete(NodeId id);
  void settle();
  void next_event();
  void handle(const Event& event);
  [[nodiscard]] auto type(engine::MpcRegisterId id) const -> const engine::MpcType& {
    return program_.registers[id].type;
  }

  const ProtocolCosts& protocol_;
  const engine::MpcProgram& program_;
  engine::MpcBatches batches_;
  std::vector<std::vector<NodeId>> together_;  ///< by batch: what runs at the end of this round
  std::deque<uint32_t> asked_;                 ///< batches that have something, in order
  std::vector<Given> given_;
  std::vector<Node> nodes_;
  std::map<NumberKey, Number> numbers_;  ///< by ring as well
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<NodeId> ready_;  ///< at this moment
  std::deque<NodeId> ended_;
  std::deque<NodeId> outputs_;  ///< that can be opened
  uint64_t n_events_ = 0;
  std::deque<RecordingRun> runs_;
  UncheckedProducts products_;
  std::optional<uint32_t> checking_;  ///< what waits for the check in progress
  std::deque<uint32_t> asking_for_check_;
  std::deque<uint32_t> waiting_for_check_;
  uint64_t n_being_checked_ = 0;
  uint64_t n_checked_ = 0;  ///< of what was recorded
  size_t n_runs_ = 0;       ///< that have not ended
  bool has_checks_ = false;
  bool has_early_checks_ = false;
  size_t n_in_flight_ = 0;
  std::map<uint32_t, Line> lines_;
  uint64_t now_ = 0;
  uint64_t last_ = 0;  ///< when everything is over
  uint64_t bytes_ = 0;
  uint64_t saved_bytes_ = 0;
};

}  // namespace tacet::mpc_model
