#include "engine/mpc/aby3_active/product_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/cpu.h"

namespace tacet::mpc {

namespace {

/// How many rows products are put in: messages grow by the square, and what is left afterwards
/// shrinks.
auto rows_for(size_t n_words) -> size_t {
  constexpr size_t kFew = 64;
  constexpr size_t kMany = 4096;
  constexpr size_t kVeryMany = 32768;
  return n_words < kFew ? 1 : n_words < kMany ? 8 : n_words < kVeryMany ? 16 : 32;
}

/// The same of terms: two are least work, more are fewer rounds. Elements of one word are cheap to
/// send.
template <class A>
constexpr size_t kManyTerms = A::kWordElements == 1 ? 2048 : 4096;
template <class A>
constexpr size_t kTermRows = A::kWordElements == 1 ? 8 : 16;

template <class A>
auto draw_weights(secure_random::AesCtr& coins, size_t n) -> std::vector<typename A::Weight> {
  std::vector<uint64_t> bits(n);
  coins.fill(std::as_writable_bytes(std::span(bits)));
  for (uint64_t& weight : bits) {
    weight = A::weight(weight);
  }
  return bits;
}

auto stream_of(const Coin& coin) -> secure_random::AesCtr {
  return {coin, secure_random::AesBlock{}, best_isa()};
}

template <class T>
void append(std::vector<T>& to, const T* from, size_t n) {
  to.insert(to.end(), from, from + n);
}

template <class T>
void append(std::array<std::vector<T>, 2>& to, PartsOf<T> from, size_t n) {
  append(to[0], from.first, n);
  append(to[1], from.second, n);
}

}  // namespace

template <class A>
void ProductCheck<A>::own(Group& group, size_t n_terms, size_t n_claims) {
  const std::array<PartsOf<Word>*, 3> words{&group.x, &group.y, &group.z};
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t n_had = i == 2 ? group.n : group.n * group.length;
    const size_t n = i == 2 ? n_claims : n_terms;
    for (size_t part = 0; part < 2; ++part) {
      std::vector<Word>& own = group.own[i][part];
      if (own.empty()) {
        own.reserve(n);
        append(own, part == 0 ? words[i]->first : words[i]->second, n_had);
      }
      own.resize(n);
    }
    *words[i] = {group.own[i][0].data(), group.own[i][1].data()};
  }
}

template <class A>
void ProductCheck<A>::add_dots(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z, size_t n,
                               size_t length) {
  has_claims_ = true;
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& known) { return known.length == length; });
  if (group == groups_.end()) {
    Group& first = groups_.emplace_back();
    first.length = length;
    first.n = n;
    first.x = x;
    first.y = y;
    first.z = z;
    return;
  }
  const size_t n_had = group->n;
  own(*group, (n_had + n) * length, n_had + n);
  group->n += n;
  for (size_t part = 0; part < 2; ++part) {
    std::copy_n(part == 0 ? x.first : x.second, n * length,
                group->own[0][part].begin() + static_cast<ptrdiff_t>(n_had * length));
    std::copy_n(part == 0 ? y.first : y.second, n * length,
                group->own[1][part].begin() + static_cast<ptrdiff_t>(n_had * length));
    std::copy_n(part == 0 ? z.first : z.second, n,
                group->own[2][part].begin() + static_cast<ptrdiff_t>(n_had));
  }
}

template <class A>
void ProductCheck<A>::add_matrix_product(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z,
                                         MatrixShape shape) {
  has_claims_ = true;
  Matrices& matrices = matrices_.emplace_back();
  matrices.shape = shape;
  append(matrices.x, x, shape.rows * shape.inner);
  append(matrices.z, z, shape.rows * shape.columns);
  // Columns become rows.
  for (size_t part = 0; part < 2; ++part) {
    const Word* from = part == 0 ? y.first : y.second;
    std::vector<Word>& to = matrices.y[part];
    to.resize(shape.inner * shape.columns);
    for (size_t j = 0; j < shape.inner; ++j) {
      for (size_t k = 0; k < shape.columns; ++k) {
        to[k * shape.inner + j] = from[j * shape.columns + k];
      }
    }
  }
}

/// Rows of whole claims if there are enough, otherwise claims of whole rows: so that all terms of a
/// claim have one weight.
template <class A>
void ProductCheck<A>::arrange(Group& group) {
  const size_t wanted = rows_for(group.n * group.length);
  if (group.n >= wanted || group.length == 1) {
    const size_t claims = (group.n + wanted - 1) / wanted;
    group.rows = (group.n + claims - 1) / claims;
    group.columns = claims * group.length;
    group.n_claims = group.rows * claims;
    if (group.n_claims != group.n) {
      own(group, group.rows * group.columns, group.n_claims);
    }
    return;
  }
  group.n_claims = group.n;
  const size_t pieces = wanted / group.n;
  group.columns = (group.length + pieces - 1) / pieces;
  const size_t rows = (group.length + group.columns - 1) / group.columns;
  group.rows = group.n * rows;
  own(group, group.n * group.length, group.n);
  for (size_t i = 0; i < 2; ++i) {
    for (std::vector<Word>& words : group.own[i]) {
      std::vector<Word> padded(group.rows * group.columns);
      for (size_t claim = 0; claim < group.n; ++claim) {
        std::copy_n(words.data() + claim * group.length, group.length,
                    padded.data() + claim * rows * group.columns);
      }
      words = std::move(padded);
    }
  }
  group.x = {group.own[0][0].data(), group.own[0][1].data()};
  group.y = {group.own[1][0].data(), group.own[1][1].data()};
}

template <class A>
void ProductCheck<A>::weigh_group(Group& group, secure_random::AesCtr& coins) {
  arrange(group);
  const size_t n_claims = group.n_claims;
  const bool is_by_claims = n_claims >= group.rows && n_claims % group.rows == 0 &&
                            group.columns == n_claims / group.rows * group.length;
  if (is_by_claims) {
    const size_t claims = n_claims / group.rows;
    group.row_weights = draw_weights<A>(coins, group.rows);
    group.row_weights[0] = 1;
    const std::vector<Weight> weights = draw_weights<A>(coins, claims);
    for (const Weight weight : weights) {
      group.column_weights.insert(group.column_weights.end(), group.length, weight);
    }
    std::vector<Element> sums(group.rows);
    for (size_t part = 0; part < 2; ++part) {
      weigh_rows<A>(part == 0 ? group.z.first : group.z.second, group.rows, claims, weights.data(),
                    sums.data());
      for (size_t a = 0; a < group.rows; ++a) {
        add_weighed<A>(&group.claimed[part], &sums[a], 1, group.row_weights[a]);
      }
    }
    return;
  }
  std::vector<Weight> weights = draw_weights<A>(coins, n_claims);
  weights[0] = 1;
  group.column_weights.assign(group.columns, 1);
  for (const Weight weight : weights) {
    group.row_weights.insert(group.row_weights.end(), group.rows / n_claims, weight);
  }
  for (size_t part = 0; part < 2; ++part) {
    weigh_rows<A>(part == 0 ? group.z.first : group.z.second, 1, n_claims, weights.data(),
                  &group.claimed[part]);
  }
}

template <class A>
void ProductCheck<A>::add_terms(Parts u, Parts v) {
  if (u_.parts[0].empty()) {
    u_ = std::move(u);
    v_ = std::move(v);
    return;
  }
  for (size_t part = 0; part < 2; ++part) {
    append(u_.parts[part], u.parts[part].data(), u.parts[part].size());
    append(v_.parts[part], v.parts[part].data(), v.parts[part].size());
  }
}

// With random weights of rows and columns, one claim of all elements of a product: that of a row
// times a column.
template <class A>
void ProductCheck<A>::weigh_matrices(const Matrices& matrices, secure_random::AesCtr& coins) {
  const MatrixShape& shape = matrices.shape;
  const std::vector<Weight> of_rows = draw_weights<A>(coins, shape.rows);
  const std::vector<Weight> of_columns = draw_weights<A>(coins, shape.columns);
  Parts u;
  Parts v;
  for (size_t part = 0; part < 2; ++part) {
    u.parts[part].resize(shape.inner);
    v.parts[part].resize(shape.inner);
    combine_rows<A>(matrices.x[part].data(), shape.rows, shape.inner, of_rows.data(),
                    u.parts[part].data());
    combine_rows<A>(matrices.y[part].data(), shape.columns, shape.inner, of_columns.data(),
                    v.parts[part].data());
    std::vector<Element> sums(shape.columns);
    combine_rows<A>(matrices.z[part].data(), shape.rows, shape.columns, of_rows.data(),
                    sums.data());
    for (size_t k = 0; k < shape.columns; ++k) {
      add_weighed<A>(&w_[part], &sums[k], 1, of_columns[k]);
    }
  }
  add_terms(std::move(u), std::move(v));
}

template <class A>
void ProductCheck<A>::combine_group(const Group& group, const std::vector<Weight>& weights) {
  constexpr size_t kElements = A::kWordElements;
  const size_t n = group.columns * kElements;
  std::vector<Weight> of_elements;
  if constexpr (kElements == 1) {
    of_elements = group.column_weights;
  } else {
    of_elements.reserve(n);
    for (Weight weight : group.column_weights) {
      for (size_t i = 0; i < kElements; ++i) {
        of_elements.push_back(weight);
        weight = A::times_x(weight);
      }
    }
  }
  Parts u;
  Parts v;
  for (size_t part = 0; part < 2; ++part) {
    u.parts[part].resize(n);
    v.parts[part].resize(n);
    combine_rows<A>(part == 0 ? group.x.first : group.x.second, group.rows, group.columns,
                    weights.data(), u.parts[part].data());
    combine_rows<A>(part == 0 ? group.y.first : group.y.second, group.rows, group.columns,
                    weights.data(), v.parts[part].data());
    weigh_each<A>(u.parts[part].data(), n, of_elements.data());
  }
  add_terms(std::move(u), std::move(v));
}

template <class A>
void ProductCheck<A>::weigh(const Coin& coin) {
  secure_random::AesCtr coins = stream_of(coin);
  for (const Matrices& matrices : matrices_) {
    weigh_matrices(matrices, coins);
  }
  matrices_.clear();
  for (Group& group : groups_) {
    weigh_group(group, coins);
    if (group.rows > 1) {
      is_grouped_ = true;
      continue;
    }
    combine_group(group, {1});
    for (size_t part = 0; part < 2; ++part) {
      A::add(w_[part], group.claimed[part]);
    }
  }
  std::erase_if(groups_, [](const Group& group) { return group.rows == 1; });
}

template <class A>
auto ProductCheck<A>::pairs_of(const Group& group) -> Pairs {
  Pairs pairs{
      .rows = group.rows, .row_weights = group.row_weights, .claimed = group.claimed, .values = {}};
  std::vector<Element>& values = pairs.values.parts[0];
  values.resize(n_pairs(group.rows));
  multiply_rows<A>({.x = group.x,
                    .y = group.y,
                    .rows = group.rows,
                    .columns = group.columns,
                    .weights = group.column_weights.data()},
                   values.data());
  return pairs;
}

/// By blocks, whose sums stay in the cache.
template <class A>
auto ProductCheck<A>::local_dot_of_sums(size_t first, size_t second, size_t n) const -> Element {
  constexpr size_t kBlock = 8;
  std::array<std::array<std::array<Element, kBlock>, 2>, 2> sums;
  Element out{};
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t size = std::min(kBlock, n - begin);
    for (size_t factor = 0; factor < 2; ++factor) {
      for (size_t part = 0; part < 2; ++part) {
        const Element* from = (factor == 0 ? u_ : v_).parts[part].data() + begin;
        for (size_t i = 0; i < size; ++i) {
          sums[factor][part][i] = from[first + i];
          A::add(sums[factor][part][i], from[second + i]);
        }
      }
    }
    A::add(out, local_dot<A>({sums[0][0].data(), sums[0][1].data()},
                             {sums[1][0].data(), sums[1][1].data()}, size));
  }
  return out;
}

template <class A>
auto ProductCheck<A>::pairs_of_terms(const KeyBytes& keys) -> Pairs {
  const size_t n = u_.parts[0].size();
  const bool is_last = n <= kTermRows<A>;
  const size_t rows = is_last ? n + 1 : n > kManyTerms<A> ? 2 : kTermRows<A>;
  const size_t columns = is_last ? 1 : (n + rows - 1) / rows;
  for (size_t part = 0; part < 2; ++part) {
    u_.parts[part].resize(rows * columns);
    v_.parts[part].resize(rows * columns);
    if (is_last) {
      for (Parts* factor : {&u_, &v_}) {
        Element& random = factor->parts[part][n];
        keys(part, std::as_writable_bytes(std::span(&random, 1)));
        A::clean(random);
      }
    }
  }
  Pairs pairs{
      .rows = rows, .row_weights = std::vector<Weight>(rows, 1), .claimed = w_, .values = {}};
  if (is_last) {
    pairs.row_weights[n] = 0;
  }
  std::vector<Element>& values = pairs.values.parts[0];
  values.resize(n_pairs(rows));
  // Not the first one, which is taken from the claim.
  for (size_t c = 1; c < rows; ++c) {
    for (size_t a = 0; a < c; ++a) {
      values[pair_index(a, c)] = local_dot_of_sums(a * columns, c * columns, columns);
    }
    values[pair_index(c, c)] = local_dot<A>(u_.from(c * columns), v_.from(c * columns), columns);
  }
  term_rows_ = rows;
  is_masked_ = is_last;
  return pairs;
}

// The first pair of each is not sent: the claim says what it is.
template <class A>
auto ProductCheck<A>::message(const KeyBytes& keys) -> std::vector<std::byte> {
  pairs_.clear();
  if (is_grouped_) {
    for (const Group& group : groups_) {
      pairs_.push_back(pairs_of(group));
    }
  } else {
    pairs_.push_back(pairs_of_terms(keys));
  }
  std::vector<std::byte> bytes;
  for (Pairs& pairs : pairs_) {
    const std::span<Element> values = std::span(pairs.values.parts[0]).subspan(1);
    std::vector<Element> masks(values.size());
    for (size_t part = 0; part < 2; ++part) {
      keys(part, std::as_writable_bytes(std::span(masks)));
      for (size_t i = 0; i < values.size(); ++i) {
        A::clean(masks[i]);
        part == 0 ? A::add(values[i], masks[i]) : A::subtract(values[i], masks[i]);
      }
    }
    const std::span<const std::byte> sent = std::as_bytes(values);
    bytes.insert(bytes.end(), sent.begin(), sent.end());
  }
  return bytes;
}

template <class A>
void ProductCheck<A>::receive(std::span<const std::byte> bytes) {
  for (Pairs& pairs : pairs_) {
    std::vector<Element>& values = pairs.values.parts[1];
    values.resize(n_pairs(pairs.rows));
    const std::span<std::byte> into = std::as_writable_bytes(std::span(values).subspan(1));
    TACET_CHECK(bytes.size() >= into.size(), "a message of another size");
    std::memcpy(into.data(), bytes.data(), into.size());
    bytes = bytes.subspan(into.size());
    for (Element& value : values) {
      A::clean(value);
    }
  }
}

/// The claim of the row that the weights make of all.
template <class A>
auto ProductCheck<A>::folded(Pairs& pairs, const std::vector<Weight>& weights) -> SharedElement {
  SharedElement sums{};
  for (size_t part = 0; part < 2; ++part) {
    std::vector<Element>& values = pairs.values.parts[part];
    Element first = pairs.claimed[part];
    for (size_t a = 1; a < pairs.rows; ++a) {
      Element weighed{};
      add_weighed<A>(&weighed, &values[pair_index(a, a)], 1, pairs.row_weights[a]);
      A::subtract(first, weighed);
    }
    values[0] = first;
    for (size_t c = 0; c < pairs.rows; ++c) {
      Element row{};
      for (size_t a = 0; a <= c; ++a) {
        if (a != c) {
          A::subtract(values[pair_index(a, c)], values[pair_index(a, a)]);
          A::subtract(values[pair_index(a, c)], values[pair_index(c, c)]);
        }
        add_weighed<A>(&row, &values[pair_index(a, c)], 1, weights[a]);
      }
      add_weighed<A>(&sums[part], &row, 1, weights[c]);
    }
  }
  return sums;
}

template <class A>
void ProductCheck<A>::fold_terms(Pairs& pairs, secure_random::AesCtr& coins) {
  std::vector<Weight> weights = draw_weights<A>(coins, pairs.rows);
  weights[0] = 1;
  if (is_masked_) {
    // So that what is opened is masked: nothing but zero is no unit.
    weights.back() = std::max<Weight>(weights.back(), 1);
  }
  w_ = folded(pairs, weights);
  const size_t columns = u_.parts[0].size() / term_rows_;
  for (Parts* factor : {&u_, &v_}) {
    for (std::vector<Element>& elements : factor->parts) {
      for (size_t a = 1; a < term_rows_; ++a) {
        add_weighed<A>(elements.data(), elements.data() + a * columns, columns, weights[a]);
      }
      elements.resize(columns);
    }
  }
}

template <class A>
void ProductCheck<A>::fold(const Coin& coin) {
  secure_random::AesCtr coins = stream_of(coin);
  ++n_folds_;
  if (!is_grouped_) {
    fold_terms(pairs_[0], coins);
    pairs_.clear();
    return;
  }
  for (size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<Weight> weights = draw_weights<A>(coins, groups_[g].rows);
    const SharedElement sum = folded(pairs_[g], weights);
    for (size_t part = 0; part < 2; ++part) {
      A::add(w_[part], sum[part]);
    }
    combine_group(groups_[g], weights);
  }
  groups_.clear();
  pairs_.clear();
  is_grouped_ = false;
}

template <class A>
auto ProductCheck<A>::opening(size_t part) const -> std::array<Element, 3> {
  return {u_.parts[part][0], v_.parts[part][0], w_[part]};
}

template <class A>
auto ProductCheck<A>::holds(const std::array<Element, 3>& sums) -> bool {
  typename A::Wide product{};
  A::multiply_add(product, sums[0], sums[1]);
  return A::reduced(product) == sums[2];
}

template <class A>
auto ProductCheck<A>::log_error(size_t n_folds) -> double {
  // Weights of rows and columns, and a quadratic form in each fold; the last weight of all is 1
  // twice as often as others.
  return std::log2(3.0 + 2.0 * static_cast<double>(n_folds)) - A::kDegree;
}

#define TACET_CHECK_LOOPS(...) template class ProductCheck<__VA_ARGS__>;
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS

}  // namespace tacet::mpc
