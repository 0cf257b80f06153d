"""The database that the pages about clusters take for granted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.conftest import postgres as postgres
from tests.cluster.engine import SUPERUSER, Engine

_OWNER = "stringd"


@pytest.fixture
def database_folder(postgres: Engine) -> Iterator[Path]:
    """The directory of the socket of a PostgreSQL with a user and an empty database, both named stringd."""
    postgres.sql(f"CREATE ROLE {_OWNER} LOGIN CREATEDB", database=SUPERUSER)
    postgres.sql(f"CREATE DATABASE {_OWNER} OWNER {_OWNER}", database=SUPERUSER)
    yield postgres.folder
    owned = f"SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = '{_OWNER}'"
    for name in postgres.sql(owned, database=SUPERUSER).split():
        postgres.drop_database(name)
    postgres.sql(f"DROP ROLE {_OWNER}", database=SUPERUSER)
