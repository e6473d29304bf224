"""A service in FastAPI that looks a registration up and answers that nothing has changed, without signatures.

peer_service.py REGISTRATIONS PORT: with aiosqlite, of a file of ids, one a line.
peer_service.py postgresql://… PORT [store]: with asyncpg, in the database of a mamd; with `store` the statement that looks it up
also stores when an app was last seen.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from pathlib import Path

# Installed for the benchmarks alone.
import uvicorn  # type: ignore[import-not-found]
from fastapi import FastAPI, HTTPException, Request  # type: ignore[import-not-found]

PLACE, PORT, STORES = sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["store"]
READ = "SELECT app, device_tag FROM registrants WHERE registration = $1"
STORE = """
UPDATE registrations r SET last_sync = (extract(epoch FROM now()) * 1000)::bigint FROM apps a
WHERE r.id = $1 AND a.row = r.app_row RETURNING a.id, r.device_tag
"""
CONNECTIONS = 8


@asynccontextmanager
async def sqlite(app: FastAPI) -> AsyncIterator[None]:
    """A database with a row for each registration."""
    import aiosqlite  # type: ignore[import-not-found]

    path = Path(PLACE).with_suffix(".db")
    path.unlink(missing_ok=True)
    async with aiosqlite.connect(path) as database:
        await database.execute("CREATE TABLE registrations (id TEXT PRIMARY KEY, app TEXT, tag TEXT)")
        rows = [(line, "load", "tag") for line in Path(PLACE).read_text().split()]
        await database.executemany("INSERT INTO registrations VALUES (?, ?, ?)", rows)
        await database.commit()

        async def find(registration: str) -> tuple[str, str] | None:
            async with database.execute("SELECT app, tag FROM registrations WHERE id = ?", (registration,)) as found:
                return await found.fetchone()  # type: ignore[no-any-return]

        app.state.find = find
        yield


@asynccontextmanager
async def postgresql(app: FastAPI) -> AsyncIterator[None]:
    """The table that mamd has. asyncpg prepares the statement once for each connection."""
    import asyncpg  # type: ignore[import-not-found]

    async with asyncpg.create_pool(PLACE, min_size=CONNECTIONS, max_size=CONNECTIONS) as pool:

        async def find(registration: str) -> tuple[str, str] | None:
            return await pool.fetchrow(STORE if STORES else READ, registration)  # type: ignore[no-any-return]

        app.state.find = find
        yield


app = FastAPI(lifespan=postgresql if PLACE.startswith("postgresql:") else sqlite)


@app.post("/mam/v1/registrations/{registration}/check-in")  # type: ignore[untyped-decorator]
async def check_in(registration: str, request: Request) -> dict[str, object]:
    """One statement, and a reply of the size of mamd's."""
    message = await request.json()
    row = await app.state.find(registration)
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
