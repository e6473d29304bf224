"""dist-info.py FOLDER: write the metadata that pip and pytest read of the installed package, from pyproject.toml.

setuptools of Debian 12 is too old for that file.
"""

import sys
from pathlib import Path

import tomllib

target = Path(sys.argv[1])
project = tomllib.loads(Path("bindings/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
release: dict[str, str] = {}
exec((target / "mam/_version.py").read_text(encoding="utf-8"), release)
version = release["__version__"]

info = target / f"{project['name']}-{version}.dist-info"
info.mkdir()
fields = {
    "Metadata-Version": "2.1",
    "Name": project["name"],
    "Version": version,
    "Summary": project["description"],
    "License": project["license"],
    "Requires-Python": project["requires-python"],
}
(info / "METADATA").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()), encoding="utf-8")
(info / "INSTALLER").write_text("debian\n", encoding="utf-8")
points = ""
for group, entries in project["entry-points"].items():
    points += f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
(info / "entry_points.txt").write_text(points, encoding="utf-8")
