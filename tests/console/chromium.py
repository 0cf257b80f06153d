"""A real Chromium, driven over the DevTools protocol by synchronous calls."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

PROGRAM = shutil.which(os.environ.get("STRINGD_BROWSER", "chromium"))
# In CI, a missing browser is a failure.
needs_chromium = pytest.mark.skipif(
    PROGRAM is None and "CI" not in os.environ,
    reason="there is no Chromium; on Debian: apt install chromium",
)
SECONDS = 15.0
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--mute-audio",
    "--no-first-run",
    "--no-pings",
    "--remote-debugging-port=0",
)
_KEYS = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "Backspace": (8, ""),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""),
    " ": (32, " "),
}
_MODIFIERS = {"Alt": 1, "Control": 2, "Shift": 8}


class Tab:
    """One tab of a browser with storage of its own; what it requests and complains about is recorded."""

    def __init__(self, chromium: Chromium, target: str, context: str) -> None:
        self._chromium = chromium
        self._context = context
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._session = chromium.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        chromium.listeners[self._session] = self._on_event
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the protocol in this tab."""
        return self._chromium.call(method, self._session, **params)

    def open(self, url: str) -> None:
        """Load a page, and wait for its end."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """Return the value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = SECONDS) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if value := self.run(script):
                    return value
            except (AssertionError, ProtocolError):
                pass  # The page is being replaced.
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {script}\n{self.text()}")

    def text(self, selector: str = "body") -> str:
        """Return the text that is shown in an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def wait_text(self, text: str, selector: str = "body") -> None:
        """Wait until an element shows a text."""
        shown = f"document.querySelector({json.dumps(selector)})?.innerText"
        self.wait(f"{shown}?.includes({json.dumps(text)})")

    def press(self, *keys: str, control: bool = False) -> None:
        """Press keys one after the other, such as `Enter`, `a` or `Control+Shift+Enter`."""
        for key in keys:
            held, _, name = key.rpartition("+") if key[:-1] else ("", "", key)
            pressed = {*held.split("+"), "Control" if control else ""}
            code, text = _KEYS.get(name, (ord(name[0].upper()), name))
            modifiers = sum(_MODIFIERS[it] for it in pressed if it)
            shared = {"key": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            down = {**shared, "type": "keyDown", "text": "" if "Control" in pressed else text}
            self.call("Input.dispatchKeyEvent", **down)
            self.call("Input.dispatchKeyEvent", **shared, type="keyUp")

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a mouse does."""
        box = self.wait(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)}); it?.scrollIntoView("
            "{block: 'center'}); const box = it?.getBoundingClientRect(); return box && box.width && "
            "[box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def resize(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Set the size of the page and its colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path: Path, *, whole: bool = False) -> Path:
        """Write what is shown as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def close(self) -> None:
        """Close the tab, and forget its storage."""
        self._chromium.call("Target.disposeBrowserContext", browserContextId=self._context)

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Log.entryAdded" if params["entry"]["source"] != "network":
                self.complaints.append(f"{params['entry']['source']}: {params['entry']['text']}")
            case "Runtime.exceptionThrown":
                self.complaints.append(f"exception: {params['exceptionDetails']}")


class ProtocolError(Exception):
    """The browser refuses a call, mostly because the page has changed meanwhile."""


class Chromium:
    """A running browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)
        self.listeners: dict[str, Any] = {}

    def tab(self) -> Tab:
        """Open a tab with storage of its own, as another person's browser has."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        return Tab(self, target, context)

    def call(self, method: str, session: str = "", /, **params: Any) -> Any:
        """Call a method of the protocol, and deliver the events that come before its answer."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._connection.send(json.dumps(message))
        while True:
            answer = json.loads(self._connection.recv(timeout=SECONDS))
            if answer.get("id") == number:
                if "error" in answer:
                    raise ProtocolError(answer["error"]["message"])
                return answer["result"]
            if listener := self.listeners.get(answer.get("sessionId", "")):
                listener(answer.get("method", ""), answer.get("params", {}))


@contextmanager
def running_chromium(folder: Path) -> Iterator[Chromium]:
    """Run a browser with a new profile in a folder."""
    assert PROGRAM, "there is no Chromium"
    command = [PROGRAM, *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port_file = folder / "DevToolsActivePort"
        end = time.monotonic() + SECONDS
        while not port_file.exists() or len(port_file.read_text().splitlines()) < 2:
            assert time.monotonic() < end, "Chromium does not start"
            time.sleep(0.02)
        port, path = port_file.read_text().splitlines()
        url = f"ws://127.0.0.1:{port}{path}"
        # Pings would use `random` in a thread at any time, which Hypothesis takes for a fault of a strategy.
        with connect(url, max_size=2**28, compression=None, ping_interval=None) as connection:
            yield Chromium(connection)
    finally:
        process.terminate()
        process.wait(SECONDS)
