"""asyncio: a launch asks for a PIN, a new one twice, and a sign-in, while the loop runs.

Usage: asyncio_pin.py APP AUTHORITY STATE
"""

from __future__ import annotations

import asyncio
import getpass
import sys

import mam


async def typed(prompt: str) -> str:
    """Your dialog, on a thread of its own."""
    return await asyncio.to_thread(getpass.getpass, prompt)


async def signed_in(upn: str | None, why: str | None) -> bool:
    """Your organisation's sign-in; here the name is typed."""
    return await typed(f"{why} Name: ") == upn


async def main(app: str, authority: str, state: str) -> None:
    with mam.open(app, authority, state_directory=state) as session:

        @session.on_question(mam.PIN)
        async def ask(question: mam.PINQuestion) -> bytes:
            while True:
                pin = await typed(f"{question.user_message} ")
                if question.purpose != mam.PINPurpose.NEW or await typed("The same again: ") == pin:
                    return pin.encode()

        @session.on_question(mam.AUTHENTICATE)
        async def sign_in(question: mam.AuthenticateQuestion) -> str | None:
            if mam.AuthenticationMethod.BIOMETRICS in question.methods:
                return None  # no fingerprint reader: libmam then asks for the PIN
            return question.upn if await signed_in(question.upn, question.user_message) else None

        report = await session.launch()
        for finding in report.findings:
            print(finding.user_message)
        print(report.outcome)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
