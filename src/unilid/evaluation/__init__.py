"""Evaluation: how good answers are, from counts of true labels and answers; to read, to plot and to compare."""
