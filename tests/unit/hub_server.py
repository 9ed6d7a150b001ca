"""A hub in miniature: folders served over the hub's download API, on this machine."""

import hashlib
import json
import shutil
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


class HubServer:
    """Serve folders as the hub serves repositories of models; a context manager.

    It does what the hub does: a name may be an alias, files of weights are handed out
    by a redirect to another host with digest and size in headers, and a repository
    that does not exist is answered by 401.

    Attributes:
        endpoint: what ``HF_ENDPOINT`` must be.
        repositories: ``{name: (folder, commit)}``.
        aliases: ``{name: name}``.
        failures: how often a name is yet to be answered by 503.
        requests: ``(method, path)`` of every request so far.
    """

    def __init__(self):
        self.repositories, self.aliases, self.failures = {}, {}, Counter()
        self.requests = []
        handler = type("Handler", (HubHandler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        port = self.server.server_address[1]
        self.endpoint = f"http://127.0.0.1:{port}"
        self.large_files = f"http://localhost:{port}/large/"  # a host of its own

    def paths(self, name):
        """The paths asked for that name a repository."""
        return [path for _, path in self.requests if f"/{name}" in path]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class HubHandler(BaseHTTPRequestHandler):
    """``/api/models/NAME[/revision/R|/tree/R]`` and ``/NAME/resolve/R/FILE``."""

    protocol_version = "HTTP/1.1"
    hub = None

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append((self.command, path))
        if path.startswith("/large/"):
            return self.send_file(self.find_large(path.removeprefix("/large/")), {})
        is_api = path.startswith("/api/models/")
        name, rest = self.split(path.removeprefix("/api/models"))
        if self.hub.failures[name]:
            self.hub.failures[name] -= 1
            return self.send_nothing(503, {})
        if name in self.hub.aliases:
            target = path.replace(name, self.hub.aliases[name], 1)
            return self.send_nothing(307, {"Location": target})
        if name not in self.hub.repositories:
            return self.send_nothing(401, {"X-Error-Code": "RepoNotFound"})
        folder, commit = self.hub.repositories[name]
        action, revision, *file = rest.split("/", 2) if rest else ("info", "main")
        if revision not in ("main", commit):
            return self.send_nothing(404, {"X-Error-Code": "RevisionNotFound"})
        if not is_api:
            return self.resolve(folder / file[0], commit)
        files = {
            file.relative_to(folder).as_posix(): file
            for file in folder.rglob("*")
            if file.is_file()
        }
        if action == "tree":
            return self.send_json([describe(*item) for item in files.items()])
        siblings = [{"rfilename": file} for file in files]
        return self.send_json({"id": name, "sha": commit, "siblings": siblings})

    do_HEAD = do_GET

    def split(self, path):
        """Split ``/NAME/rest`` into name and rest; a name may hold a slash or none."""
        for name in (*self.hub.repositories, *self.hub.aliases):
            if f"{path}/".startswith(f"/{name}/"):
                return name, path.removeprefix(f"/{name}").removeprefix("/")
        return None, ""

    def resolve(self, file, commit):
        of_commit = {"X-Repo-Commit": commit}
        if not file.is_file():
            return self.send_nothing(404, {"X-Error-Code": "EntryNotFound"} | of_commit)
        if not is_large(file):
            return self.send_file(file, {"ETag": f'"{git_id(file)}"'} | of_commit)
        headers = {
            "Location": self.hub.large_files + sha256(file),
            "X-Linked-ETag": f'"{sha256(file)}"',
            "X-Linked-Size": str(file.stat().st_size),
        }
        return self.send_nothing(302, headers | of_commit)

    def find_large(self, digest):
        for folder, _ in self.hub.repositories.values():
            for file in filter(is_large, folder.iterdir()):
                if sha256(file) == digest:
                    return file
        raise LookupError(f"no large file has the digest {digest}")

    def send_file(self, file, headers):
        self.start(200, {"Content-Length": str(file.stat().st_size)} | headers)
        if self.command == "GET":
            with open(file, "rb") as opened:
                shutil.copyfileobj(opened, self.wfile)

    def send_json(self, value):
        body = json.dumps(value).encode()
        content = {"Content-Type": "application/json"}
        self.start(200, {"Content-Length": str(len(body))} | content)
        self.wfile.write(body)

    def send_nothing(self, status, headers):
        self.start(status, {"Content-Length": "0"} | headers)

    def start(self, status, headers):
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()

    def log_message(self, *_):
        """Keep the requests out of the tests' output; they are in ``hub.requests``."""


def describe(path, file):
    """What the tree of a repository says of a file."""
    size = file.stat().st_size
    entry = {"type": "file", "path": path, "size": size, "oid": git_id(file)}
    if is_large(file):
        entry["lfs"] = {"oid": sha256(file), "size": size, "pointerSize": 134}
    return entry


def is_large(file):
    return file.suffix in (".safetensors", ".bin")


def sha256(file):
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def git_id(file):
    """The name git gives to a file's content."""
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
