"""asyncio: a PIN is asked for while the loop runs. Usage: asyncio_pin.py APP AUTHORITY STATE"""

from __future__ import annotations

import asyncio
import getpass
import sys

import mam


async def main(app: str, authority: str, state: str) -> None:
    with mam.open(app, authority, state_directory=state) as session:

        @session.on_question(mam.PIN)
        async def ask(question: mam.PINQuestion) -> bytes:
            return (await asyncio.to_thread(getpass.getpass, f"PIN of {question.upn}: ")).encode()

        report = await session.launch()
        for finding in report.findings:
            print(finding.user_message)
        print(report.outcome)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
