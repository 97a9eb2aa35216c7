"""Columns of Arrow: texts of any library that offers the Arrow PyCapsule interface, and answers for it."""
