"""Obtain the access tokens of OAuth 2: by client credentials, or by the consent of a person."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import time
from collections.abc import Iterable, Mapping
from functools import partial
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from msgspec import Struct

from stringd.plugin import (
    Answer,
    ErrorCode,
    HttpFailed,
    HttpRequest,
    HttpResponse,
    Question,
    QuestionKind,
    Refusal,
    Unanswered,
    Zone,
)
from stringd.plugin.actions import ActionCall
from stringd.plugin.text import WebUrl, shortened, visible_line
from stringd_openapi.calling.consent_callback import PATH, consent_requests
from stringd_openapi.model.security_schemes import (
    ACCESS_TOKEN,
    AUTHORIZATION_CODE,
    CLIENT_CREDENTIALS,
    CLIENT_ID,
    CLIENT_SECRET,
    EXPIRES,
    REFRESH_TOKEN,
    SecurityScheme,
)
from stringd_openapi.reading.description_text import read_text

REDIRECT = f"http://127.0.0.1:{{port}}{PATH}"
_LARGEST = 1024 * 1024
_SECONDS = 30.0
_CONSENT_SECONDS = 600.0
_EARLY = 30
_FAILED = 400
_LONGEST_REASON = 300
_FORM = "application/x-www-form-urlencoded"


class OAuthEndpoints(Struct, frozen=True, kw_only=True):
    """Where tokens come from."""

    authorization_url: str
    token_url: str
    flow: str


class TokenSource:
    """Obtains the tokens of one scheme for a call, and keeps them in the secrets of the app."""

    def __init__(
        self, call: ActionCall, scheme: SecurityScheme, scopes: Iterable[str], nearest_zone: Zone, server: str
    ) -> None:
        self._call = call
        self._scheme = scheme
        self._scopes = " ".join(scopes)
        self._nearest_zone = nearest_zone
        self._server = server

    async def token(self, known: Mapping[str, str], *, renew: bool = False) -> Mapping[str, str]:
        """Return the secrets with a valid access token; with `renew`, the one that is there was refused."""
        held = known.get(self._scheme.variable(ACCESS_TOKEN))
        if not self._scheme.flow or (held and not renew and not self._has_expired(known)):
            return known
        endpoints = await self._endpoints()
        refresh = known.get(self._scheme.variable(REFRESH_TOKEN))
        if refresh:
            try:
                given = {"grant_type": "refresh_token", "refresh_token": refresh}
                return await self._keep(known, await self._request(endpoints, given, known))
            except Refusal:
                # It may have been revoked; a person can consent again.
                pass
        return await self._keep(known, await self._granted(endpoints, known))

    def _has_expired(self, known: Mapping[str, str]) -> bool:
        expires = known.get(self._scheme.variable(EXPIRES), "")
        return expires.isdecimal() and int(expires) - _EARLY < time.time()

    async def _endpoints(self) -> OAuthEndpoints:
        scheme = self._scheme
        if not scheme.discovery_url:
            return OAuthEndpoints(
                authorization_url=self._absolute(scheme.authorization_url),
                token_url=self._absolute(scheme.token_url),
                flow=scheme.flow,
            )
        found = _object(await self._exchange(self._http_request("GET", self._absolute(scheme.discovery_url))))
        return OAuthEndpoints(
            authorization_url=str(found.get("authorization_endpoint", "")),
            token_url=str(found.get("token_endpoint", "")),
            flow=AUTHORIZATION_CODE if found.get("authorization_endpoint") else CLIENT_CREDENTIALS,
        )

    def _absolute(self, url: str) -> str:
        return urljoin(f"{self._server}/", url)

    async def _granted(self, endpoints: OAuthEndpoints, known: Mapping[str, str]) -> Mapping[str, object]:
        if endpoints.flow == CLIENT_CREDENTIALS:
            given = {"grant_type": "client_credentials", **({"scope": self._scopes} if self._scopes else {})}
            return await self._request(endpoints, given, known)
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        redirect = REDIRECT.format(port=self._call.invocation.runtime.port)
        code = await self._consent(endpoints, known, verifier, state, redirect)
        given = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": verifier,
        }
        return await self._request(endpoints, given, known)

    async def _consent(
        self, endpoints: OAuthEndpoints, known: Mapping[str, str], verifier: str, state: str, redirect: str
    ) -> str:
        """Ask the person to consent in a browser, and return the code that the service gives for it."""
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": known[self._scheme.variable(CLIENT_ID)],
            "redirect_uri": redirect,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **({"scope": self._scopes} if self._scopes else {}),
        }
        joint = "&" if "?" in endpoints.authorization_url else "?"
        url = f"{endpoints.authorization_url}{joint}{urlencode(query, quote_via=quote)}"
        invocation, question = self._call.invocation, self._question(url, redirect, state)
        with consent_requests(invocation.runtime).waiting(state) as requests:
            try:
                answer = await invocation.runtime.questions.ask(
                    question, disconnected=invocation.disconnected, opened=partial(requests.opened, state)
                )
            except Unanswered as refusal:
                raise Refusal(refusal.code, refusal.message, *refusal.context, self._own_token) from None
        return code_in(answer.text, state)

    def _question(self, url: str, redirect: str, state: str) -> Question:
        session, host = self._call.invocation.session, urlsplit(url).netloc
        return Question(
            kind=QuestionKind.TEXT,
            title=shortened(f"Allow {session.name.text} to use {visible_line(host)}?", 150),
            asked_by="openapi",
            body=(
                "Open this address in a browser on this machine and consent. "
                f"If the browser is on another machine, it ends at an address that begins with {redirect}: "
                f"answer with that address, or with the code in it.\n\n{visible_line(url)}"
            ),
            expires=_CONSENT_SECONDS,
            # The browser of the person may answer, too.
            waits_for_operator=True,
            user_id=session.user.id,
            topic=session.name.text,
            request_id=self._call.invocation.request_id,
            check=lambda answer: _check_code(answer, state),
        )

    async def _request(
        self, endpoints: OAuthEndpoints, given: Mapping[str, str], known: Mapping[str, str]
    ) -> Mapping[str, object]:
        client, secret = self._scheme.variable(CLIENT_ID), known.get(self._scheme.variable(CLIENT_SECRET))
        headers = {"content-type": _FORM, "accept": "application/json"}
        if secret:
            pair = f"{quote(known[client], safe='')}:{quote(secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            given = {**given, "client_id": known[client]}
        body = urlencode(given).encode()
        found = _object(await self._exchange(self._http_request("POST", endpoints.token_url, headers, body)))
        if not isinstance(found.get("access_token"), str) or not found["access_token"]:
            raise self._refusal("it gave no access_token")
        return found

    def _http_request(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> HttpRequest:
        try:
            read = WebUrl.read(url)
        except ValueError as error:
            raise self._refusal(f"no usable URL: {error}") from None
        return HttpRequest(
            method=method,
            origin=read.origin,
            target=read.target,
            headers=headers or {"accept": "application/json"},
            body=body,
            nearest_zone=self._nearest_zone,
            own=self._call.environment.own,
        )

    async def _exchange(self, request: HttpRequest) -> HttpResponse:
        """Send a request; redirects are not followed, since it carries secrets."""
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._call.invocation.runtime.http.exchange(request, limit=_LARGEST)
        except (HttpFailed, TimeoutError) as error:
            raise self._refusal(f"no usable answer from {request.origin}: {error}") from None
        if response.status >= _FAILED or response.status // 100 == 3:
            # Masking must come before shortening, which could leave the start of a secret.
            told = visible_line(response.body.decode(errors="replace"))
            told = self._call.environment.mask_beginning(told, _LONGEST_REASON)
            raise self._refusal(f"{request.origin} answered {response.status}: {told}")
        return response

    async def _keep(self, known: Mapping[str, str], found: Mapping[str, object]) -> Mapping[str, str]:
        lasts = found.get("expires_in")
        refresh = found.get("refresh_token")
        values = {
            self._scheme.variable(ACCESS_TOKEN): str(found["access_token"]),
            self._scheme.variable(EXPIRES): str(int(time.time()) + lasts) if isinstance(lasts, int) else "",
            **(
                {self._scheme.variable(REFRESH_TOKEN): refresh}
                if isinstance(refresh, str) and refresh
                else {}
            ),
        }
        scope = self._call.invocation.topic.secret_scope()
        if scope is not None:
            await self._call.invocation.runtime.secrets.keep(scope, values)
        return {**known, **values}

    def _refusal(self, reason: str) -> Refusal:
        message = self._call.environment.mask(f"act.{self._call.action.id}: no access token: {reason}")
        return Refusal(ErrorCode.ACTION_FAILED, message, self._own_token)

    @property
    def _own_token(self) -> str:
        return f'To use a token of your own: /set ${self._scheme.variable(ACCESS_TOKEN)} = "..."'


def _object(response: HttpResponse) -> Mapping[str, object]:
    try:
        found = read_text(response.body)
    except Refusal:
        found = None
    return found if isinstance(found, dict) else {}


def code_in(answer: str, state: str) -> str:
    """Return the code of an answer: the address of the redirect, or the code itself; refuse another one's."""
    text = answer.strip()
    if "://" not in text and "code=" not in text:
        if not text or " " in text:
            raise Refusal(ErrorCode.INVALID_PARAMS, "Neither an address nor a code.")
        return text
    query = parse_qs(urlsplit(text).query if "://" in text else text.partition("?")[2] or text)
    if error := query.get("error"):
        raise Refusal(ErrorCode.ACTION_FAILED, f"The service refused: {visible_line(error[0])}")
    if query.get("state", [""])[0] != state:
        raise Refusal(ErrorCode.INVALID_PARAMS, "This address belongs to another request for consent.")
    code = query.get("code", [""])[0]
    if not code:
        raise Refusal(ErrorCode.INVALID_PARAMS, "There is no code in this address.")
    return code


def _check_code(answer: Answer, state: str) -> None:
    code_in(answer.text, state)
