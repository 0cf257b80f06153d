"""Files: access within a user's boundary, open directories, regular files and atomic writes."""

from __future__ import annotations

from stringd.documents.editing.file_locks import finish
from stringd.documents.paths.user_files import HomeFiles, UserFiles
from stringd.files.atomic import write_atomically
from stringd.files.open_directory import Directory, made_folder, open_folder, status_of
from stringd.files.protected import OWN_PREFIX
from stringd.files.real_path import real_path
from stringd.files.regular_files import NotRegular, open_file, read_regular

__all__ = [
    "OWN_PREFIX",
    "Directory",
    "HomeFiles",
    "NotRegular",
    "UserFiles",
    "finish",
    "made_folder",
    "open_file",
    "open_folder",
    "read_regular",
    "real_path",
    "status_of",
    "write_atomically",
]
