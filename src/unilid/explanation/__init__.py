"""Explanations: what each word of a text says for one language and against another."""
