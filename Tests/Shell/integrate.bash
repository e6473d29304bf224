# shellcheck disable=SC2154,SC2034 # set by bats and the tests
# Functions for the tests of examples/integrate.

examples=$BATS_TEST_DIRNAME/../../examples/integrate

# patched LANGUAGE: before/ and after/ in the current directory.
patched() {
    cp -r "$examples/$1/before" before
    cp -r before after
    patch --quiet --directory after -p1 <"$examples/$1/libmam.patch"
    export MAIL_DIR=$scratch/mail NOTEBOOK=$scratch/notebook MAM_APP=com.example.$2 PYTHONDONTWRITEBYTECODE=1
}

# integrated PROGRAM: mail or notebook, patched and built; `add` is its command that adds something.
integrated() {
    if [ "$1" = mail ]; then
        patched c mail
        make --silent -C after
        add=deliver
    else
        patched python notebook
        binding=$BATS_TEST_DIRNAME/../../bindings/python/src
        add=add
    fi
}

mail() { "./$1/mail" "${@:2}"; }

# The administrator's wipe, and the check-in that carries it out.
wiped() {
    mamctl authority wipe request "$ann" >/dev/null
    mamctl check-in >/dev/null
}

notebook() { PYTHONPATH=$binding python3 "$1/notebook.py" "${@:2}"; }
