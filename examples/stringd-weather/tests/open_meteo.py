"""A server on loopback that answers like Open-Meteo."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

PLACES = [
    {"id": 1835848, "name": "Seoul", "latitude": 37.566, "longitude": 126.9784, "country": "South Korea"},
    {"id": 1835847, "name": "Seoul", "latitude": 37.5833, "longitude": 127.0, "country": "South Korea"},
    {
        "id": 5128581,
        "name": "New York",
        "latitude": 40.7143,
        "longitude": -74.006,
        "country": "United States",
    },
]
DAILY = ("temperature_2m_max", "temperature_2m_min")


def search(query: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """`/v1/search`: without a match there are no results, not even an empty list."""
    if "name" not in query:
        return 400, {"error": True, "reason": "Parameter 'name' is missing"}
    found = [it for it in PLACES if str(it["name"]).lower().startswith(query["name"].lower())]
    found = found[: int(query.get("count", 10))]
    return 200, {**({"results": found} if found else {}), "generationtime_ms": 0.4}


def forecast(query: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """`/v1/forecast`: the requested values with their units."""
    latitude = float(query["latitude"])
    if not -90 <= latitude <= 90:
        reason = f"Latitude must be in range of -90 to 90°. Given: {latitude}."
        return 400, {"error": True, "reason": reason}
    answer: dict[str, Any] = {"latitude": latitude, "longitude": float(query["longitude"])}
    if "current" in query:
        answer["current_units"] = {"temperature_2m": "°C", "wind_speed_10m": "km/h"}
        answer["current"] = {"time": "2026-11-18T12:00", "temperature_2m": 7.5, "wind_speed_10m": 11.2}
    if query.get("daily"):
        days = range(int(query.get("forecast_days", 7)))
        answer["daily"] = {"time": [f"2026-11-{18 + day}" for day in days]}
        answer["daily"] |= {name: [place + day for day in days] for place, name in enumerate(DAILY)}
    return 200, answer


class OpenMeteo:
    """The server; `queries` are the received queries, in order."""

    def __init__(self) -> None:
        self.queries: list[tuple[str, dict[str, str]]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = dict(parse_qsl(url.query, keep_blank_values=True))
                service.queries.append((url.path, query))
                answers = {"/v1/search": search, "/v1/forecast": forecast}
                answer = answers.get(url.path)
                status, body = answer(query) if answer else (404, {"error": True, "reason": "Not Found"})
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
