// The segmentations of words, and the expected counts of their tokens.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/elementary.h"
#include "models/vocabulary.h"
#include "words/words.h"

namespace unilid {

struct Edge {
  uint32_t token : 24;  // see Vocabulary::MAX_TOKENS
  uint32_t length : 8;
};
static_assert(sizeof(Edge) == 4);

// All segmentations of one word. Edges are grouped by the position where they start.
struct Lattice {
  size_t first_edge;
  size_t first_degree;  // degrees[first_degree + i]: edges that start at byte i
  size_t size;          // bytes
};

// The lattices of many words, built once.
struct Lattices {
  std::vector<Edge> edges;
  std::vector<uint8_t> degrees;
  std::vector<Lattice> words;

  // number(token) is the number that a token has in the lattices.
  template <class Number>
  void add(const uint8_t* begin, const uint8_t* end, const Vocabulary& vocabulary, Number&& number) {
    const size_t size = static_cast<size_t>(end - begin);
    words.push_back({edges.size(), degrees.size(), size});
    degrees.resize(degrees.size() + size);
    uint8_t* degree = degrees.data() + degrees.size() - size;
    vocabulary.edges(begin, size, [&](size_t start, uint32_t token, size_t length, bool) {
      edges.push_back(edge(number(token), length));
      ++degree[start];
    });
  }

  // The number of edges of the word that has the most.
  size_t most_edges() const {
    size_t most = 0;
    for (size_t w = 0; w < words.size(); ++w) {
      const size_t end = w + 1 < words.size() ? words[w + 1].first_edge : edges.size();
      most = std::max(most, end - words[w].first_edge);
    }
    return most;
  }

  // Gives tokens new numbers. A token whose new number is NONE is removed, and so are the edges that only it led to.
  static constexpr uint32_t NONE = 0xFFFFFFFF;
  void renumber(const std::vector<uint32_t>& numbers) {
    size_t from = 0, to = 0;
    for (Lattice& word : words) {
      bool reached[WORD_CAPACITY + 1] = {true};
      word.first_edge = to;
      for (size_t i = 0; i < word.size; ++i) {
        uint8_t& degree = degrees[word.first_degree + i];
        const size_t end = from + degree, start = to;
        for (; from < end; ++from) {
          const Edge old = edges[from];
          if (!reached[i] || numbers[old.token] == NONE) continue;
          edges[to++] = edge(numbers[old.token], old.length);
          reached[i + old.length] = true;
        }
        degree = static_cast<uint8_t>(to - start);
      }
    }
    edges.resize(to);
  }

 private:
  static Edge edge(uint32_t token, size_t length) { return {token & 0xFFFFFF, static_cast<uint8_t>(length)}; }
};

// The longest word, in bytes, that is first tried without rescaling. Its probability is about (1 / corpus size)^tokens,
// which for so few bytes is hardly ever too small for a double.
constexpr size_t SHORT_WORD = 24;
// A word whose probability is not above this is rescaled: dividing by less would not be accurate.
constexpr double TINY = 1e-280;

// The expected counts of tokens over the segmentations of words: the forward-backward algorithm.
class Expectation {
 public:
  // `p` and `log_p`: the probability of every token, and its logarithm. They may change between calls.
  Expectation(const Lattices& lattices, const std::vector<double>& p, const std::vector<double>& log_p)
      : edges_(lattices.edges), degrees_(lattices.degrees), p_(p), log_p_(log_p), weights_(lattices.most_edges()) {}

  // Adds `count` times the posterior of each token of the word to `expected`.
  void add(const Lattice& lattice, double count, std::vector<double>& expected) {
    if (lattice.size <= SHORT_WORD && add<false>(lattice, count, expected)) return;
    rescale(lattice);
    add<true>(lattice, count, expected);
  }

 private:
  // potential_[j] is the log-probability of the best segmentation of the first j bytes. With a weight of
  // p * exp(potential_[i] - potential_[j]) <= 1 for an edge i -> j, every forward sum lies between 1 and the number of
  // segmentations.
  void rescale(const Lattice& lattice) {
    std::fill(potential_, potential_ + lattice.size + 1, -INFINITY);
    potential_[0] = 0;
    size_t e = lattice.first_edge;
    for (size_t i = 0; i < lattice.size; ++i) {
      for (size_t d = degrees_[lattice.first_degree + i]; d > 0; --d, ++e) {
        double& target = potential_[i + edges_[e].length];
        target = std::max(target, potential_[i] + log_p_[edges_[e].token]);
      }
    }
  }

  template <bool rescaled>
  double weight(size_t i, const Edge& edge) const {
    const double p = p_[edge.token];
    if constexpr (!rescaled) return p;
    // Nothing reaches a position that only tokens of probability 0 lead to. log p is inside of the exponential because
    // p times the exponential could be a denormal number times infinity.
    if (!(p > 0) || potential_[i] == -INFINITY) return 0;
    return portable::exp(log_p_[edge.token] + potential_[i] - potential_[i + edge.length]);
  }

  // Returns false, and adds nothing, if the probability of the word is too small to divide by.
  template <bool rescaled>
  bool add(const Lattice& lattice, double count, std::vector<double>& expected) {
    const size_t n = lattice.size;
    const uint8_t* degrees = degrees_.data() + lattice.first_degree;
    std::fill(forward_, forward_ + n + 1, 0.0);
    forward_[0] = 1;
    const Edge* edge = edges_.data() + lattice.first_edge;
    double* weight_of_edge = weights_.data();
    for (size_t i = 0; i < n; ++i) {
      const double reach = forward_[i];
      for (size_t d = degrees[i]; d > 0; --d, ++edge) {
        *weight_of_edge = weight<rescaled>(i, *edge);
        forward_[i + edge->length] += reach * *weight_of_edge++;
      }
    }
    // The more often the word occurs, the larger its probability must be for the quotient to be finite.
    if (!(forward_[n] > (rescaled ? TINY : TINY * std::max(1.0, count)))) return false;
    const double scale = count / forward_[n];
    backward_[n] = 1;
    for (size_t i = n; i-- > 0;) {
      double sum = 0;
      const double reach = forward_[i] * scale;
      for (size_t d = degrees[i]; d > 0; --d) {
        --edge;
        const double through = *--weight_of_edge * backward_[i + edge->length];
        sum += through;
        expected[edge->token] += reach * through;
      }
      backward_[i] = sum;
    }
    return true;
  }

  const std::vector<Edge>& edges_;
  const std::vector<uint8_t>& degrees_;
  const std::vector<double>&p_, &log_p_;
  std::vector<double> weights_;  // of the edges of a word
  double forward_[WORD_CAPACITY + 1], backward_[WORD_CAPACITY + 1], potential_[WORD_CAPACITY + 1];
};

}  // namespace unilid
