"""Results in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def table(title: str, rows: Sequence[Mapping[str, Any]], notes: Sequence[str] = ()) -> str:
    """A table with a title, and sentences below. Every word is escaped: titles and keys come from files."""
    parts = [f"<p><strong>{escape(title)}</strong></p>"]
    if rows:
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in rows[0])
        body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    parts.extend(f"<p>{escape(note)}</p>" for note in notes)
    return f"<div>{''.join(parts)}</div>"


def live(html: str) -> str:
    """A whole page of this package in a frame of its own, whose scripts reach neither the notebook nor anything else."""
    return (
        '<iframe sandbox="allow-scripts" title="inbounds" style="width: 100%; height: 60em; border: 0"'
        f' srcdoc="{escape(html, quote=True)}"></iframe>'
    )


def page(html: str) -> str:
    """A whole page in a frame of its own, in which no script runs."""
    return (
        '<iframe sandbox="" title="inbounds" style="width: 100%; height: 40em; border: 0"'
        f' srcdoc="{escape(html, quote=True)}"></iframe>'
    )


def _cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"<td>{escape('' if value is None else str(value))}</td>"
    return f'<td style="text-align: right">{value:,.4g}</td>' if isinstance(value, float) else f"<td>{value:,}</td>"
