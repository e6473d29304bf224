"""The part of the build that pyproject.toml cannot express: a package that contains libmam is for one platform, and for
every Python on it; and building leaves nothing in this folder, where the tests would find it."""

import atexit
import shutil
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

BRINGS_LIBRARY = any(Path(__file__).resolve().parent.glob("src/mam/libmam.so*"))


class Package(Distribution):
    def has_ext_modules(self) -> bool:
        return BRINGS_LIBRARY


class Wheel(bdist_wheel):
    def get_tag(self) -> "tuple[str, str, str]":
        python, abi, platform = super().get_tag()
        # ctypes: nothing in the library or the package depends on CPython's ABI.
        return ("py3", "none", platform) if BRINGS_LIBRARY else (python, abi, platform)


products = tempfile.mkdtemp(prefix="mam-build-")
atexit.register(shutil.rmtree, products, ignore_errors=True)
setup(
    distclass=Package,
    cmdclass={"bdist_wheel": Wheel},
    options={"build": {"build_base": products}, "egg_info": {"egg_base": products}},
)
