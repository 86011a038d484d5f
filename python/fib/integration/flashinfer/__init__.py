"""Tracing and apply for programs that call FlashInfer: its functions are replaced by ones that ask fib first.

A call that a definition expresses is traced, and answered by the fastest solution, where tracing and apply are on.
Every other call reaches FlashInfer as it was made. `adapters` has the table of the functions.
"""

from .install import install_flashinfer_integrations, statistics, uninstall_flashinfer_integrations

__all__ = ["install_flashinfer_integrations", "statistics", "uninstall_flashinfer_integrations"]
