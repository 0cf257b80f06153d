"""SQL as plain text, and the commands `//tables`, `//schema` and `//use`."""

from __future__ import annotations

import re

from msgspec.structs import replace

from stringd.plugin import Command, CommandLine, Invocation, Refusal, Reply
from stringd_sqlite.tables import as_table
from stringd_sqlite.topic import FOLDER, MOST_ROWS, Database, Rows

_COMMAND = re.compile(r"/(?P<word>[A-Za-z]+)(?P<arguments>(?:\s.*)?)\Z", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LISTED = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
_MADE = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (?1 = '' OR name = ?1 OR tbl_name = ?1)"


async def run_text(invocation: Invocation) -> Reply:
    """Run plain text as SQL, which never begins with a slash and a letter, so `/tables` is a command."""
    typed = _COMMAND.match(invocation.line.text)
    if typed is None:
        return _reply(await _database(invocation).execute(invocation.line.text))
    command = {it.name: it for it in (SCHEMA, TABLES, USE)}.get(typed["word"].lower())
    if command is None:
        message = f"Neither SQL nor a command of databases: /{typed['word']}"
        raise Refusal("COMMAND_UNSUPPORTED", message, "Other commands begin with two slashes: //help")
    line = CommandLine(text=typed[0], word=typed["word"], arguments=typed["arguments"].strip())
    return await command.run(replace(invocation, line=line))


async def _tables(invocation: Invocation) -> Reply:
    database = _database(invocation)
    listed = (await database.execute(f"{_LISTED} ORDER BY name")).rows
    counted = [(name, kind, await _count(database, str(name))) for name, kind in listed]
    return Reply.page("Tables", as_table(("name", "type", "rows"), counted) if counted else "(none)")


async def _count(database: Database, name: str) -> object:
    quoted = name.replace('"', '""')
    try:
        return (await database.execute(f'SELECT count(*) FROM "{quoted}"')).rows[0][0]  # noqa: S608
    except Refusal as refusal:
        # A view may outlive its tables.
        return refusal.message


async def _schema(invocation: Invocation) -> Reply:
    name = invocation.line.arguments
    made = (await _database(invocation).execute(_MADE, name)).rows
    if name and not made:
        raise Refusal("NOT_FOUND", f"No such table: {name}", "//tables lists what there is.")
    statements = "\n".join(f"{sql};" for (sql,) in made)
    return Reply.page(f"Schema: {name}" if name else "Schema", f"```sql\n{statements}\n```")


async def _use(invocation: Invocation) -> Reply:
    name = invocation.line.arguments
    if not _NAME.fullmatch(name):
        raise Refusal(
            "INVALID_PAYLOAD", "A database has a name of letters, digits, _ and -.", f"Usage: {USE.usage}"
        )
    await _database(invocation).use(name)
    return Reply.confirmation(f"Using {FOLDER}/{name}.db")


def _database(invocation: Invocation) -> Database:
    assert isinstance(invocation.topic, Database)
    return invocation.topic


def _reply(rows: Rows) -> Reply:
    if not rows.columns:
        return Reply.confirmation("OK" if rows.changed < 0 else f"OK, {_counted(rows.changed)} changed")
    table = as_table(rows.columns, rows.rows)
    left = f"\n\n[only the first {MOST_ROWS} rows: use LIMIT and OFFSET]" if rows.more else ""
    return Reply.page("", table + left)


def _counted(number: int) -> str:
    return f"{number} row" if number == 1 else f"{number} rows"


_TYPES = frozenset({"sqlite"})
TABLES = Command(
    name="tables",
    summary="List the tables and views with their numbers of rows.",
    usage="//tables",
    run=_tables,
    topic_types=_TYPES,
    takes_arguments=False,
)
SCHEMA = Command(
    name="schema",
    summary="Show the definitions of all tables, or of one.",
    usage="//schema [table]",
    run=_schema,
    topic_types=_TYPES,
)
USE = Command(
    name="use",
    summary="Switch to another database; uncommitted changes are rolled back.",
    usage="//use name",
    run=_use,
    topic_types=_TYPES,
)
