#!/usr/bin/env python3
"""sbom.py RELEASE ROOT COMMIT TIME >SBOM: the bill of materials of a release, as CycloneDX JSON.

RELEASE is the folder of its files, ROOT the root in which `make deb` built them, TIME the commit's, in seconds since 1970. Names
and versions are those of the build: the linker's lists of objects, Package.resolved, the libraries that the products need, and
the packages installed in ROOT.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import uuid

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

# Opened by name when they are needed first: docs/dependencies.md.
OPENED = {
    "libmam": ["libcurl.so.4", "libsodium.so.23", "libsystemd.so.0"],
    "mamctl": ["libcurl.so.4", "libsodium.so.23", "libsystemd.so.0"],
    "mamd": [],
}
PRODUCTS = {"libmam": "libmam.so", "mamctl": "mamctl", "mamd": "mamd"}
RUNTIME = "Apache-2.0 WITH Swift-exception"
licence = LicenseFactory()


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def component(name: str, version: str | None, licence_of_it: str | None, how: str, **more: object) -> Component:
    licences = [licence.make_from_string(licence_of_it)] if licence_of_it else []
    reference = f"{name}@{version}" if version else name
    return Component(name=name, version=version, licenses=licences, bom_ref=reference,
                     properties=[Property(name="libmam:linkage", value=how)], **more)  # fmt: skip


def swift_packages(link_list: pathlib.Path, package: pathlib.Path) -> list[Component]:
    """The packages whose objects were linked, and what they bring of other projects."""
    modules = set(re.findall(r"/(\w+)\.build/", link_list.read_text()))
    found = []
    for pin in json.loads((package / "Package.resolved").read_text())["pins"]:
        sources = package / ".build/checkouts" / pin["identity"]
        present = {folder.name for folder in sources.glob("**/Sources/*")}
        if not modules & present:
            continue
        text = next(sources.glob("LICENSE*")).read_text()
        if "Apache License" in text:
            terms = RUNTIME if "Runtime Library Exception" in text else "Apache-2.0"
        elif text.startswith("MIT License\n"):
            terms = "MIT"
        else:
            sys.exit(f"sbom.py: {pin['identity']} has a licence that is new: look at it, and name it here")
        name, version = pin["identity"], pin["state"]["version"]
        group = re.sub(r"^https://|/[^/]*$", "", pin["location"])
        found.append(component(name, version, terms, "contained",
                               purl=PackageURL("swift", group, name, version)))  # fmt: skip
        for revision in sorted(sources.glob("Sources/*/hash.txt")):
            if revision.parent.name in modules:
                found.append(component("boringssl", revision.read_text().split()[-1], "Apache-2.0 AND ISC AND OpenSSL",
                                       f"contained, as {revision.parent.name} of {name}"))  # fmt: skip
        if "CNIOLLHTTP" in modules & present:
            found.append(component("llhttp", None, "MIT", f"contained, as CNIOLLHTTP of {name}"))
        if "CNIOSHA1" in modules & present:
            found.append(component("FreeBSD sha1", None, "BSD-3-Clause", f"contained, as CNIOSHA1 of {name}"))
    return found


class Debian:
    """The packages of a root."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.versions: dict[str, str] = {}
        for entry in (root / "var/lib/dpkg/status").read_text().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+): (.*)$", entry, re.M))
            if "Package" in fields:
                self.versions[fields["Package"]] = fields["Version"]

    def package(self, name: str, how: str, scope: ComponentScope | None = None) -> Component:
        version = self.versions[name]
        return component(name, version, None, how, scope=scope, purl=PackageURL("deb", "debian", name, version))

    def library(self, soname: str) -> Component:
        """The package that has a library which is loaded with the program."""
        for listing in sorted((self.root / "var/lib/dpkg/info").glob("*.list")):
            if f"/{soname}\n" in listing.read_text():
                return self.package(listing.stem.partition(":")[0], "loaded from the system", ComponentScope.REQUIRED)
        sys.exit(f"sbom.py: no package of {self.root} has {soname}")


def main() -> None:
    release, root, commit, time = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    source = root / "usr/src/libmam"
    version = re.search(r'^#define MAM_VERSION "(.*)"$', (source / "include/mam.h").read_text(), re.M)[1]  # type: ignore[index]
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]  # type: ignore[index]
    debian = Debian(root)

    def product_of(name: str, kind: ComponentType) -> Component:
        apache = licence.make_from_string("Apache-2.0")
        return Component(name=name, version=version, type=kind, bom_ref=name, licenses=[apache],
                         properties=[Property(name="libmam:commit", value=commit)])  # fmt: skip

    libmam = product_of("libmam", ComponentType.LIBRARY)
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"libmam:{commit}"))
    bom.metadata.component = libmam
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    known: dict[str, Component] = {}

    def add(item: Component) -> Component:
        if str(item.bom_ref) not in known:
            known[str(item.bom_ref)] = item
            bom.components.add(item)
        return known[str(item.bom_ref)]

    for name, file in PRODUCTS.items():
        package = source / "Service" if name == "mamd" else source
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", str(source / "dist" / file)))
        if not needed:
            sys.exit(f"sbom.py: {file} needs no library, which cannot be")
        parts = [component("swift", swift, RUNTIME, "contained: the parts of the toolchain that are used")]
        if "libstdc++.so.6" not in needed:
            parts.append(debian.package("libstdc++-12-dev", "contained: the parts of libstdc++ that are used"))
        target = "mam" if name == "libmam" else name
        parts += swift_packages(package / f".build/release/{target}.product/Objects.LinkFileList", package)
        # The loader is a part of libc.
        parts += [debian.library(soname) for soname in needed if not soname.startswith("ld-linux")]
        parts += [component(soname, None, None, "opened on first use", scope=ComponentScope.OPTIONAL) for soname in OPENED[name]]
        product = libmam if name == "libmam" else add(product_of(name, ComponentType.APPLICATION))
        bom.register_dependency(product, [add(part) for part in parts])
    for file in sorted(release.iterdir()):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        add(Component(name=file.name, type=ComponentType.FILE, bom_ref=f"file:{file.name}",
                      hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)]))  # fmt: skip

    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"sbom.py: the result is no CycloneDX: {fault}")
    print(text)


if __name__ == "__main__":
    main()
