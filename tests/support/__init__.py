"""What tests share: corpora, models, the reference implementation, hypothesis strategies."""
