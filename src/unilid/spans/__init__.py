"""Spans: which stretch of a mixed text is in which language."""
