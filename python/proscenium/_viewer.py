"""Clips in a notebook: a moving picture that one can turn, without a network."""

import html as _html
import json as _json
from importlib import resources as _resources

#: More animations than these are too small to be seen in one picture.
MOST = 9


def html(clips: list[str]) -> str:
    """One frame of a page that plays clips, given as JSON, side by side."""
    page = _resources.files(__package__).joinpath("_viewer.html").read_text(encoding="utf-8")
    # `</` would end the script early, if a name had it.
    data = _json.dumps([_json.loads(clip) for clip in clips[:MOST]]).replace("</", "<\\/")
    page = page.replace("/*CLIPS*/[]", data)
    height = 300 if len(clips) <= 1 else 480
    return (
        f'<iframe srcdoc="{_html.escape(page, quote=True)}" sandbox="allow-scripts" '
        f'style="width: 100%; height: {height}px; border: 0" title="an animation"></iframe>'
    )
