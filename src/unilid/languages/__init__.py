"""Languages: what a label means, which labels a code stands for, and the labels of a model to list and search."""
