"""libcrypto.py: sealing and opening 1 MiB from Python with the system's libcrypto, through libmam, beside the newer one that
PyCA's cryptography contains; in turn, in one process. docs/packages.md has the answer that follows from it.

    PYTHONPATH=bindings/python/src scripts/staged.sh .venv/bin/python Benchmarks/libcrypto.py
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

import cryptography
import mam.testing
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ROUNDS, SIZE, ACCOUNT = 200, 1 << 20, "ann@contoso.example"


def main() -> None:
    plain = os.urandom(SIZE)
    cipher, nonce = AESGCM(os.urandom(32)), os.urandom(12)
    encrypted = cipher.encrypt(nonce, plain, None)
    with mam.testing.office() as office:
        office.user(ACCOUNT)
        office.policy()
        session = office.open("com.example.bench", enroll=ACCOUNT)
        sealed = session.protect(ACCOUNT, plain)
        calls: dict[str, Callable[[], object]] = {
            "protect": lambda: session.protect(ACCOUNT, plain),
            "AESGCM.encrypt": lambda: cipher.encrypt(nonce, plain, None),
            "unprotect": lambda: session.unprotect(sealed),
            "AESGCM.decrypt": lambda: cipher.decrypt(nonce, encrypted, None),
        }
        times: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(-10, ROUNDS):
            for name, call in calls.items():
                begin = time.perf_counter()
                call()
                if number >= 0:
                    times[name].append(time.perf_counter() - begin)
    print(f"cryptography {cryptography.__version__} with {backend.openssl_version_text()}")
    for name, took in times.items():
        print(f"{name}: {statistics.median(took) * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
