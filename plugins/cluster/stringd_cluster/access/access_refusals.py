"""The refusals of requests for their token; none says whether a user or a token exists."""

from __future__ import annotations

import math
from collections.abc import Mapping

from stringd.plugin import ErrorCode, RequestRefused
from stringd_cluster.access.scopes import Scope


class AccessRefused(RequestRefused):
    """A request that its token does not permit."""

    status = 401
    code_in_body = True
    command_code = None


class TokenRequired(AccessRefused):
    """The request has no token."""

    code = "TOKEN_REQUIRED"
    headers: Mapping[str, str] = {"WWW-Authenticate": 'Bearer realm="stringd"'}

    def __init__(self) -> None:
        super().__init__("Send a token, as the header Authorization: Bearer strd_…")


class TokenInvalid(AccessRefused):
    """The token is malformed, unknown, expired or revoked; the answer is the same for each."""

    code = "TOKEN_INVALID"
    headers: Mapping[str, str] = {"WWW-Authenticate": 'Bearer realm="stringd", error="invalid_token"'}

    def __init__(self) -> None:
        super().__init__("This token is not valid. Ask an administrator for a new one: stringd token create")


class ScopeRequired(AccessRefused):
    """The token does not permit this."""

    status = 403
    code = "SCOPE_REQUIRED"

    def __init__(self, wanted: Scope, what: str = "This") -> None:
        super().__init__(f"{what} needs a token with the scope {wanted}.")
        self.headers = {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{wanted}"'}


class OtherUser(AccessRefused):
    """The request names a user that is not the token's; the answer is the same if there is no such user."""

    status = 403
    code = "SCOPE_REQUIRED"

    def __init__(self, own: str) -> None:
        super().__init__(
            f"This token is of user {own}: name no other user, or use a token with the scope {Scope.ADMIN}."
        )


class SeveralUsers(AccessRefused):
    """The request names more than one user."""

    status = 400
    code = ErrorCode.INVALID_REQUEST
    code_in_body = False

    def __init__(self) -> None:
        super().__init__("The request names more than one user; it can be for one only.")


class UserUnnamed(AccessRefused):
    """The request names no user, and its token has none."""

    status = 400
    code = ErrorCode.USER_REQUIRED
    code_in_body = False

    def __init__(self) -> None:
        super().__init__("X-User-Id header required")


class BodyTooLarge(AccessRefused):
    """The body is longer than one in which a user is named can be."""

    status = 413
    code = ErrorCode.BODY_TOO_LARGE
    code_in_body = False


class RateLimited(AccessRefused):
    """There were too many requests: of a user, or with invalid tokens from an address."""

    status = 429
    code = "RATE_LIMITED"

    def __init__(self, message: str, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        super().__init__(f"{message} Try again in {wait} s.")
        self.headers = {"Retry-After": str(wait)}


class TokensUnchecked(AccessRefused):
    """Tokens can't be checked now, since the database does not answer."""

    status = 503
    code = "HOME_UNAVAILABLE"
    headers: Mapping[str, str] = {"Retry-After": "1"}

    def __init__(self) -> None:
        super().__init__("The cluster's database does not answer, so the token can't be checked. Try again.")
