"""JSON lines and Parquet files: records of named values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import reason_of, shown
from lapoleaf._progress import Progress
from lapoleaf.inputs.encodings import encoding_of, text_of
from lapoleaf.inputs.headers import named_columns
from lapoleaf.inputs.sources import Source
from lapoleaf.inputs.typed import column_of_objects, joined

if TYPE_CHECKING:
    import pyarrow as pa

_RECORDS_AT_A_TIME = 5_000

Columns = dict[str, Any]


def read_parquet(source: Source) -> Columns:
    """Return the columns of a Parquet file."""
    arrow, parquet = imported("pyarrow"), imported("pyarrow.parquet")
    try:
        with source.opened() as (file, _):
            table = parquet.read_table(file)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(f"{source.name} is a broken Parquet file: {reason_of(error)}.") from error
    names = [name for name in table.column_names if not name.startswith("__index_level_")]
    columns = [table.column(table.column_names.index(name)) for name in names]
    return dict(zip(named_columns(names), columns, strict=True))


def read_json(source: Source, verbose: int = 0) -> Columns:
    """Return the columns of a file of JSON objects, one a line or all in one list."""
    parts: dict[str, list[pa.Array]] = {}
    arrow = imported("pyarrow")
    n_rows = 0
    records = _records(source, verbose)
    while block := list(islice(records, _RECORDS_AT_A_TIME)):
        names = dict.fromkeys(name for record in block for name in record)
        for name in names:
            if name not in parts:
                parts[name] = [arrow.nulls(n_rows)] if n_rows else []
        for name, found in parts.items():
            found.append(column_of_objects([record.get(name) for record in block]))
        n_rows += len(block)
    if not n_rows:
        raise ValueError(f"{source.name} has no rows.")
    columns = {name: joined(found) for name, found in parts.items()}
    return dict(zip(named_columns(list(columns)), columns.values(), strict=True))


def _records(source: Source, verbose: int) -> Iterator[dict[str, Any]]:
    encoding = encoding_of(source).name
    with text_of(source, encoding) as (text, stored):
        first = text.read(1)
        while first.isspace():
            first = text.read(1)
    with text_of(source, encoding) as (text, stored):
        if first == "[":
            yield from _listed(source, text.read())
            return
        progress = Progress(f"Reading {source.name}", max(source.size, 1), verbose)
        for number, line in enumerate(text, 1):
            if line.strip():
                yield _object(source, line, f"line {number}")
            if number % _RECORDS_AT_A_TIME == 0:
                progress.advance(max(0, min(stored.tell(), progress.total) - progress.done))
        progress.finish()


def _listed(source: Source, text: str) -> Iterator[dict[str, Any]]:
    records = _parsed(source, text, "the list")
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise ValueError(
                f"record {number} of {source.name} is not a JSON object: {shown(record)}."
            )
        yield record


def _object(source: Source, line: str, place: str) -> dict[str, Any]:
    record = _parsed(source, line, place)
    if not isinstance(record, dict):
        raise ValueError(
            f"{place} of {source.name} is not a JSON object with names and values: {shown(record)}."
        )
    return record


def _parsed(source: Source, text: str, place: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_checked_pairs)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{place} of {source.name} is not JSON: {error.msg} at character {error.colno}; every "
            f"line must be one object."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} of {source.name} cannot be read: {reason_of(error)}.") from error


def _checked_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {shown(twice)} is used twice")
    return record
