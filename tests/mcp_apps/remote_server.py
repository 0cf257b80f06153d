"""A remote MCP server of raw JSON over HTTP, with an authorization server of its own if it wants tokens."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

ECHO = {
    "name": "echo",
    "description": "Say it again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


class RemoteServer:
    """The server, its sessions and what it has seen."""

    def __init__(self, *, wants_token: bool = False, metadata: str = "") -> None:
        self.wants_token = wants_token
        self.metadata = metadata
        self.session = "session-1"
        self.seen: list[tuple[str, str]] = []
        self.tokens: list[str] = []
        self.challenges: dict[str, str] = {}
        self.body = ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.answer(self, b"")

            def do_POST(self) -> None:
                outer.answer(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)))

            def do_DELETE(self) -> None:
                outer.reply(self, 200, {})

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(request.path).path
        self.seen.append((request.command, path))
        if path == "/mcp":
            self._mcp(request, body)
            return
        routes: Mapping[str, Callable[[], tuple[int, Any]]] = {
            "/.well-known/oauth-protected-resource/mcp": self._resource,
            "/.well-known/oauth-authorization-server": self._authorization_server,
            "/register": lambda: (201, {**json.loads(body), "client_id": "client-1"}),
            "/token": lambda: self._token(body.decode()),
        }
        route = routes.get(path)
        status, value = route() if route else (404, {})
        self.reply(request, status, value)

    def authorize(self, address: str) -> str:
        """Do what a person does in a browser; return the address that the browser is sent back to."""
        query = {name: found[0] for name, found in parse_qs(urlsplit(address).query).items()}
        assert query["code_challenge_method"] == "S256"
        self.challenges["code-1"] = query["code_challenge"]
        back = urlencode({"code": "code-1", "state": query["state"]})
        return f"{query['redirect_uri']}?{back}"

    @staticmethod
    def reply(request: BaseHTTPRequestHandler, status: int, value: Any, **headers: str) -> None:
        data = b"" if value is None else json.dumps(value).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(data)))
        for name, text in headers.items():
            request.send_header(name.replace("_", "-"), text)
        request.end_headers()
        request.wfile.write(data)

    def _resource(self) -> tuple[int, Any]:
        return 200, {"resource": self.url, "authorization_servers": [self.metadata or self.origin]}

    def _authorization_server(self) -> tuple[int, Any]:
        return 200, {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def _token(self, form: str) -> tuple[int, Any]:
        fields = {name: found[0] for name, found in parse_qs(form).items()}
        digest = hashlib.sha256(fields["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != self.challenges[fields["code"]]:
            return 400, {"error": "invalid_grant"}
        self.tokens.append(f"token-{len(self.tokens) + 1}-very-secret")
        return 200, {"access_token": self.tokens[-1], "token_type": "Bearer", "expires_in": 3600}

    def _mcp(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        authorization = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.wants_token and authorization not in self.tokens:
            where = f"{self.origin}/.well-known/oauth-protected-resource/mcp"
            self.reply(request, 401, {}, WWW_Authenticate=f'Bearer resource_metadata="{where}"')
            return
        if request.command == "GET":
            self.reply(request, 405, {})
            return
        message = json.loads(body)
        if "id" not in message:
            self.reply(request, 202, None)
            return
        if message["method"] != "initialize" and request.headers.get("Mcp-Session-Id") != self.session:
            self.reply(request, 404 if message["method"] != "server/discover" else 400, {})
            return
        result = self._result(message)
        self.reply(
            request, 200, {"jsonrpc": "2.0", "id": message["id"], **result}, Mcp_Session_Id=self.session
        )

    def _result(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        params = message.get("params") or {}
        results: Mapping[str, Callable[[], Any]] = {
            "initialize": lambda: {
                "protocolVersion": "2025-03-26",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "remote", "version": "2"},
            },
            "tools/list": lambda: {"tools": [ECHO]},
            "tools/call": lambda: {
                "content": [{"type": "text", "text": self.body or params["arguments"]["text"]}]
            },
        }
        found = results.get(message["method"])
        return {"result": found()} if found else {"error": {"code": -32601, "message": "no such method"}}
