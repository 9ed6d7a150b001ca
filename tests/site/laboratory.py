"""A real JupyterLab for the tests, which sees nothing of the machine's own settings."""

import json
import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

# Nobody listens there: what asks for another host is told so at once.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {f"{kind}_proxy": NOWHERE for kind in ("http", "https", "all")}


@contextmanager
def serve(python, notebooks, home):
    """Start a server and give the function that names the address of a notebook.

    Neither the server nor its kernels reach any other host.

    Args:
        python: the interpreter of an environment.
        notebooks: the folder to serve.
        home: a folder of its own, in which the environment may have been set up.
    """
    settings = home / ".jupyter" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    # The news would be fetched from elsewhere.
    news = {"@jupyterlab/apputils-extension:announcements": True}
    settings.write_text(json.dumps({"disabledExtensions": news}), encoding="utf-8")
    command = [python, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--expose-app-in-browser", "--ServerApp.ip=127.0.0.1"]
    command += ["--ServerApp.port=0", f"--ServerApp.root_dir={notebooks}"]
    command += ["--KernelManager.transport=ipc"]  # kernels do not race for ports
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            env=at_home(python, home) | OFFLINE,
            stdout=log,
            stderr=log,
            cwd=notebooks,
        )
    try:
        (info,) = wait_until(
            lambda: list((home / "runtime").glob("jpserver-*.json")),
            "the file that names the server",
        )
        server = wait_until(
            lambda: info.read_text() and json.loads(info.read_text()),
            "what that file says",
        )
        wait_until(lambda: listens(server["port"]), "an open port")
        lab = f"{server['url']}lab/tree"
        yield lambda name: f"{lab}/{name}?reset&token={server['token']}"
    finally:
        process.terminate()  # the server then ends its kernels
        process.wait(timeout=60)


def at_home(python, home):
    """Give the variables under which nothing is read from outside ``home``."""
    jupyter = {key for key in os.environ if key.startswith(("JUPYTER", "IPYTHON"))}
    others = {key: os.environ[key] for key in os.environ.keys() - jupyter}
    bin = Path(python).parent
    own = {"HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home / "runtime")}
    return others | own | {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition, what, seconds=60):
    """Ask again until the condition holds; fail when it does not within the time."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < end, f"{what}: not within {seconds} seconds"
        time.sleep(0.1)
    return answer
