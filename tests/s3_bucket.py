"""A bucket of S3 on this machine, served by moto's server process."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases import case
from packed import gz, make_tar, make_zip

LOG = case("2.13.0/recompile_limit").log.read_bytes()
OBJECTS = {
    "logs/plain": LOG,
    "logs/a.log.gz": gz(LOG),
    "logs/deep/b.tar.gz": gz(make_tar({"x.log": LOG, "y.log": LOG})),
    "logs/deep/c.zip": make_zip({"x.log": LOG, "y.log.gz": gz(LOG)}),
    "logs/.hidden": LOG,
    "logs/weights": bytes(range(256)) * 100,
}


def address_of(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Where a server says that it runs; the system chose the port."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(rb"Running on (http://[0-9.:]+)", log.read_bytes()):
            return found[1].decode()
        time.sleep(0.1)
    pytest.fail("moto's server does not start")


# One for all tests: fsspec keeps its connections.
@pytest.fixture(scope="session")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of S3 with all objects; the environment points there."""
    for name in ("moto.server", "s3fs", "fsspec"):
        pytest.importorskip(name, reason=f"needs {name}: pip install '.[dev]'")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    log = tmp_path_factory.mktemp("moto") / "log"
    with (
        open(log, "wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out) as process,
        pytest.MonkeyPatch.context() as patch,
    ):
        try:
            patch.setenv("AWS_ENDPOINT_URL", address_of(process, log))
            patch.setenv("AWS_ACCESS_KEY_ID", "test")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            import s3fs

            fs = s3fs.S3FileSystem()
            fs.mkdir("ci-logs")
            for name, data in OBJECTS.items():
                fs.pipe(f"ci-logs/{name}", data)
            yield "s3://ci-logs"
        finally:
            process.terminate()
