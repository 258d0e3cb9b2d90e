"""Drives a headless Chromium over a pair of pipes, with the network off: opens a page, runs scripts in it, takes pictures of it, and
keeps what it complained about and what it asked of the network."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = "chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell"


def find():
    """The browser's path, CHROMIUM if that is set; None if there is none."""
    return next((path for path in map(shutil.which, [os.environ.get("CHROMIUM", ""), *NAMES]) if path), None)


class Browser:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="bankshot-browser.")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def connect():  # the browser reads commands from 3 and writes answers to 4
            os.dup2(os.dup2(commands, 20), 3)
            os.dup2(os.dup2(answers, 21), 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--user-data-dir=" + self.folder,
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.rest, self.number, self.session = b"", 0, None
        self.complaints, self.requests, self.loaded = [], [], 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def close(self):
        os.close(self.commands)
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        name, facts = event.get("method"), event.get("params", {})
        if name == "Page.loadEventFired":
            self.loaded += 1
        elif name == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif name == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(facts["args"]))
        elif name == "Log.entryAdded":
            self.complaints.append(facts["entry"]["text"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def size(self, width, height=900, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def scheme(self, scheme, media="screen"):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        before = self.loaded
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.loaded == before:
            self.note(self.receive())
        self.settle()

    def run(self, script):
        """The value of a script, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was drawn anew after a change is on the screen."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))")

    def press(self, key):
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9, "Enter": 13}.get(key, 0))

    def picture(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **(
            {"clip": {"x": 0, "y": 0, "scale": 1, **self.run("({width: innerWidth, height: document.documentElement.scrollHeight})")}} if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
