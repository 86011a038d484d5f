"""Putting apply and tracing between a program and the libraries that it calls."""
