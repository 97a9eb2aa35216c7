"""The model file: one container of named arrays, and how tables are packed into it."""
