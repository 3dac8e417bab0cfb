#pragma once

#include <string>
#include <vector>

namespace tacet::cli {

struct Trial;

/// What an interrupted exploration has measured, for the next one of the same program with the same
/// values. It is kept in a file of the user's cache folder that nobody else may read, without any
/// value: what it was measured with is there as a salted digest.
class UnfinishedTrials {
 public:
  /// `target` is what is explored, `identity` whatever the measurements depend on.
  UnfinishedTrials(const std::string& target, std::string identity);

  /// Adds the runs that were measured before to the trials of the same candidates, if they were
  /// for `identity` and these results.
  void load(const std::string& results, std::vector<Trial>& trials);

  /// Keeps the runs of the measured trials. Where nothing can be written nothing is kept.
  void save(const std::vector<Trial>& trials) const;

  void remove() const;

  /// The runs that `load` found.
  [[nodiscard]] auto n_loaded() const -> size_t { return n_loaded_; }

 private:
  [[nodiscard]] auto digest(const std::string& salt) const -> std::string;

  std::string path_;  ///< empty: there is no cache folder
  std::string identity_;
  std::string salt_;
  size_t n_loaded_ = 0;
};

}  // namespace tacet::cli
