#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::mpc {

/// What one party sent, in all and under each label. A label is a stack of names, as
/// `mul > fmul > rmul > mul_ss`: who called whom when something was sent or waited for.
class Traffic {
 public:
  using LabelId = uint32_t;
  static constexpr LabelId kRoot = 0;

  /// Counts of a label and of everything under it. Rounds are those in which anything there
  /// waited, so that the rounds of labels that run side by side add up to more than there were.
  struct Counts {
    uint64_t rounds = 0;
    uint64_t bytes = 0;  ///< that this party sent to all others
    uint64_t sends = 0;  ///< calls of `Party::send`; those of a round and link share a frame
  };
  struct Label {
    LabelId parent = kRoot;
    std::string name;
    Counts counts;
  };

  /// The label of `name` under `parent`, made if it is new.
  auto child(LabelId parent, std::string_view name) -> LabelId;

  void count_send(LabelId label, size_t n_bytes);
  /// Starts another round; before the `count_wait`s in it.
  void begin_round() { ++round_; }
  void count_wait(LabelId label);

  [[nodiscard]] auto total() const -> const Counts& { return labels_[kRoot].counts; }
  /// All labels, the root first, each behind its parent.
  [[nodiscard]] auto labels() const -> const std::vector<Label>& { return labels_; }
  /// The names from the root to `label`.
  [[nodiscard]] auto path(LabelId label) const -> std::vector<std::string_view>;

 private:
  std::vector<Label> labels_{Label{}};
  std::vector<std::map<std::string, LabelId, std::less<>>> children_{1};
  std::vector<uint64_t> last_round_{0};  ///< in which a label waited
  uint64_t round_ = 0;
};

}  // namespace tacet::mpc
