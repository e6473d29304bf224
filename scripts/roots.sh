# shellcheck shell=bash
# Sourced by the scripts of packages, beside lib.sh: roots of Debian 12 in .build/debian, and commands in them.
# shellcheck disable=SC2154 # from lib.sh
roots=$scratch/debian
mirror=${MAM_DEBIAN_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" -eq 0 ] || exec sudo --preserve-env=DEB_BUILD_OPTIONS,MAM_DEBIAN_MIRROR,MAM_RELEASE,MAM_SCRATCH env "PATH=$PATH" "$0" "$@"
mkdir -p "$roots/archives"

# fresh NAME: make $roots/NAME the smallest Debian 12, of a copy that debootstrap makes once.
fresh() {
    if [ ! -e "$roots/base.tar" ]; then
        rm -rf "$roots/base"
        logged debootstrap debootstrap --variant=minbase bookworm "$roots/base" "$mirror"
        # Nothing here must survive a crash of the computer.
        echo force-unsafe-io >"$roots/base/etc/dpkg/dpkg.cfg.d/unsafe"
        tar -C "$roots/base" -cf "$roots/base.tar.new" .
        mv "$roots/base.tar.new" "$roots/base.tar"
        rm -rf "$roots/base"
    fi
    rm -rf "${roots:?}/$1"
    mkdir "$roots/$1"
    tar -C "$roots/$1" -xf "$roots/base.tar"
}

# within NAME [--mount SOURCE:TARGET]… COMMAND…: run a command in a root, without the environment and with the network of this
# one. Its mounts and processes end with it.
within() {
    local name=$1 mounts=("$roots/archives:/var/cache/apt/archives")
    shift
    while [ "$1" = --mount ]; do
        mounts+=("$2")
        shift 2
    done
    cp /etc/resolv.conf "$roots/$name/etc/resolv.conf"
    echo '127.0.0.1 localhost' >"$roots/$name/etc/hosts"
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --pid --ipc --fork --kill-child "$BASH" -euc '
        root=$1 count=$2
        shift 2
        mount --make-rprivate /
        while [ $((count--)) -gt 0 ]; do
            mkdir -p "$root${1#*:}"
            mount --rbind "${1%%:*}" "$root${1#*:}"
            shift
        done
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive "$@"' - "$roots/$name" ${#mounts[@]} "${mounts[@]}" "$@"
}
