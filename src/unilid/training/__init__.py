"""Training: from a corpus to a model, and fitting the decisions of a model that exists."""
