"""Corpora: labelled text from files or from Python, and the counts of its words."""
