#!/usr/bin/env bats
# mamctl message.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

@test "messages name commands, and no function of mam.h" {
    python3 - "$here/../.." <<'PY'
import json, pathlib, re, sys
root = pathlib.Path(sys.argv[1])
functions = {one["name"] for one in json.loads((root / "vectors/functions.json").read_text())}
commands = set(re.findall(r'"(mam_[a-z_]+)":', (root / "Sources/mamctl/Text/FunctionNames.swift").read_text()))
named = {}
for path in sorted((root / "Sources").glob("MAM*/**/*.swift")):
    if path.parts[-2] == "MAMConfigurator":
        continue
    for line in path.read_text().splitlines():
        if line.lstrip().startswith("//"):
            continue
        # A text that is nothing but a name is no message.
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            for name in re.findall(r"\bmam_[a-z_]+\b", text):
                if name in functions and text != name:
                    named.setdefault(name, path.name)
assert named, "no message was found"
lacking = {name: file for name, file in named.items() if name not in commands}
assert not lacking, f"no command in FunctionNames.swift: {lacking}"
assert not commands - set(named), f"in no message: {commands - set(named)}"
PY
    enrolled_with strict
    run --separate-stderr mamctl protect --account bob@contoso.example <<<text
    failed_with 1 'Register the name with mamctl register'
    run --separate-stderr mamctl protect --account bob@contoso.example --json <<<text
    [[ $stderr == *mam_register_account* ]]
    # A file that is called like a function is none.
    run --separate-stderr mamctl file info mam_file_import.txt
    failed_with 1 'mam_file_import.txt'
}

@test "message prints the sentence of a key, without a session" {
    [ "$(mamctl message refusedPrint --language en)" = 'Your organisation does not allow printing.' ]
    [ "$(mamctl message questionRestartApplication --language de)" = 'Starten Sie diese App neu, um die Regeln Ihrer Organisation anzuwenden.' ]
    [ "$(mamctl message refusedPrint --language fr)" = 'Your organisation does not allow printing.' ]
    [ "$(mamctl message refusedPrint --language en --json | jq -r .messageKey)" = refusedPrint ]
    run --separate-stderr mamctl message refusedprint
    failed_with 1 "did you mean 'refusedPrint'"
    [ -z "$output" ]
}
