#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/he/lower/trace.h"

namespace tacet::he_lower {

/// Adds up the errors of each stage of a trace (`NoiseStage`) while it is walked.
class StageErrors {
 public:
  /// `most_in_slot`: a slot is off by up to so many deviations of a coefficient.
  StageErrors(const Trace& trace, double most_in_slot);

  /// What is followed in a walk: imaginary parts, which grow by derivatives alone and end where
  /// bootstrapping takes real parts, or what errors of results are, once those are known.
  enum class Track : uint8_t { Imaginary, Results };
  /// Before each walk.
  void begin(Track track);
  /// After one of imaginary parts.
  void keep_imaginary() { imaginary_ = bases_; }

  [[nodiscard]] auto is_known() const -> bool { return stages_ != nullptr; }
  /// Whether imaginary parts matter.
  [[nodiscard]] auto has_continuity() const -> bool { return has_continuity_; }
  /// Whether errors that the statement makes count in some stage.
  [[nodiscard]] auto counts(uint32_t statement) const -> bool {
    return counts_[register_of(statement)];
  }

  /// A cipher of a group of inputs (`Trace::register_group`) is off by so much.
  void note_input(uint32_t group, double deviation);
  /// Errors that are as good as random, or the same wherever numbers are: of scales, say.
  enum class Kind : uint8_t { Independent, Systematic };
  /// The statement made an error of this size of its own.
  void note_made(uint32_t statement, double deviation, Kind kind);
  /// What the statement made is off by so much in all.
  void note_base(uint32_t statement, double deviation);

  /// By register, the largest of its results in this walk; 0 if nothing is known.
  [[nodiscard]] auto register_errors() const -> const std::vector<double>& { return errors_; }

  /// What a result that the statement made is off by at most. Of polynomials up to twice what the
  /// derivatives say, for what is not of first order; or what their continuity says, if that is
  /// less.
  [[nodiscard]] auto of_result(uint32_t statement) -> std::optional<double>;

 private:
  [[nodiscard]] auto register_of(uint32_t statement) const -> uint32_t {
    return (*statement_register_)[statement];
  }
  [[nodiscard]] auto of_sum(const NoiseStage& stage) const -> double;
  [[nodiscard]] auto of_polynomial(uint32_t stage) const -> double;

  /// The number of a stage, and how errors count in it.
  struct Use {
    uint32_t stage = 0;
    double gain = 0;
  };

  /// The largest errors.
  struct Made {
    double independent = 0;
    double systematic = 0;
  };

  double most_in_slot_;
  bool has_continuity_ = false;
  Track track_ = Track::Results;
  const std::vector<NoiseStage>* stages_ = nullptr;
  const std::vector<uint32_t>* statement_register_ = nullptr;
  const std::vector<uint32_t>* register_group_ = nullptr;
  std::vector<std::vector<Use>> stages_of_;         ///< by register, of polynomials
  std::vector<std::optional<uint32_t>> result_of_;  ///< by register: the stage
  std::vector<bool> is_base_, counts_;              ///< by register
  std::vector<double> made_;                        ///< by statement: the largest so far
  std::vector<Made> made_in_;                       ///< likewise by register
  std::vector<double> sums_;                        ///< by stage: of errors times gains
  std::vector<double> errors_made_;                 ///< by stage: of errors
  std::vector<double> bases_;                       ///< by register
  std::vector<double> imaginary_;                   ///< likewise, of those
  std::vector<double> errors_;                      ///< by register
};

}  // namespace tacet::he_lower
