"""Give a request what it needs to be allowed, and nothing of that to any other origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

from msgspec.structs import replace

from stringd.plugin import ErrorCode, HttpRequest, Refusal, Zone
from stringd.plugin.actions import ActionCall, Environment
from stringd.plugin.http import ALWAYS_SENSITIVE, PreparedRequest
from stringd.plugin.text import WebUrl
from stringd_openapi.calling.credentials import Credentials, allowance_of, credentials_of, needed_variables
from stringd_openapi.calling.installed_description import AppSettings
from stringd_openapi.calling.next_page import SentRequest
from stringd_openapi.calling.oauth_tokens import TokenSource
from stringd_openapi.model.operations import Operation
from stringd_openapi.model.security_schemes import BASIC, OAUTH, UNKNOWN


class RequestAccess:
    """Prepares the requests of one call, with the secrets of its app."""

    def __init__(self, call: ActionCall, operation: Operation, settings: AppSettings) -> None:
        self._call = call
        self._operation = operation
        self._settings = settings
        self._secrets: Mapping[str, str] = call.environment.secrets
        self._allowance = allowance_of(operation, self._secrets)
        self._query: Mapping[str, str] = {}

    @property
    def can_renew(self) -> bool:
        """Whether another access token can be obtained if the one that was sent is refused."""
        return any(it.kind == OAUTH and it.flow for it in self._allowance.schemes)

    async def prepared(
        self, sent: SentRequest, content: bytes | None, content_type: str, *, renew: bool = False
    ) -> PreparedRequest:
        """Return a request to be sent; with `renew`, after a new access token was obtained."""
        url = _read(sent.url)
        server = _read(self._settings.server_of(self._operation))
        is_own = url.origin == server.origin
        credentials = await self._credentials(renew=renew) if is_own else Credentials()
        self._query = credentials.query
        nearest = self._settings.nearest_zone
        cookies = "; ".join((*sent.cookies, *credentials.cookie_pairs()))
        headers = {
            **sent.headers,
            **({"content-type": content_type} if content is not None else {}),
            **credentials.headers,
            **({"cookie": cookies} if cookies else {}),
        }
        request = HttpRequest(
            method=sent.method,
            origin=url.origin,
            target=_with_pairs(url.target, credentials.query),
            headers=headers,
            body=content,
            nearest_zone=nearest if sent.zone is None else min(nearest, Zone(sent.zone)),
            own=self._call.environment.own,
        )
        holds_secret = bool(content) and any(
            it.encode() in (content or b"") for it in self._secrets.values() if it
        )
        sensitive = ALWAYS_SENSITIVE | frozenset(credentials.headers) | self._secret_headers(headers)
        return PreparedRequest(request=request, sensitive=sensitive, body_holds_secret=holds_secret)

    def _secret_headers(self, headers: Mapping[str, str]) -> frozenset[str]:
        secrets = [it for it in self._secrets.values() if it]
        return frozenset(name for name, text in headers.items() if any(it in text for it in secrets))

    async def _credentials(self, *, renew: bool) -> Credentials:
        for scheme in self._allowance.schemes:
            if scheme.kind == OAUTH:
                scopes = self._allowance.scopes.get(scheme.name, ())
                server = self._settings.server_of(self._operation)
                source = TokenSource(self._call, scheme, scopes, self._settings.nearest_zone, server)
                self._secrets = await source.token(self._secrets, renew=renew)
        return credentials_of(self._allowance, self._secrets)

    @property
    def environment(self) -> Environment:
        """The environment of the call with all that its request was given, to mask it in answers."""
        basic = (it for it in self._allowance.schemes if it.kind == BASIC)
        # Two parts that are too short to be found may be found together.
        pairs = [(it.variable("USERNAME"), it.variable("PASSWORD")) for it in basic]
        joined = {f"{user}:${key}": f"{self._secrets[user]}:{self._secrets[key]}" for user, key in pairs}
        return replace(self._call.environment, secrets={**self._secrets, **joined})

    def shown_url(self, url: str) -> str:
        """Return a URL without the keys in its query."""
        parts = urlsplit(url)
        if not self._query.keys() & {name for name, _ in parse_qsl(parts.query)}:
            return url
        pairs = [(name, it) for name, it in parse_qsl(parts.query, keep_blank_values=True)]
        kept = [(name, it) for name, it in pairs if name not in self._query]
        return parts._replace(query=urlencode(kept)).geturl()


def _read(url: str) -> WebUrl:
    try:
        return WebUrl.read(url)
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"No usable URL: {error}") from None


def _with_pairs(target: str, pairs: Mapping[str, str]) -> str:
    if not pairs:
        return target
    path, _, query = target.partition("?")
    kept = [it for it in query.split("&") if it and it.partition("=")[0] not in pairs]
    return f"{path}?{'&'.join((*kept, urlencode(pairs)))}"


def setting_lines(operation: Operation) -> tuple[str, ...]:
    """Return the lines that set the secrets of an operation, for when the service refuses those it got."""
    return tuple(dict.fromkeys(_lines(operation)))[:4]


def _lines(operation: Operation) -> Iterator[str]:
    for scheme in operation.schemes.values():
        if scheme.kind != UNKNOWN:
            names = needed_variables(scheme, {})
            yield "Set what it needs: " + "; ".join(f'/set ${it} = "..."' for it in names)
