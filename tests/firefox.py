"""Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) without a driver."""

import json
import re
import subprocess
import time
from contextlib import contextmanager
from itertools import count


class Firefox:
    """One tab. ``faults`` are the errors of its console."""

    def __init__(self, socket):
        self.socket = socket
        self.numbers = count(1)
        self.faults = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.tab = self.ask("browsingContext.create", type="tab")["context"]

    def ask(self, method: str, **params):
        """Send a command and return its result; what the console says meanwhile is kept."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self.socket.recv())
            if told.get("id") == number:
                assert told["type"] == "success", told
                return told["result"]
            if told.get("params", {}).get("level") == "error":
                self.faults.append(told["params"]["text"])

    def open(self, address: str, width: int):
        """Open a page in a window of a width."""
        size = {"width": width, "height": 800}
        self.ask("browsingContext.setViewport", context=self.tab, viewport=size)
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, expression: str):
        """Return the value of an expression of JavaScript, awaited, through JSON."""
        wrapped = f"(async () => JSON.stringify(await ({expression})))()"
        told = self.ask(
            "script.evaluate", expression=wrapped, target={"context": self.tab}, awaitPromise=True
        )
        assert told["type"] == "success", told
        return json.loads(told["result"].get("value", "null"))

    def press(self, keys: str):
        """Type keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.ask("input.performActions", context=self.tab, actions=[keyboard])


@contextmanager
def start(path: str, profile):
    """Yield a Firefox, which ends with the block."""
    import websocket

    command = [path, "--headless", "--no-remote", "--profile", str(profile)]
    command += ["--remote-debugging-port", "0"]
    log = profile / "log"
    with log.open("w") as file, subprocess.Popen(command, stderr=file) as process:
        address = None
        while not address:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
            address = re.search(r"ws://\S+", log.read_text())
        socket = websocket.create_connection(f"{address[0]}/session", suppress_origin=True)
        try:
            yield Firefox(socket)
        finally:
            socket.close()
            process.kill()
