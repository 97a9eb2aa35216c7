"""A hub on this machine: a server that answers the calls by which huggingface_hub fetches a file of a repository."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


@dataclass
class Hub:
    """Repositories, and what was asked for."""

    endpoint: str = ""
    commits: dict[tuple[str, str], str] = field(default_factory=dict)
    """Commits by repository and revision: a branch, a tag, or the commit itself."""
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Contents by commit and name."""
    gated: set[str] = field(default_factory=set)
    """Repositories whose owners grant access."""
    is_broken: bool = False
    """Whether the server fails for a fault of its own."""
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Methods and paths, but for those of no repository."""

    def add(self, repository: str, files: Mapping[str, bytes], revision: str = "main") -> str:
        """Let a revision be these files; gives its commit."""
        commit = hashlib.sha1(repr((repository, sorted(files.items()))).encode()).hexdigest()
        self.commits[repository, revision] = self.commits[repository, commit] = commit
        self.files |= {(commit, name): content for name, content in files.items()}
        return commit

    def upload(self, repository: str, folder: Path, revision: str = "main") -> str:
        """Add the files of a folder."""
        return self.add(repository, {path.name: path.read_bytes() for path in folder.iterdir()}, revision)

    def answer(self, repository: str, revision: str, name: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        if self.is_broken:
            return 503, {}, b""
        if repository not in {known for known, _ in self.commits}:
            return 404, {"X-Error-Code": "RepoNotFound"}, b""
        if repository in self.gated:
            return 403, {"X-Error-Code": "GatedRepo"}, b""
        commit = self.commits.get((repository, revision))
        if commit is None:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        content = self.files.get((commit, name))
        if content is None:
            return 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit}, b""
        return 200, {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha256(content).hexdigest()}"'}, content


@contextmanager
def running() -> Iterator[Hub]:
    """Serve repositories, which are added while it runs."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = self.path.lstrip("/").split("/")
            if len(parts) == 5 and parts[2] == "resolve":
                hub.requests.append((self.command, self.path))
                status, headers, body = hub.answer(f"{parts[0]}/{parts[1]}", parts[3], parts[4])
            else:
                status, headers, body = 404, {}, b""
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815  # the name that the base class has for it

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.endpoint = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield hub
        server.shutdown()
        thread.join()
