"""The subcommand `stringd token`: create, list and revoke the tokens of a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stringd.plugin import CliCommand, Fault
from stringd.plugin.cli import write_output
from stringd_cluster.commands.cluster_database import MISUSE, connection_url, run_with

if TYPE_CHECKING:
    from stringd_cluster.access.tokens import NewToken

_LONGEST_NOTE = 200


def _create(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import write_error
    from stringd_cluster.access.stored_tokens import has_user, store_token

    token = _new_token(arguments)

    async def create(connection: Any) -> tuple[datetime | None, bool]:
        async with connection.transaction():
            return await store_token(connection, token), await has_user(connection, token.user_id)

    expires, is_known = run_with(connection_url(arguments, "token create"), create)
    write_output(token.token)
    scopes = ", ".join(sorted(token.scopes))
    write_error(
        f"{token.id}, a token of user {token.user_id} for {scopes}; {_until(expires)}; shown only now"
    )
    if not is_known:
        write_error(f"there is no user {token.user_id} yet: register it, as with POST /users")
    return 0


def _new_token(arguments: argparse.Namespace) -> NewToken:
    from stringd_cluster.access.tokens import NewToken, parse_expiry, parse_scopes

    if len(arguments.note) > _LONGEST_NOTE or not arguments.note.isprintable():
        raise Fault(f"--note is one line of at most {_LONGEST_NOTE} characters", exit_code=MISUSE)
    try:
        scopes, expiry = parse_scopes(arguments.scope), parse_expiry(arguments.expires)
    except ValueError as error:
        raise Fault(str(error), exit_code=MISUSE) from None
    return NewToken(user_id=arguments.user, scopes=scopes, expiry=expiry, note=arguments.note)


def _list(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import write_json
    from stringd_cluster.access.stored_tokens import listed_tokens

    rows = run_with(
        connection_url(arguments, "token list"),
        lambda connection: listed_tokens(connection, arguments.user, with_ended=arguments.all),
    )
    if arguments.json:
        write_json([_as_json(row) for row in rows])
    else:
        write_output("\n".join(_lines(rows)) if rows else "no tokens")
    return 0


def _lines(rows: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    from stringd.plugin.terminal_programs import visible_line

    cells = [
        (
            row["id"],
            visible_line(row["user_id"]),
            ",".join(row["scopes"]),
            f"{row['created'].astimezone(UTC):%Y-%m-%d}",
            _state(row),
            visible_line(row["note"]),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return [line.rstrip() for line in padded]


def _state(row: Mapping[str, Any]) -> str:
    if row["revoked"]:
        return f"revoked {_moment(row['revoked'])}"
    return f"expired {_moment(row['expires'])}" if row["has_expired"] else _until(row["expires"])


def _until(expires: datetime | None) -> str:
    return f"expires {_moment(expires)}" if expires else "never expires"


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    times = {
        name: row[name].astimezone(UTC) if row[name] else None for name in ("created", "expires", "revoked")
    }
    return {
        "id": row["id"],
        "user_id": row["user_id"],
        "scopes": list(row["scopes"]),
        "note": row["note"],
        **{name: moment and moment.isoformat() for name, moment in times.items()},
    }


def _revoke(arguments: argparse.Namespace) -> int:
    from stringd_cluster.access.stored_tokens import revoke_tokens

    if (arguments.id is None) == (arguments.user is None):
        raise Fault("give the ID of a token, or --user for all tokens of a user", exit_code=MISUSE)
    revoked = run_with(
        connection_url(arguments, "token revoke"),
        lambda connection: revoke_tokens(connection, arguments.id, arguments.user),
    )
    if not revoked:
        whose = f"with the id {arguments.id}" if arguments.id else f"of user {arguments.user}"
        raise Fault(f"there is no valid token {whose}; `stringd token list --all` lists them")
    write_output("\n".join(f"revoked {it}" for it in revoked))
    return 0


def _configure(parser: argparse.ArgumentParser) -> None:
    from stringd.plugin.terminal_programs import user_argument

    parser.epilog = "They use the database of the cluster directly; no node needs to run."
    actions = parser.add_subparsers(metavar="action", required=True, parser_class=type(parser))
    create = actions.add_parser("create", help="create a token and print it, once")
    create.add_argument("--user", metavar="ID", type=user_argument, required=True, help="whose token it is")
    create.add_argument(
        "--expires",
        metavar="WHEN",
        default="never",
        help="after a time such as 12h, 30d or 8w, with a date such as 2026-12-31, or never (default)",
    )
    create.add_argument(
        "--scope",
        metavar="SCOPES",
        default="exec,read",
        help="what it permits: read, exec (includes read), admin (all); default: exec,read",
    )
    create.add_argument("--note", metavar="TEXT", default="", help="what the list says about it")
    create.set_defaults(act=_create)
    listing = actions.add_parser("list", help="list tokens, without anything of their secrets")
    listing.add_argument("--user", metavar="ID", type=user_argument, help="only those of this user")
    listing.add_argument("--all", action="store_true", help="revoked and expired ones, too")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(act=_list)
    revoke = actions.add_parser("revoke", help="revoke a token, or all of a user, on all nodes")
    revoke.add_argument("id", nargs="?", metavar="ID", help="the id of the token, such as t-0a1b2c3d")
    revoke.add_argument("--user", metavar="ID", type=user_argument, help="all tokens of this user")
    revoke.set_defaults(act=_revoke)


def _token(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


TOKEN = CliCommand(
    name="token",
    summary="Create, list and revoke the tokens with which clients use a cluster.",
    configure=_configure,
    run=_token,
)
