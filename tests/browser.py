"""Chromium without a window, driven through pipes by its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

_TIMEOUT = 60.0
# The browser reads commands from descriptor 3 and answers on 4.
_START = """
import os, sys
commands, answers = int(sys.argv[1]), int(sys.argv[2])
os.dup2(commands, 100), os.dup2(answers, 101)
os.dup2(100, 3), os.dup2(101, 4)
os.closerange(5, 102)
os.execv(sys.argv[3], sys.argv[3:])
"""
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
    *("--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe"),
    *("--disable-background-networking", "--disable-component-update"),
)


class Browser:
    """One page of one browser; `events` are those of the page since it was opened."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        self._program = subprocess.Popen(
            [
                *(sys.executable, "-c", _START, str(commands), str(answers)),
                *(CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"),
            ],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._rest = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._commands)
        try:
            self._program.wait(10)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        os.close(self._answers)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + _TIMEOUT
        while b"\0" not in self._rest:
            left = end - time.monotonic()
            ready, _, _ = select.select([self._answers], [], [], max(left, 0))
            chunk = os.read(self._answers, 1 << 16) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, page: Path, anchor: str = "") -> None:
        """Opens a file and waits until it is loaded."""
        self._navigate("about:blank")
        self.events.clear()
        self._navigate(page.as_uri() + anchor)

    def _navigate(self, url: str) -> None:
        loader = self.call("Page.navigate", url=url)["loaderId"]
        loaded = {"name": "load", "loaderId": loader}
        while not any(
            event.get("method") == "Page.lifecycleEvent"
            and loaded.items() <= event["params"].items()
            for event in self.events
        ):
            self.events.append(self._receive())

    def run(self, code: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        done = self.call(
            "Runtime.evaluate",
            expression=code,
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key: str) -> None:
        """Presses and releases a key, or types a letter."""
        text = {"text": key} if len(key) == 1 else {}
        codes = {"Escape": 27, "Enter": 13, "Tab": 9}
        code = codes.get(key, 0)
        more = {"key": key, "windowsVirtualKeyCode": code, **text}
        if key == "Enter":
            more["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(
        self, *, dark: bool = False, width: int = 1300, height: int = 1500
    ) -> None:
        """Sets colours and size."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, path: Path) -> None:
        """Writes what is seen as a PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
