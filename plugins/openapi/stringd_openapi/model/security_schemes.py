"""Security schemes: the `$NAME`s that each needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from stringd.plugin.documents import Names
from stringd_openapi.model.names import secret_name
from stringd_openapi.reading.references import References, members, text_of

API_KEY, BASIC, BEARER, OAUTH, UNKNOWN = "apiKey", "basic", "bearer", "oauth2", "unknown"
CLIENT_CREDENTIALS, AUTHORIZATION_CODE = "clientCredentials", "authorizationCode"
ACCESS_TOKEN, REFRESH_TOKEN, EXPIRES = "ACCESS_TOKEN", "REFRESH_TOKEN", "EXPIRES_AT"
CLIENT_ID, CLIENT_SECRET = "CLIENT_ID", "CLIENT_SECRET"


class SecretVariable(Struct, frozen=True, kw_only=True):
    """A `$NAME` of a scheme; one that is `obtained` is set by stringd itself."""

    name: str
    description: str
    obtained: bool = False


class SecurityScheme(Struct, frozen=True, kw_only=True):
    """A security scheme; `word` begins the names of its `$NAME`s.

    An API key has a `location` and a `parameter`. OAuth has the URLs of its `flow`, or of their discovery.
    """

    name: str
    kind: str
    word: str
    description: str = ""
    location: str = ""
    parameter: str = ""
    flow: str = ""
    authorization_url: str = ""
    token_url: str = ""
    discovery_url: str = ""

    def variable(self, part: str) -> str:
        """Return the `$NAME` of a part, without the dollar."""
        return f"{self.word}_{part}"

    def variables(self) -> Iterator[SecretVariable]:
        """Yield the `$NAME`s of the scheme."""
        match self.kind:
            case "apiKey":
                what = f"API key, sent in the {self.location} {self.parameter}"
                yield SecretVariable(name=self.word, description=what)
            case "basic":
                yield SecretVariable(name=self.variable("USERNAME"), description="User name")
                yield SecretVariable(name=self.variable("PASSWORD"), description="Password")
            case "bearer":
                yield SecretVariable(name=self.variable("TOKEN"), description="Bearer token")
            case "oauth2":
                yield from self._oauth_variables()

    def _oauth_variables(self) -> Iterator[SecretVariable]:
        if self.flow:
            yield SecretVariable(name=self.variable(CLIENT_ID), description="OAuth client id")
            yield SecretVariable(name=self.variable(CLIENT_SECRET), description="OAuth client secret")
        yield SecretVariable(
            name=self.variable(ACCESS_TOKEN), description="OAuth access token", obtained=bool(self.flow)
        )
        if self.flow:
            yield SecretVariable(
                name=self.variable(REFRESH_TOKEN), description="OAuth refresh token", obtained=True
            )
            yield SecretVariable(
                name=self.variable(EXPIRES), description="When the access token expires", obtained=True
            )


UNNAMED = ""
_UNNAMED = SecurityScheme(
    name=UNNAMED,
    kind=BEARER,
    word="API",
    description="The description names no security scheme. If the service wants a token",
)


def security_schemes(document: Mapping[str, Any]) -> Mapping[str, SecurityScheme]:
    """Return the security schemes of a description by name."""
    references, words = References(document), Names()
    declared = members(members(document.get("components")).get("securitySchemes"))
    found = {}
    for name, it in declared.items():
        word = words.take(secret_name(str(name))).replace("-", "_")
        found[str(name)] = _scheme(str(name), word, references.follow(it))
    return found or {UNNAMED: _UNNAMED}


def _scheme(name: str, word: str, given: Mapping[str, Any]) -> SecurityScheme:
    described = text_of(given.get("description"))
    match given.get("type"):
        case "apiKey" if given.get("in") in {"header", "query", "cookie"} and text_of(given.get("name")):
            return SecurityScheme(
                name=name,
                kind=API_KEY,
                word=word,
                description=described,
                location=text_of(given["in"]),
                parameter=text_of(given["name"]),
            )
        case "http" if text_of(given.get("scheme")).lower() in {BASIC, BEARER}:
            return SecurityScheme(
                name=name, kind=text_of(given["scheme"]).lower(), word=word, description=described
            )
        case "oauth2":
            return _oauth(name, word, described, members(given.get("flows")))
        case "openIdConnect":
            url = text_of(given.get("openIdConnectUrl"))
            flow = AUTHORIZATION_CODE if url else ""
            return SecurityScheme(
                name=name, kind=OAUTH, word=word, description=described, discovery_url=url, flow=flow
            )
    return SecurityScheme(name=name, kind=UNKNOWN, word=word, description=described)


def _oauth(name: str, word: str, described: str, flows: Mapping[str, Any]) -> SecurityScheme:
    """Return a scheme by its first flow that stringd can go through."""
    flow = next((it for it in (AUTHORIZATION_CODE, CLIENT_CREDENTIALS) if _is_usable(it, flows)), "")
    given = members(flows.get(flow))
    return SecurityScheme(
        name=name,
        kind=OAUTH,
        word=word,
        description=described,
        flow=flow,
        authorization_url=text_of(given.get("authorizationUrl")),
        token_url=text_of(given.get("tokenUrl")),
    )


def _is_usable(flow: str, flows: Mapping[str, Any]) -> bool:
    given = members(flows.get(flow))
    has_page = flow == CLIENT_CREDENTIALS or text_of(given.get("authorizationUrl"))
    return bool(text_of(given.get("tokenUrl")) and has_page)


def is_always_needed(
    scheme: str, alternatives: Iterable[Mapping[str, tuple[str, ...]]], schemes: Mapping[str, SecurityScheme]
) -> bool:
    """Whether no request of the description can do without a scheme."""
    found = list(alternatives)
    return len(found) == 1 and scheme in found[0] and schemes[scheme].kind in {API_KEY, BASIC, BEARER}
