#include "compiler/he/lower/level_times.h"

#include "engine/he_model/bootstrapping.h"

namespace tacet::he_lower {

using he::Operation;

LevelTimes::LevelTimes(const Setting& setting, const he::OperationTimes& times)
    : times_(times),
      place_{.scheme = setting.scheme,
             .ring_dimension = setting.ring_dimension,
             .n_special = setting.special_sizes.size()},
      n_data_(setting.data_sizes.size()) {}

auto LevelTimes::of(Operation operation, size_t n_primes) -> double {
  std::vector<double>& known = known_[static_cast<size_t>(operation)];
  if (known.size() <= n_primes) {
    known.resize(n_primes + 1, kUnknown);
  }
  if (known[n_primes] == kUnknown) {
    place_.n_primes = n_primes;
    known[n_primes] = times_.of(operation, place_);
  }
  return known[n_primes];
}

auto LevelTimes::of_lowering(size_t from, size_t to) -> double {
  if (place_.scheme != he::Scheme::Ckks) {
    return of(Operation::Drop, from) * static_cast<double>(from - to);
  }
  return from == to ? 0 : of(Operation::MultiplyPlain, to + 1) + of(Operation::Drop, to + 1);
}

auto LevelTimes::of_step(const Trace& trace, const Step& step, size_t n_primes, double size)
    -> double {
  switch (step.kind) {
    case StepKind::Add:
      return of(Operation::Add, n_primes) * size;
    case StepKind::AddPlain:  // changes one part only
      return of(Operation::AddPlain, n_primes);
    case StepKind::Multiply:
      return of(Operation::Multiply, n_primes);
    case StepKind::MultiplyPlain:
      return of(Operation::MultiplyPlain, n_primes) * size;
    case StepKind::Relinearise:
      return of(Operation::Relinearise, n_primes);
    case StepKind::Rotate: {
      const uint32_t n = trace.n_rotations[step.a];
      return n == 1 ? of(Operation::Rotate, n_primes)
                    : of(Operation::RotateHoisted, n_primes) + of(Operation::Hoist, n_primes) / n;
    }
    case StepKind::Bootstrap:
      if (bootstrap_ == kUnknown) {
        bootstrap_ = he::bootstrapping_time(times_, place_.ring_dimension,
                                            he::bootstrapping_shape(place_.ring_dimension), n_data_,
                                            place_.n_special);
      }
      return bootstrap_;
    case StepKind::Drop:
      return of(Operation::Drop, n_primes) * step.count;
    case StepKind::Rename:
      return 0;
  }
  return 0;
}

}  // namespace tacet::he_lower
