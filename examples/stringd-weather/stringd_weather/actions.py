"""The action that needs two requests and is therefore coded in Python."""

from __future__ import annotations

from typing import Annotated, Any

import httpx

from stringd.plugin import Refusal
from stringd_app import Context, Param

SECONDS = 20.0


async def now(context: Context, place: Annotated[str, Param(description="Where", alias="p")]) -> str:
    """Tell the current weather of a place."""
    async with httpx.AsyncClient(timeout=SECONDS) as client:
        url = f"{context.secrets['GEOCODING_API']}/v1/search"
        found = (await _get(client, url, name=place, count=1)).get("results")
        if not found:
            raise Refusal(
                "NOT_FOUND", f"No such place: {place}", "/act.search --name <place> lists what there is."
            )
        city = found[0]
        forecast = await _get(
            client,
            f"{context.secrets['FORECAST_API']}/v1/forecast",
            latitude=city["latitude"],
            longitude=city["longitude"],
            current="temperature_2m,wind_speed_10m",
        )
    weather, units = forecast["current"], forecast["current_units"]
    temperature = f"{weather['temperature_2m']} {units['temperature_2m']}"
    wind = f"{weather['wind_speed_10m']} {units['wind_speed_10m']}"
    return f"{city['name']}, {city['country']}: {temperature}, wind {wind}"


async def _get(client: httpx.AsyncClient, url: str, **query: str | float) -> dict[str, Any]:
    try:
        response = await client.get(url, params=query)
    except httpx.HTTPError as error:
        raise Refusal("ACTION_FAILED", f"No answer from {url}: {error}") from error
    if response.is_error:
        raise Refusal("ACTION_FAILED", f"{response.status_code} from {url}", response.text[:500])
    answer: dict[str, Any] = response.json()
    return answer
