"""Putting the adapters in place when FlashInfer is imported, and taking them out again."""

import logging
import sys
import threading

from ..patch_manager import PatchManager

logger = logging.getLogger(__name__)

_PACKAGE = "flashinfer"
_manager = PatchManager()
_lock = threading.RLock()
_missing = set()  # functions that this FlashInfer does not have, so that each is logged once


def install_flashinfer_integrations():
    """Replaces the functions of FlashInfer that have an adapter, each once. Returns whether they are replaced.

    Importing FlashInfer takes seconds, and fails on many machines without a GPU, so it is never imported here: where it
    is not loaded yet, the adapters are put in place when the program has imported it."""
    with _lock:
        if _is_loaded():
            _patch()
            return True
        if _hook not in sys.meta_path:
            sys.meta_path.insert(0, _hook)
        return False


def uninstall_flashinfer_integrations():
    """Puts FlashInfer's functions back. A function that another package imported by name while the adapters were in
    place stays what it is: it asks fib as long as tracing or apply is on."""
    with _lock:
        if _hook in sys.meta_path:
            sys.meta_path.remove(_hook)
        _manager.unpatch_all(_PACKAGE)
        _missing.clear()


def statistics():
    """{adapter: {what became of a call: how often}}: "answered", or why it went to FlashInfer."""
    adapters = sys.modules.get(f"{__package__}.adapters")
    return {} if adapters is None else {adapter.name: dict(adapter.counts) for adapter in adapters.ADAPTERS}


def _is_loaded():
    module = sys.modules.get(_PACKAGE)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


def _patch():
    from .adapters import ADAPTERS  # needs torch, which FlashInfer has imported

    for adapter in ADAPTERS:
        try:
            there = all([_manager.patch_with_aliases(spec, adapter.make_wrapper, _PACKAGE)
                         for spec in adapter.targets()])
        except ImportError:
            there = False
        if not there and adapter.target not in _missing:
            _missing.add(adapter.target)
            logger.info("There is no %s that can be replaced: it is neither traced nor applied", adapter.target)


class _ImportHook:
    """A finder that finds FlashInfer as the others do, and sees to it that the adapters follow its import."""

    def find_spec(self, name, path=None, target=None):
        if name != _PACKAGE:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    _follow(spec.loader)
                return spec
        return None


def _follow(loader):
    execute = loader.exec_module

    def exec_module(module):
        vars(loader).pop("exec_module", None)
        try:
            execute(module)
        except BaseException:
            logger.info("FlashInfer cannot be imported: its calls are neither traced nor applied")
            raise
        with _lock:
            if _hook not in sys.meta_path:
                return  # uninstalled meanwhile
            sys.meta_path.remove(_hook)
            try:
                _patch()
            except Exception:  # the program goes on without adapters
                logger.exception("The adapters for FlashInfer cannot be put in place")
                _manager.unpatch_all(_PACKAGE)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        logger.info("FlashInfer's loader cannot be followed: import FlashInfer before apply or tracing is switched on")


_hook = _ImportHook()
