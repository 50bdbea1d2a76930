"""Readings of small pages, for tests of what is in them."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.page.target import Target
from fixtures.site import Site

_DATA = "data:text/html;charset=utf-8,"
_prefixes = [_DATA]


@contextmanager
def served_by(site: Site) -> Iterator[None]:
    """In the block pages come from the site, for not everybody may visit a data: address."""
    _prefixes.append(site.url("/source?html="))
    try:
        yield
    finally:
        _prefixes.pop()


def markup(body: str) -> str:
    """Address of a page with this body."""
    return _prefixes[-1] + quote(f"<!doctype html><title>T</title><body>{body}")


def document(text: str) -> str:
    """Address of a page that is this and nothing else."""
    return _prefixes[-1] + quote(text)


async def read(browser: Browser, body: str) -> str:
    tab = await browser.new_tab(markup(body))
    return (await tab.snapshots.take(max_bytes=0)).text


async def read_all(browser: Browser, site: Site, bodies: Mapping[str, str]) -> dict[str, str]:
    """The readings of many small pages, one after the other in one tab.

    A tab for each costs 0.15 s of processor time beside the 0.1 s of its page. They come from the
    site because Chrome starts a process for every data: address.
    """
    tab = await browser.new_tab()
    texts = {}
    with served_by(site):
        for name, body in bodies.items():
            await tab.navigate(markup(body))
            texts[name] = (await tab.snapshots.take(max_bytes=0)).text
    return texts


def ref_of(text: str, name: str) -> str:
    found = re.search(rf'"{re.escape(name)}" \[ref=(\w+)\]', text)
    assert found, f"{name} has no ref in:\n{text}"
    return found[1]


def by_ref(tab: Tab, ref: str) -> Target:
    return Target(tab.frames.main, {"ref": int(ref.lstrip("e"))}, ref)


def by_selector(tab: Tab, selector: str) -> Target:
    return Target(tab.frames.main, {"selector": selector}, selector)
