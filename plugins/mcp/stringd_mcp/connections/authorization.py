"""Sign in to remote servers with OAuth: a person opens the address, the secret store keeps the tokens.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from stringd.plugin import (
    Answer,
    ErrorCode,
    Question,
    QuestionKind,
    Refusal,
    Runtime,
    SecretScope,
    Trust,
)
from stringd.plugin.text import printable
from stringd_mcp.connections.server_call import ServerCall
from stringd_mcp.connections.sign_in_returns import PATH, Returned, SignInReturns

_TOKENS = "MCP_TOKENS"
_CLIENT = "MCP_CLIENT"
_REQUIRED = "SIGN_IN_REQUIRED"


class TokenStore:
    """Keeps the tokens and the registration of one server with the secrets, under an owner of their own."""

    def __init__(self, runtime: Runtime, scope: SecretScope) -> None:
        self._secrets = runtime.secrets
        self._scope = scope

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens, or None."""
        text = self._secrets.of(self._scope).get(_TOKENS)
        return OAuthToken.model_validate_json(text) if text else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store the tokens."""
        await self._secrets.keep(self._scope, {_TOKENS: tokens.model_dump_json(exclude_none=True)})

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return how the daemon is registered with the authorization server, or None."""
        text = self._secrets.of(self._scope).get(_CLIENT)
        return OAuthClientInformationFull.model_validate_json(text) if text else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store the registration."""
        await self._secrets.keep(self._scope, {_CLIENT: client_info.model_dump_json(exclude_none=True)})


class SignIn:
    """One sign-in: the address is a question to a person, which the browser's return answers, too."""

    def __init__(
        self, runtime: Runtime, returns: SignInReturns, current: Callable[[], ServerCall | None], url: str
    ) -> None:
        self._runtime = runtime
        self._returns = returns
        self._current = current
        self._host = urlsplit(url).hostname or url
        self._address = ""

    def provider(self, url: str, store: TokenStore) -> OAuthClientProvider:
        """Return what signs the requests to a server, and signs in when it must."""
        redirect = f"http://127.0.0.1:{self._runtime.port}{PATH}"
        metadata = OAuthClientMetadata.model_validate(
            {"client_name": "stringd", "redirect_uris": [redirect], "token_endpoint_auth_method": "none"}
        )
        return OAuthClientProvider(url, metadata, store, self._begin, self._finish)

    async def _begin(self, address: str) -> None:
        self._address = address

    async def _finish(self) -> AuthorizationCodeResult:
        call = self._current()
        if call is None:
            raise Refusal(_REQUIRED, f"{self._host} wants a new sign-in: call it again")
        state = _state_of(self._address)
        with self._returns.awaited(state) as returned:
            asking = asyncio.ensure_future(call.ask(self._question()))
            either: set[asyncio.Future[Any]] = {asking, returned}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if returned.done():
                asking.cancel()
                await asyncio.wait({asking})
                found = returned.result()
            else:
                found = _pasted(asking.result())
        if found.error or not found.code:
            message = f"The sign-in to {self._host} was refused: {printable(found.error or 'no code')}"
            raise Refusal(_REQUIRED, message)
        return AuthorizationCodeResult(code=found.code, state=found.state, iss=found.issuer)

    def _question(self) -> Question:
        return Question(
            kind=QuestionKind.TEXT,
            title=f"Sign in to {printable(self._host)}",
            body=f"Open this address in a browser and sign in:\n{printable(self._address)}\n\n"
            "Afterwards the browser returns to stringd by itself. "
            "If it runs on another machine, answer with the address that it shows then.",
            asked_by="mcp",
            trust=Trust.PERSON,
            check=_check_pasted,
        )


def _state_of(address: str) -> str:
    return parse_qs(urlsplit(address).query).get("state", [""])[0]


def _pasted(answer: Answer) -> Returned:
    return Returned.of(urlsplit(answer.text.strip()).query)


def _check_pasted(answer: Answer) -> None:
    found = _pasted(answer)
    if not found.code and not found.error:
        raise Refusal(
            ErrorCode.INVALID_PARAMS, "The answer must be an address with a code, as the browser shows"
        )
