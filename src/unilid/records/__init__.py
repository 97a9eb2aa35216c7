"""Records and what is written of their answers: what the command line and the service share."""
