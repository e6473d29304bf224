"""The release of the binding; it equals MAM_VERSION of mam.h."""

__version__ = "0.1.0"
