"""The release of the binding; it equals the library's, `mam.version()`."""

__version__ = "0.1.0"
