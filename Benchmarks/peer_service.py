"""A service in FastAPI and aiosqlite that looks a registration up and answers that nothing has changed, without signatures.

peer_service.py REGISTRATIONS PORT, where REGISTRATIONS is a file of ids, one a line.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from pathlib import Path

# Installed for the benchmarks alone.
import aiosqlite  # type: ignore[import-not-found]
import uvicorn  # type: ignore[import-not-found]
from fastapi import FastAPI, HTTPException, Request  # type: ignore[import-not-found]

IDS, PORT = Path(sys.argv[1]), int(sys.argv[2])


@asynccontextmanager
async def opened(app: FastAPI) -> AsyncIterator[None]:
    """The database with a row for each registration."""
    path = IDS.with_suffix(".db")
    path.unlink(missing_ok=True)
    async with aiosqlite.connect(path) as database:
        await database.execute("CREATE TABLE registrations (id TEXT PRIMARY KEY, app TEXT, tag TEXT)")
        rows = [(line, "load", "tag") for line in IDS.read_text().split()]
        await database.executemany("INSERT INTO registrations VALUES (?, ?, ?)", rows)
        await database.commit()
        app.state.database = database
        yield


app = FastAPI(lifespan=opened)


@app.post("/mam/v1/registrations/{registration}/check-in")  # type: ignore[untyped-decorator]
async def check_in(registration: str, request: Request) -> dict[str, object]:
    """One statement, and a reply of the size of mamd's."""
    message = await request.json()
    async with app.state.database.execute("SELECT app, tag FROM registrations WHERE id = ?", (registration,)) as rows:
        row = await rows.fetchone()
    if row is None or row[0] != message["app"]["id"]:
        raise HTTPException(410)
    return {
        "result": "unchanged",
        "upn": "load@mam.invalid",
        "isDisabled": False,
        "exchangeEpoch": 1,
        "policyTag": row[1],
        "appsTag": row[1],
        "time": datetime.now(timezone.utc).isoformat(),
        "sequence": 1,
    }


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="error", access_log=False)
