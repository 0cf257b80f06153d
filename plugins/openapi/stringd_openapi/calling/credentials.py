"""Put the secrets of a call into its request, as the security schemes of its operation say."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Refusal
from stringd_openapi.model.operations import Operation
from stringd_openapi.model.security_schemes import ACCESS_TOKEN, CLIENT_ID, OAUTH, UNKNOWN, SecurityScheme

_AUTHORIZATION = "authorization"


class Credentials(Struct, frozen=True, kw_only=True):
    """What a request carries to be allowed: headers, pairs of the query, and cookies."""

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)

    def with_scheme(self, scheme: SecurityScheme, secrets: Mapping[str, str]) -> Credentials:
        """Return the credentials with those of a further scheme."""
        if scheme.kind == "apiKey":
            return self._with_key(scheme, secrets[scheme.word])
        if scheme.kind == "basic":
            user, password = secrets[scheme.variable("USERNAME")], secrets[scheme.variable("PASSWORD")]
            token = base64.b64encode(f"{user}:{password}".encode()).decode()
            return self._with_header(_AUTHORIZATION, f"Basic {token}")
        part = "TOKEN" if scheme.kind == "bearer" else ACCESS_TOKEN
        return self._with_header(_AUTHORIZATION, f"Bearer {secrets[scheme.variable(part)]}")

    def _with_key(self, scheme: SecurityScheme, key: str) -> Credentials:
        match scheme.location:
            case "header":
                return self._with_header(scheme.parameter.lower(), key)
            case "query":
                return replace(self, query={**self.query, scheme.parameter: key})
            case _:
                return replace(self, cookies={**self.cookies, scheme.parameter: key})

    def _with_header(self, name: str, text: str) -> Credentials:
        if not text.isprintable() or not text.isascii():
            message = f"The secret for the header {name} has characters that no header can have."
            raise Refusal(ErrorCode.INVALID_PARAMS, message)
        return replace(self, headers={**self.headers, name: text})

    def cookie_pairs(self) -> Iterator[str]:
        """Yield the cookies as they are sent."""
        return (f"{name}={quote(text, safe='')}" for name, text in self.cookies.items())


class Allowance(Struct, frozen=True, kw_only=True):
    """How a call is allowed: the schemes that apply, with their scopes by name."""

    schemes: tuple[SecurityScheme, ...] = ()
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def unobtained(self, secrets: Mapping[str, str]) -> tuple[SecurityScheme, ...]:
        """Return the schemes whose access token has to be obtained first."""
        found = (it for it in self.schemes if it.kind == OAUTH)
        return tuple(it for it in found if not secrets.get(it.variable(ACCESS_TOKEN)))


def allowance_of(operation: Operation, secrets: Mapping[str, str]) -> Allowance:
    """Return the first alternative whose secrets are there, or refuse with the lines that set some."""
    alternatives = [_allowance(operation, it) for it in operation.security]
    ready = [it for it in alternatives if it.schemes and not _missing(it, secrets)]
    if ready:
        # A token that is there is better than one that a person has to be asked for.
        return min(ready, key=lambda it: len(it.unobtained(secrets)))
    if not alternatives or any(not it.schemes for it in alternatives):
        return Allowance()
    raise _refusal(operation, alternatives, secrets)


def _allowance(operation: Operation, alternative: Mapping[str, tuple[str, ...]]) -> Allowance:
    schemes = tuple(operation.schemes[name] for name in alternative)
    return Allowance(schemes=schemes, scopes=alternative)


def needed_variables(scheme: SecurityScheme, secrets: Mapping[str, str]) -> tuple[str, ...]:
    """Return the `$NAME`s without which a scheme cannot be used, of those ways that are begun or simplest."""
    if scheme.kind == OAUTH:
        token = scheme.variable(ACCESS_TOKEN)
        return (scheme.variable(CLIENT_ID),) if scheme.flow and not secrets.get(token) else (token,)
    return tuple(it.name for it in scheme.variables())


def _missing(allowance: Allowance, secrets: Mapping[str, str]) -> list[str]:
    if any(it.kind == UNKNOWN for it in allowance.schemes):
        return ["?"]
    needed = (name for it in allowance.schemes for name in needed_variables(it, secrets))
    return [name for name in needed if not secrets.get(name)]


def _refusal(operation: Operation, alternatives: list[Allowance], secrets: Mapping[str, str]) -> Refusal:
    known = [it for it in alternatives if not any(scheme.kind == UNKNOWN for scheme in it.schemes)]
    if not known:
        names = ", ".join(sorted({scheme.name for it in alternatives for scheme in it.schemes}))
        message = f"act.{operation.id} needs a security scheme that stringd does not know: {names}"
        return Refusal(ErrorCode.ENV_REQUIRED, message)
    first = _missing(known[0], secrets)
    lines = [
        ("or: " if number else "Set it: ")
        + "; ".join(f'/set ${name} = "..."' for name in _missing(it, secrets))
        for number, it in enumerate(known)
    ]
    return Refusal(ErrorCode.ENV_REQUIRED, f"${first[0]} is not set.", *dict.fromkeys(lines))


def credentials_of(allowance: Allowance, secrets: Mapping[str, str]) -> Credentials:
    """Return the credentials of a request whose secrets are all there."""
    found = Credentials()
    for scheme in allowance.schemes:
        found = found.with_scheme(scheme, secrets)
    return found
