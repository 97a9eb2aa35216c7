"""Scoring: the word models of a model, added up by the kernel."""
