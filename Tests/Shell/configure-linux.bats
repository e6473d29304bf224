#!/usr/bin/env bats
# mamctl configure linux: desktop entries, metadata and manifests; mamctl configure open-in-icons.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

linux_files() {
    printf '%s\n' '[Desktop Entry]' 'Name=Notes' 'Exec=notes %u' 'MimeType=x-scheme-handler/notes;' >notes.desktop
    printf '%s\n' '<component>' '  <provides>' '    <mediatype>x-scheme-handler/notes</mediatype>' '  </provides>' '</component>' \
        >notes.metainfo.xml
    printf '%s\n' 'id: com.example.Notes' 'finish-args:' '  - --socket=wayland' '  - --filesystem=home' '  - --socket=session-bus' >notes.yml
}

@test "linux: the difference comes first, and --write makes it" {
    linux_files
    cp -r . ../before
    mamctl configure linux --desktop notes.desktop --metainfo notes.metainfo.xml --flatpak notes.yml >difference
    for file in notes.desktop notes.metainfo.xml notes.yml; do cmp "$file" ../before/"$file"; done
    cp notes.* ../before/
    mamctl configure linux --desktop notes.desktop --metainfo notes.metainfo.xml --flatpak notes.yml --write >changes
    grep -q '^notes.desktop: MimeType: added x-scheme-handler/notes-intunemam$' changes
    grep -q '^notes.yml: --filesystem=home: became --filesystem=home:ro: ' changes
    grep -q '^notes.yml: --socket=session-bus: removed: ' changes
    grep -q '<mediatype>x-scheme-handler/notes-intunemam</mediatype>' notes.metainfo.xml
    (cd ../before && patch -s -p0 <"$scratch/difference")
    for file in notes.desktop notes.metainfo.xml notes.yml; do cmp "$file" ../before/"$file"; done
    mamctl configure linux --desktop notes.desktop --metainfo notes.metainfo.xml --flatpak notes.yml >difference
    [ ! -s difference ]
}

@test "linux: a file that cannot be read leaves the others alone" {
    linux_files
    cp notes.desktop before
    printf 'finish-args: [a]\n' >notes.yml
    run --separate-stderr mamctl configure linux --desktop notes.desktop --flatpak notes.yml --write
    failed_with 1 'notes.yml has finish-args in a form that is not read: .* in line 1'
    cmp notes.desktop before
    run --separate-stderr mamctl configure linux
    failed_with 64 'which file'
}

@test "linux: desktop and metadata are valid afterwards" {
    linux_files
    mamctl configure linux --desktop notes.desktop --metainfo notes.metainfo.xml --write >/dev/null
    python3 -c 'import xml.etree.ElementTree as e; assert len(e.parse("notes.metainfo.xml").findall("provides/mediatype")) == 2'
    if type -P desktop-file-validate >/dev/null; then printf 'Type=Application\n' >>notes.desktop && desktop-file-validate notes.desktop; fi
}

@test "icons of an Open-In extension are made from the app's icon" {
    mkdir Notes.app
    python3 - <<'PY'
import plistlib, struct, zlib

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def icon(side):
    rows = b"".join(b"\0" + b"".join(bytes([255] * 3 if (x - side / 2) ** 2 + (y - side / 2) ** 2 < side ** 2 / 9 else [10, 20, 200])
                                     for x in range(side)) for y in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")

open("Notes.app/AppIcon60x60@2x.png", "wb").write(icon(120))
open("Notes.app/AppIcon60x60@3x.png", "wb").write(icon(180))
names = {"CFBundleIcons": {"CFBundlePrimaryIcon": {"CFBundleIconFiles": ["AppIcon60x60"]}}}
plistlib.dump(names, open("Notes.app/Info.plist", "wb"), fmt=plistlib.FMT_BINARY)
PY
    mamctl configure open-in-icons Notes.app -o Icons >made
    [ "$(wc -l <made)" -eq 5 ]
    grep -q '^Icons/OpenIn60x60@3x.png: made of Notes.app/AppIcon60x60@3x.png$' made
    python3 - <<'PY'
import glob, struct, zlib
for name in glob.glob("Icons/*.png"):
    data = open(name, "rb").read()
    at, content = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
        content += body if kind == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(content)
    assert (width, depth, colours) == (height, 8, 4) and len(rows) == height * (2 * width + 1)
    middle = rows[height // 2 * (2 * width + 1) + 2 + width // 2 * 2]
    assert middle == 255 and rows[2] == 0, (name, middle, rows[2])
PY
    mamctl configure open-in-icons Notes.app -o Icons --json | jq -e '.written | length == 5'
    rm Notes.app/*.png
    run --separate-stderr mamctl configure open-in-icons Notes.app -o Icons
    failed_with 1 'has none of the icons'
    printf 'no picture' >Notes.app/AppIcon60x60.png
    run --separate-stderr mamctl configure open-in-icons Notes.app -o Icons
    failed_with 1 'AppIcon60x60.png is no PNG picture'
}
