"""Detection of media types, the same for files and responses from the network."""

from __future__ import annotations

from stringd.text.media_type_detection import (
    ANY_JSON,
    ANY_XML,
    BINARY,
    CODE,
    HTML,
    JSON_LINES,
    PLAIN,
    SVG,
    detect_media_type,
    document_name,
    extension_of,
    media_type_of_name,
    rendered_type_of_name,
    wide_encoding,
)

__all__ = [
    "ANY_JSON",
    "ANY_XML",
    "BINARY",
    "CODE",
    "HTML",
    "JSON_LINES",
    "PLAIN",
    "SVG",
    "detect_media_type",
    "document_name",
    "extension_of",
    "media_type_of_name",
    "rendered_type_of_name",
    "wide_encoding",
]
