"""measured: what was timed on a GPU and is kept in docs/measured, and the tables made of it."""
