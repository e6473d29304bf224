"""The service's Swift tests once more, with databases on PostgreSQL."""

import os
import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/swift-tests.sh"


def test_the_swift_tests_pass_on_postgresql(postgresql):
    environment = {**os.environ, "MAM_TEST_POSTGRESQL": postgresql.database()}
    words = [SCRIPT, "--filter", "MAMServiceTests"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-8000:]
    assert int(re.search(r"Test run with (\d+) tests", output)[1]) > 50
    assert "MAM_TEST_POSTGRESQL names no database" not in output
