"""A class on one JupyterHub: everyone executes a chapter at once, and nobody is lost.

Not part of `make test`, because it takes the machine for minutes: `make test-hub` makes
an environment with JupyterHub, and runs it for HUB_USERS users (20 unless told).
"""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path

import psutil
import pytest
from build import ROOT
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

import chapters

USERS = int(os.environ.get("HUB_USERS", "20"))
CHAPTER = os.environ.get("HUB_CHAPTER", "multi_head")
TOKEN = uuid.uuid4().hex
CONFIG = f"""
load_subconfig({str(ROOT / "course" / "jupyterhub_config.py")!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{{port}}"
c.JupyterHub.hub_port = {{hub_port}}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{{proxy_port}}"
c.ConfigurableHTTPProxy.command = [{{proxy!r}}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {{homes!r}} + "/{{{{username}}}}"
c.Spawner.cmd = [{{singleuser!r}}]
c.Spawner.default_url = "/lab"
c.Spawner.args = [*c.Spawner.args, "--allow-root"]
c.JupyterHub.services = [{{{{"name": "class", "api_token": {TOKEN!r}}}}}]
c.JupyterHub.load_roles = [
    {{{{"name": "class", "services": ["class"],
      "scopes": ["admin:users", "admin:servers", "access:servers"]}}}}
]
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def hub():
    """A JupyterHub with the book's configuration: gives its address and its process."""
    home = Path(tempfile.mkdtemp(prefix="h"))
    port, hub_port, proxy_port = free_ports(3)
    bin = Path(os.environ["HUB_BIN"])
    (home / "users").mkdir()
    config = CONFIG.format(
        port=port,
        hub_port=hub_port,
        proxy_port=proxy_port,
        proxy=os.environ["HUB_PROXY"],
        homes=str(home / "users"),
        singleuser=str(bin / "jupyterhub-singleuser"),
    )
    (home / "config.py").write_text(config)
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [bin / "jupyterhub", "-f", home / "config.py"],
            cwd=home,
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 60
        while True:
            try:
                call(address, "/hub/api/")
                break
            except OSError:
                assert time.monotonic() < end, (home / "log").read_text()
                time.sleep(0.2)
        yield address, process
    finally:
        process.terminate()
        process.wait(timeout=120)
        shutil.rmtree(home)


def call(address, path, method="GET", body=None):
    """Ask the hub, or through it a user's server; return its answer."""
    request = urllib.request.Request(
        address + path,
        method=method,
        headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode(),
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def start(address, user):
    """Start a user's server and a kernel in it; return the kernel's name."""
    call(address, f"/hub/api/users/{user}", "POST")
    call(address, f"/hub/api/users/{user}/server", "POST")
    end = time.monotonic() + 300
    while (
        not call(address, f"/hub/api/users/{user}")["servers"].get("", {}).get("ready")
    ):
        assert time.monotonic() < end, f"{user}'s server does not start"
        time.sleep(0.5)
    return call(address, f"/user/{user}/api/kernels", "POST", {"name": "python3"})["id"]


async def execute(address, user, cells):
    """Execute the cells in a user's kernel; return the error of the first to fail."""
    kernel = await asyncio.to_thread(start, address, user)
    channel = await websocket_connect(
        HTTPRequest(
            f"ws{address[4:]}/user/{user}/api/kernels/{kernel}/channels",
            headers={"Authorization": f"token {TOKEN}"},
            request_timeout=600,
        ),
        max_message_size=1 << 28,
    )
    for code in cells:
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "username": user,
            "session": kernel,
            "version": "5.3",
            "date": "2000-01-01T00:00:00Z",
        }
        content = {"code": code, "silent": False, "store_history": True}
        content |= {"user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
        message = {"header": header, "parent_header": {}, "metadata": {}}
        await channel.write_message(
            json.dumps(
                message | {"content": content, "channel": "shell", "buffers": []}
            )
        )
        while True:
            text = await asyncio.wait_for(channel.read_message(), timeout=600)
            assert text is not None, f"{user}'s kernel has closed the connection"
            answer = json.loads(text)
            if (
                answer["msg_type"] == "execute_reply"
                and answer["parent_header"]["msg_id"] == header["msg_id"]
            ):
                break
        if answer["content"]["status"] != "ok":
            return f"{user}: {answer['content'].get('evalue')}"
    return None


def megabytes(process):
    """Sum the memory that every user's processes have to themselves."""
    total = 0
    for child in process.children(recursive=True):
        try:
            total += child.memory_full_info().uss
        except psutil.Error:
            continue  # it has ended meanwhile
    return total / 1e6


async def everyone(address, cells, process):
    """Execute for all users at once, and watch the memory; return errors and peak."""
    tasks = [
        asyncio.create_task(execute(address, f"student{i:02}", cells))
        for i in range(USERS)
    ]
    peak = 0
    while not all(task.done() for task in tasks):
        peak = max(peak, await asyncio.to_thread(megabytes, process))
        await asyncio.sleep(2)
    return [task.result() for task in tasks], peak


def test_everyone_executes_a_chapter_at_once_and_nobody_is_lost(hub):
    address, process = hub
    notebook = chapters.read(ROOT / "chapters" / f"{CHAPTER}.md")
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    begin = time.monotonic()
    errors, peak = asyncio.run(everyone(address, cells, psutil.Process(process.pid)))
    seconds = time.monotonic() - begin
    print(
        f"\n{USERS} users, {CHAPTER}: {len(cells)} cells each in {seconds:.0f} s, "
        f"peak {peak:.0f} MB in all, {peak / USERS:.0f} MB each"
    )
    assert errors == [None] * USERS
