#!/usr/bin/env bats
# mamctl configure: the Info.plist of an app; the page.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

plists=${MAM_SHARED_DATA:-$here/../../../shared/data}/plists

need_plists() { [ -d "$plists" ] || skip "there is no shared data: $plists"; }

info_plist() {
    cat >Info.plist <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleURLTypes</key>
	<array>
		<dict>
			<key>CFBundleURLSchemes</key>
			<array>
				<string>notes</string> <!-- ours -->
			</array>
		</dict>
	</array>
	<key>NSFaceIDUsageDescription</key>
	<string>To open work notes.</string>
</dict>
</plist>
PLIST
}

# A plist's value by a Python expression.
in_plist() { python3 -c 'import plistlib, sys; d = plistlib.load(open(sys.argv[1], "rb")); print(eval(sys.argv[2]))' "$@"; }

@test "the list before the configurator of 17.1.1 becomes the one after it" {
    need_plists
    cp "$plists/Info.before-reverted-c0d9e20.plist" Info.plist
    cp "$plists/Entitlements.plist" App.entitlements
    mamctl configure -i Info.plist -e App.entitlements -o after.plist >changes
    [ "$(wc -l <changes)" -eq 2 ]
    grep -q '^Info.plist: CFBundleURLTypes: added msauth.com.microsoft.intunemam$' changes
    grep -q '^Info.plist: LSApplicationQueriesSchemes: added https-intunemam, ' changes
    cmp Info.plist "$plists/Info.before-reverted-c0d9e20.plist"
    cmp App.entitlements "$plists/Entitlements.plist"
    in_plist after.plist "d == plistlib.load(open('$plists/Info.after-configurator-17.1.1.plist', 'rb'))" | grep -qx True
    # Nothing but additions.
    run ! grep -q '^<' <(diff Info.plist after.plist)
    # The same in place, and once more.
    mamctl configure -i Info.plist -e App.entitlements >changes
    cmp Info.plist after.plist
    run --separate-stderr mamctl configure -i Info.plist -e App.entitlements
    [ "$output" = "Info.plist: nothing to change" ]
    cmp Info.plist after.plist
}

@test "real lists are kept byte for byte where nothing is to be changed, in both forms" {
    need_plists
    for list in "$plists"/*; do
        mamctl configure -i "$list" -o once.plist >/dev/null
        python3 -c 'import plistlib; plistlib.dump(plistlib.load(open("once.plist", "rb")), open("once.bin", "wb"), fmt=plistlib.FMT_BINARY)'
        for once in once.plist once.bin; do
            cp "$once" twice
            inode=$(stat -c %i twice)
            mamctl configure -i twice >changes
            [ "$(<changes)" = "twice: nothing to change" ]
            cmp "$once" twice
            [ "$(stat -c %i twice)" = "$inode" ]
            mamctl configure -i twice -o copy >/dev/null
            cmp "$once" copy
        done
        run ! grep -q '^<' <(diff "$list" once.plist)
    done
}

@test "the version of the SDK chooses the schemes" {
    info_plist
    mamctl configure -i Info.plist --sdk 11.0 -o old.plist >/dev/null
    mamctl configure -i Info.plist --sdk 21.7.1 -o new.plist >/dev/null
    [ "$(in_plist old.plist 'len(d["LSApplicationQueriesSchemes"])')" = 6 ]
    [ "$(in_plist old.plist 'd["CFBundleURLTypes"][0]["CFBundleURLSchemes"]')" = "['notes', 'notes-intunemam']" ]
    [ "$(in_plist new.plist '"intunemam-mtd" in d["LSApplicationQueriesSchemes"]')" = True ]
    run --separate-stderr mamctl configure -i Info.plist --sdk newest
    failed_with 64 'sdk must be a version'
}

@test "a difference is shown for patch, and nothing is written" {
    info_plist
    cp Info.plist before.plist
    mamctl configure -i Info.plist --diff >difference
    cmp Info.plist before.plist
    mamctl configure -i Info.plist -o after.plist >/dev/null
    patch -s -p0 <difference
    cmp Info.plist after.plist
    grep -q '<string>notes</string> <!-- ours -->' Info.plist
    mamctl configure -i Info.plist --diff >difference
    [ ! -s difference ]
    run --separate-stderr mamctl configure -i Info.plist --diff -o x
    failed_with 64 'one of --output and --diff'
}

@test "standard input and output can take the place of files" {
    info_plist
    mamctl configure -i Info.plist -o after.plist >/dev/null
    mamctl configure -i - -o - <Info.plist | cmp - after.plist
    mamctl configure -i - -o - --json <after.plist >same.plist
    cmp after.plist same.plist
    run --separate-stderr mamctl configure -i - <Info.plist
    failed_with 64 'give --output'
}

@test "JSON has changes and warnings" {
    info_plist
    sed -i '/FaceID/,+1d' Info.plist
    run --separate-stderr mamctl configure -i Info.plist --json
    [ -z "$stderr" ]
    [ "$(value '[.file, .changed, (.changes | length), (.warnings | length), .difference] | @text')" = '["Info.plist",true,3,1,null]' ]
    run --separate-stderr mamctl configure -i Info.plist --json
    [ "$(value '[.changed, .changes] | @text')" = '[false,[]]' ]
    run --separate-stderr mamctl configure -i Info.plist
    [[ $stderr == "warning: Info.plist: NSFaceIDUsageDescription is missing"* ]]
}

@test "a file is replaced as a whole, with its mode; what cannot be replaced is refused" {
    info_plist
    chmod 0640 Info.plist
    inode=$(stat -c %i Info.plist)
    mamctl configure -i Info.plist >/dev/null
    [ "$(stat -c %a Info.plist)" = 640 ]
    [ "$(stat -c %i Info.plist)" != "$inode" ]
    rm Info.plist && info_plist
    ln -s Info.plist link.plist
    run --separate-stderr mamctl configure -i link.plist
    failed_with 1 'link.plist is a symbolic link; name the file'
    ln Info.plist other.plist
    run --separate-stderr mamctl configure -i Info.plist
    failed_with 1 'has 2 names'
    rm other.plist
    mkfifo pipe.plist
    run --separate-stderr mamctl configure -i pipe.plist
    failed_with 1 'not a regular file'
    run --separate-stderr mamctl configure -i Info.plist -o missing/out.plist
    failed_with 1 'missing/out.plist: No such file'
    [ -z "$(find . -name '.mamctl-*')" ]
}

@test "where the configurator of the SDK crashes there is an error that says what to do" {
    info_plist
    run --separate-stderr mamctl configure -i missing.plist
    failed_with 1 'missing.plist: No such file'
    : >empty.plist
    run --separate-stderr mamctl configure -i empty.plist
    failed_with 1 'empty.plist is empty'
    run --separate-stderr mamctl configure -i Info.plist -e empty.plist
    failed_with 1 'empty.plist is empty'
    printf '{ CFBundleName = Notes; }' >old.plist
    run --separate-stderr mamctl configure -i old.plist
    failed_with 1 'plutil -convert xml1'
    sed 's|<array>|<string>|;s|</array>|</string>|' Info.plist >mixed.plist
    run --separate-stderr mamctl configure -i mixed.plist
    failed_with 1 'in line '
    python3 -c 'print("<plist><dict><key>CFBundleURLTypes</key>\n<string>notes</string></dict></plist>")' >wrong.plist
    run --separate-stderr mamctl configure -i wrong.plist
    failed_with 1 'CFBundleURLTypes of the type string; it must be of the type array, in line 2'
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 Info.plist
        run --separate-stderr mamctl configure -i Info.plist
        failed_with 1 'Info.plist: Permission denied'
    fi
}

@test "hostile lists end in an error, and nothing is written" {
    python3 - <<'PY'
import plistlib
deep = "<array>" * 100000 + "</array>" * 100000
files = {
    "deep": f"<plist><dict><key>a</key>{deep}</dict></plist>",
    "bomb": '<!DOCTYPE p [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><plist><dict><key>a</key><string>&b;</string></dict></plist>',
    "outside": '<!DOCTYPE p [<!ENTITY a SYSTEM "/etc/passwd">]><plist><dict><key>a</key><string>&a;</string></dict></plist>',
    "cut": "<plist><dict><key>a", "twice": "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
    "many": f"<plist><dict><key>a</key><array>{'<true/>' * 100000}</array></dict></plist>",
}
for name, text in files.items():
    open(name, "w").write(text)
open("latin", "wb").write("<plist><dict><key>ä</key><true/></dict></plist>".encode("latin-1"))
open("wide", "wb").write("<plist><dict/></plist>".encode("utf-16"))
open("huge", "wb").truncate(1 << 30)

def binary(objects):
    body, offsets = b"bplist00", []
    for one in objects:
        offsets.append(len(body))
        body += one
    table = b"".join(o.to_bytes(2, "big") for o in offsets)
    return body + table + bytes([0] * 6 + [2, 2]) + b"".join(n.to_bytes(8, "big") for n in (len(objects), len(objects) - 1, len(body)))

def array(*references):
    return bytes([0xA0 + len(references)]) + b"".join(r.to_bytes(2, "big") for r in references)

open("cycle", "wb").write(binary([array(1), array(0)]))
open("shares", "wb").write(binary([b"\x09"] + [array(i, i, i, i) for i in range(40)]))
open("key", "wb").write(binary([b"\x09", b"\xd1\x00\x00\x00\x00"]))
open("pointer", "wb").write(binary([array(7)]))
open("binary-cut", "wb").write(plistlib.dumps({"a": 1}, fmt=plistlib.FMT_BINARY)[:-3])
PY
    for list in deep bomb outside cut twice many latin wide huge cycle shares key pointer binary-cut; do
        before=$(stat -c '%i %Y %s' "$list")
        run --separate-stderr mamctl configure -i "$list"
        failed_with 1 "$list "
        [ "$(stat -c '%i %Y %s' "$list")" = "$before" ]
    done
}

@test "an extension's rule takes the types of the SDK" {
    need_plists
    cat >Extension.plist <<'PLIST'
<plist version="1.0">
<dict>
    <key>NSExtension</key>
    <dict>
        <key>NSExtensionAttributes</key>
        <dict>
            <key>NSExtensionActivationRule</key>
            <dict>
                <key>NSExtensionActivationSupportsImageWithMaxCount</key>
                <integer>2</integer>
            </dict>
        </dict>
    </dict>
</dict>
</plist>
PLIST
    mamctl configure -i Extension.plist --containing-app "$plists/Info.before.plist" >changes
    grep -q 'ContainingAppBundleId: added com.xamarin.microsoftintunemamsample' changes
    in_plist Extension.plist 'd["NSExtension"]["NSExtensionAttributes"]["NSExtensionActivationRule"]' >rule
    grep -q 'UTI-CONFORMS-TO "com.microsoft.intune.mam.public.image"' rule
    grep -q '@count <= 2' rule
    mamctl configure -i Extension.plist --containing-app "$plists/Info.before.plist" >changes
    [ "$(<changes)" = "Extension.plist: nothing to change" ]
}

@test "the page's blocks run, and print what it says" {
    page=$here/../../docs/configure.md
    awk '/^```sh$/ { on = "script"; next } /^```text$/ { on = "expected"; next } /^```$/ { on = ""; next } on { print >on }' "$page"
    [ "$(wc -l <expected)" -gt 60 ]
    mkdir page && cd page
    PATH=$(dirname "$(type -P "$MAMCTL")"):$PATH dash -e ../script >../printed 2>../complaints
    diff -u ../expected ../printed
    [ ! -s ../complaints ]
}

@test "no authority, state or app is needed" {
    info_plist
    unset MAM_AUTHORITY MAM_STATE MAM_APP
    mamctl configure -i Info.plist >/dev/null
    [ ! -e state ]
}
