"""Decisions: from the scores of a text to an answer, and how a decision is fitted to held-out text."""
