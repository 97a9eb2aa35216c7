"""Word models: the vocabulary, the unigram model, the context model, and what a model keeps of them."""
