"""`$NAME`s in the password fields of forms, whose values go only to the origin that they are for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from stringd.actions.arguments.action_call import Call
from stringd.actions.values.conversion import fits
from stringd.api.commands import Invocation
from stringd.api.secrets import site_scope
from stringd.documents.pages.page import Page
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import listed
from stringd.text.web_urls import origin_of

SecretsOf: TypeAlias = Callable[[str], Mapping[str, str]]
_LITERAL = "For a text that begins with $ write \\$"


def secrets_of_forms(invocation: Invocation) -> SecretsOf:
    """Return a function that returns the `$NAME`s which forms may send to an origin, and their values."""

    def secrets_of(origin: str) -> Mapping[str, str]:
        site = invocation.runtime.secrets.of(site_scope(invocation.session.user.id, origin))
        return {**site, **invocation.topic.form_secrets(origin)}

    return secrets_of


def filled_call(call: Call, origin: str, page: Page, secrets_of: SecretsOf) -> tuple[Call, Mapping[str, str]]:
    """Return a call with the values of its `$NAME`s, and the name of each value, or refuse it."""
    if not call.secrets:
        return call, {}
    known = secrets_of(origin)
    for flag, name in call.secrets.items():
        if name not in known:
            raise _unknown(flag, name, origin, known, secrets_of(origin_of(page.uri) or ""))
    values = {flag: known[name] for flag, name in call.secrets.items()}
    unfit = (it.name for it in call.action.parameters if it.name in values and not fits(it, values[it.name]))
    for flag in unfit:
        message = f"${call.secrets[flag]} does not fit {flag}, and nothing is sent."
        raise Refusal(ErrorCode.INVALID_PARAMS, message)
    names = {known[name]: f"${name}" for name in call.secrets.values()}
    return replace(call, values={**call.values, **values}), names


def _unknown(
    flag: str, name: str, origin: str, known: Mapping[str, str], of_page: Mapping[str, str]
) -> Refusal:
    if name in of_page:
        message = f"${name} is for the site of this page, and its form is sent to {origin}."
        return Refusal(ErrorCode.NOT_TRUSTED, message, f"A $NAME of {origin} is set where its page is open.")
    # An unknown name is not quoted: it may be a password that begins with $.
    names = [f"known: {listed([f'${it}' for it in sorted(known)], '/set lists them')}"] if known else []
    message = f"{flag}: no such $NAME is set for {origin}."
    hint = 'Where a page of that site is open: /set $NAME = "..."'
    return Refusal(ErrorCode.ENV_REQUIRED, message, *names, hint, _LITERAL)
