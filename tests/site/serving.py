"""A host for the built site, as good as a simple one on the web.

It sends text compressed, lets browsers keep what they got, and answers for a page that
is not there with 404.html. It notes what it sent.
"""

import functools
import gzip
import http.server
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")  # of browsers
COMPRESSED = (".woff2", ".png")


@dataclass
class Host:
    """Where the site is served, and how many bytes of which file were sent."""

    address: str
    sent: list[tuple[str, int]] = field(default_factory=list)

    def weight(self):
        """The bytes sent since this was asked last."""
        total = sum(size for _, size in self.sent)
        self.sent.clear()
        return total


@functools.cache
def packed(path):
    """The bytes of a file as they are sent."""
    content = path.read_bytes()
    return content if path.suffix in COMPRESSED else gzip.compress(content)


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        found = path.is_file()
        path = path if found else Path(self.directory, "404.html")
        body = packed(path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", self.guess_type(path))
        if path.suffix not in COMPRESSED:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", len(body))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.server.sent.append((self.path.partition("?")[0], len(body)))
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Leave the tests' output to the tests."""


@contextmanager
def serve(site):
    """Serve a folder while the block runs; yield its ``Host``."""
    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        host = Host(f"http://127.0.0.1:{server.server_port}")
        server.sent = host.sent
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield host
        server.shutdown()
