#include "engine/mpc/semi2k/bfv_matrices.h"

#include <algorithm>

#include "engine/mpc_model/matrix_blocks.h"

namespace tacet::mpc {
namespace {

using mp::Bytes;
using mpc_model::MatrixBlocks;
using mpc_model::MatrixSize;

/// The elements of a matrix in an array; `step`s are those from a row to the next and from a column
/// to the next.
struct MatrixView {
  const RingArray& array;
  size_t row_step = 0;
  size_t column_step = 0;

  [[nodiscard]] auto place(size_t row, size_t column) const -> size_t {
    return row * row_step + column * column_step;
  }
};

/// Blocks `begin` to `end` of some row of blocks.
struct BlockRange {
  size_t begin = 0;
  size_t end = 0;
};

/// The exchange for one triple; `Word` is `uint64_t` for all rings but that of 128 bits.
template <class Word>
class MatrixExchange {
 public:
  MatrixExchange(Party& party, BfvExchange& exchange, const MatrixBlocks& blocks, Triples& triple)
      : party_(party),
        exchange_(exchange),
        blocks_(blocks),
        triple_(triple),
        n_primes_(mp::Setting::primes_for(n_bits(triple.c.ring()), blocks.n_terms())) {
    const MatrixSize& block = blocks.block;
    for (size_t i = 0; i < block.rows; ++i) {
      for (size_t j = 0; j < block.columns; ++j) {
        const size_t place = (i * block.columns + j) * block.inner + block.inner - 1;
        wanted_.push_back(static_cast<uint32_t>(place));
      }
    }
  }

  auto run() -> Task<> {
    for (size_t slice = 0; slice < blocks_.n_slices(); ++slice) {
      const BlockRange inner =
          part({0, blocks_.n_inner_blocks()}, slice, mpc_model::kBlocksOfSlice);
      for (size_t row = 0; row < blocks_.n_row_blocks(); ++row) {
        co_await multiply_row(row, inner);
      }
    }
    co_return kDone;
  }

 private:
  /// The `i`-th `size` blocks of `all`.
  static auto part(BlockRange all, size_t i, size_t size) -> BlockRange {
    const size_t begin = all.begin + i * size;
    return {begin, std::min(all.end, begin + size)};
  }

  /// One row of blocks of the encrypted matrix with all columns of blocks of the other one.
  auto multiply_row(size_t row, BlockRange inner) -> Task<> {
    constexpr size_t kTogether = mpc_model::kBlocksTogether;
    std::vector<std::vector<mp::Factor>> factors(party_.n_parties());
    for (size_t i = 0; inner.begin + i * kTogether < inner.end; ++i) {
      co_await exchange_encryptions(row, part(inner, i, kTogether), factors);
    }
    const BlockRange columns{0, blocks_.n_column_blocks()};
    for (size_t i = 0; i * kTogether < columns.end; ++i) {
      co_await exchange_replies(row, inner, part(columns, i, kTogether), factors);
    }
    co_return kDone;
  }

  /// Adds what the others encrypted to `factors`, by rank.
  auto exchange_encryptions(size_t row, BlockRange inner,
                            std::vector<std::vector<mp::Factor>>& factors) -> Task<> {
    for (size_t k = inner.begin; k < inner.end; ++k) {
      const std::vector<Word> polynomial = encrypted_block(row, k);
      const Result<Bytes> bytes =
          mp::encrypt(exchange_.keys(), n_primes_, mp::Packing::Coefficients,
                      std::span<const Word>(polynomial), party_.random());
      TACET_CHECK(bytes.has_value(), "own numbers could not be encrypted");
      for (Rank other = 0; other < party_.n_parties(); ++other) {
        if (other != party_.rank()) {
          party_.send(other, bytes.value());
        }
      }
    }
    const size_t size = n_primes_ * exchange_.setting().factor_size();
    const Incoming incoming = co_await receive_from_all((inner.end - inner.begin) * size);
    for (Rank other = 0; other < party_.n_parties(); ++other) {
      const std::span<const std::byte> bytes(incoming.from[other]);
      for (size_t begin = 0; begin < bytes.size(); begin += size) {
        Result<mp::Factor> factor =
            mp::read_factor(exchange_.setting(), n_primes_, bytes.subspan(begin, size));
        if (!factor) {
          BfvExchange::reject(party_, other, factor.error());
          co_await party_.next_round();
        }
        factors[other].push_back(std::move(factor).value());
      }
    }
    co_return kDone;
  }

  auto exchange_replies(size_t row, BlockRange inner, BlockRange columns,
                        const std::vector<std::vector<mp::Factor>>& factors) -> Task<> {
    for (size_t column = columns.begin; column < columns.end; ++column) {
      for (Rank other = 0; other < party_.n_parties(); ++other) {
        if (other != party_.rank()) {
          reply(other, factors[other], row, inner, column);
        }
      }
    }
    const size_t size = n_primes_ * exchange_.setting().reply_size_of(wanted_.size());
    const Incoming incoming = co_await receive_from_all((columns.end - columns.begin) * size);
    for (Rank other = 0; other < party_.n_parties(); ++other) {
      const std::span<const std::byte> bytes(incoming.from[other]);
      for (size_t begin = 0; begin < bytes.size(); begin += size) {
        std::vector<Word> opened(wanted_.size());
        const Status status =
            mp::open_coefficients(exchange_.keys(), n_primes_, wanted_, bytes.subspan(begin, size),
                                  std::span<Word>(opened), party_.random());
        if (!status) {
          BfvExchange::reject(party_, other, status.error());
          co_await party_.next_round();
        }
        add_block(row, columns.begin + begin / size, opened);
      }
    }
    co_return kDone;
  }

  /// What `other` encrypted times own numbers: sent to it with a mask, which is taken off the
  /// share.
  void reply(Rank other, const std::vector<mp::Factor>& factors, size_t row, BlockRange inner,
             size_t column) {
    exchange_.count_replies(party_, n_primes_);
    mp::ProductSums<Word> sums(exchange_.public_keys(other), n_primes_, mp::Packing::Coefficients);
    for (size_t k = inner.begin; k < inner.end; ++k) {
      const std::vector<Word> polynomial = multiplied_block(k, column);
      sums.add(factors[k - inner.begin], std::span<const Word>(polynomial));
    }
    std::vector<Word> mask(wanted_.size());
    const Result<Bytes> bytes =
        sums.hide_coefficients(wanted_, std::span<Word>(mask), party_.random());
    TACET_CHECK(bytes.has_value(), "own sums could not be hidden");
    party_.send(other, bytes.value());
    for (Word& number : mask) {
      number = Word{0} - number;
    }
    add_block(row, column, mask);
  }

  auto receive_from_all(size_t n_bytes) -> Task<Incoming> {
    Incoming incoming;
    incoming.from.resize(party_.n_parties());
    std::vector<Receipt> receipts;
    for (Rank other = 0; other < party_.n_parties(); ++other) {
      if (other != party_.rank()) {
        incoming.expect(other, n_bytes, receipts);
      }
    }
    co_await party_.receive(std::move(receipts));
    co_return incoming;
  }

  [[nodiscard]] auto is_left_encrypted() const -> bool {
    return blocks_.encrypted == mpc_model::EncryptedMatrix::Left;
  }
  /// The matrix that is encrypted, rows × inner.
  [[nodiscard]] auto encrypted() const -> MatrixView {
    return is_left_encrypted() ? MatrixView{triple_.a, blocks_.size.inner, 1}
                               : MatrixView{triple_.b, 1, blocks_.size.rows};
  }
  /// The matrix that is multiplied with it, inner × columns.
  [[nodiscard]] auto multiplied() const -> MatrixView {
    return is_left_encrypted() ? MatrixView{triple_.b, blocks_.size.columns, 1}
                               : MatrixView{triple_.a, 1, blocks_.size.inner};
  }
  [[nodiscard]] auto product() const -> MatrixView {
    return is_left_encrypted() ? MatrixView{triple_.c, blocks_.size.columns, 1}
                               : MatrixView{triple_.c, 1, blocks_.size.rows};
  }

  /// Elements `begin` to `end` of a dimension of `size`, of blocks of `block`.
  static auto range(size_t number, size_t block, size_t size) -> BlockRange {
    return {number * block, std::min(size, (number + 1) * block)};
  }

  [[nodiscard]] auto encrypted_block(size_t row, size_t inner) const -> std::vector<Word> {
    const MatrixSize& block = blocks_.block;
    const MatrixView from = encrypted();
    const BlockRange rows = range(row, block.rows, blocks_.size.rows);
    const BlockRange inners = range(inner, block.inner, blocks_.size.inner);
    std::vector<Word> polynomial(mpc_model::kPolynomialSize);
    with_word(from.array.ring(), [&]<class T>(std::type_identity<T>) {
      const std::span<const T> words = from.array.template words<T>();
      for (size_t i = rows.begin; i < rows.end; ++i) {
        const size_t first = (i - rows.begin) * block.inner * block.columns + block.inner - 1;
        for (size_t k = inners.begin; k < inners.end; ++k) {
          polynomial[first - (k - inners.begin)] = static_cast<Word>(words[from.place(i, k)]);
        }
      }
    });
    return polynomial;
  }

  [[nodiscard]] auto multiplied_block(size_t inner, size_t column) const -> std::vector<Word> {
    const MatrixSize& block = blocks_.block;
    const MatrixView from = multiplied();
    const BlockRange inners = range(inner, block.inner, blocks_.size.inner);
    const BlockRange columns = range(column, block.columns, blocks_.size.columns);
    std::vector<Word> polynomial(mpc_model::kPolynomialSize);
    with_word(from.array.ring(), [&]<class T>(std::type_identity<T>) {
      const std::span<const T> words = from.array.template words<T>();
      for (size_t j = columns.begin; j < columns.end; ++j) {
        const size_t first = (j - columns.begin) * block.inner;
        for (size_t k = inners.begin; k < inners.end; ++k) {
          polynomial[first + (k - inners.begin)] = static_cast<Word>(words[from.place(k, j)]);
        }
      }
    });
    return polynomial;
  }

  /// Adds numbers of a block of the product to the share; those behind the matrix' edges are none.
  void add_block(size_t row, size_t column, std::span<const Word> numbers) {
    const MatrixSize& block = blocks_.block;
    const BlockRange rows = range(row, block.rows, blocks_.size.rows);
    const BlockRange columns = range(column, block.columns, blocks_.size.columns);
    const MatrixView to = product();
    with_word(triple_.c.ring(), [&]<class T>(std::type_identity<T>) {
      const std::span<T> c = triple_.c.edit<T>();
      for (size_t i = rows.begin; i < rows.end; ++i) {
        const std::span<const Word> of_row = numbers.subspan((i - rows.begin) * block.columns);
        for (size_t j = columns.begin; j < columns.end; ++j) {
          c[to.place(i, j)] += static_cast<T>(of_row[j - columns.begin]);
        }
      }
    });
  }

  Party& party_;
  BfvExchange& exchange_;
  const MatrixBlocks& blocks_;
  Triples& triple_;
  size_t n_primes_;
  std::vector<uint32_t> wanted_;  ///< coefficients of the elements of a block's product
};

template <class Word>
auto run_exchange(Party& party, BfvExchange& exchange, const MatrixBlocks blocks, Triples& triple)
    -> Task<> {
  MatrixExchange<Word> matrices(party, exchange, blocks, triple);
  co_await matrices.run();
  co_return kDone;
}

}  // namespace

auto add_matrix_products(Party& party, BfvExchange& exchange, MatrixShape shape, Triples& triple)
    -> Task<> {
  if (shape.rows == 0 || shape.inner == 0 || shape.columns == 0) {
    co_return kDone;
  }
  const MatrixBlocks blocks =
      mpc_model::choose_matrix_blocks({shape.rows, shape.inner, shape.columns});
  if (triple.c.ring() == Ring::Z128) {
    co_await run_exchange<Word128>(party, exchange, blocks, triple);
  } else {
    co_await run_exchange<uint64_t>(party, exchange, blocks, triple);
  }
  co_return kDone;
}

}  // namespace tacet::mpc
