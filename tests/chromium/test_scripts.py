"""The caller's scripts in a real page: values, exceptions, and scripts that do not end."""

import math
from dataclasses import replace

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.errors import DeadlineExceeded, PageError
from bridge.page.quoting import quoted
from fixtures.site import Site
from tests.support.browsers import PATIENCE, Connect

pytestmark = [  # once: what is behind a session does not know how its browser is shared
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_HURRIED = replace(PATIENCE, evaluate=0.5)


async def test_values(browser: Browser) -> None:
    """Every kind of value arrives as the Python value that comes closest."""
    tab = await browser.new_tab()
    for script, value in (
        ("undefined", None),
        ("null", None),
        ("true", True),
        ("0.5", 0.5),
        ("12n", 12),
        ("Infinity", math.inf),
        ("'ünï 😀'", "ünï 😀"),
        ("'\\ud800!'", "\ufffd!"),
        ("({a: [1, {b: null}]})", {"a": [1, {"b": None}]}),
        ("[, 1]", [None, 1]),
        ("Promise.resolve(3)", 3),
        ("document.body", {}),
        ("() => 1", {}),
        ("new Map([[1, 2]])", {}),
        ("var x = 1; x + 1", 2),
        ("(async () => 4)()", 4),
    ):
        assert await tab.evaluate(script) == value, script
    assert math.isnan(float(str(await tab.evaluate("NaN"))))
    assert math.copysign(1, float(str(await tab.evaluate("-0")))) == -1


async def test_ten_megabytes(browser: Browser) -> None:
    """A value of 10 MB arrives whole, both ways."""
    tab = await browser.new_tab()
    assert len(str(await tab.evaluate("'x'.repeat(10e6)"))) == 10_000_000
    assert await tab.evaluate(f"'{'y' * 10_000_000}'.length") == 10_000_000


@pytest.mark.parametrize(
    ("scripts", "instead"),
    [
        (["await 1"], "(async () => { … })()"),
        (["const twice = 1", "const twice = 2"], "{ … }"),
        (["return 3"], "(() => { … })()"),
        (["if ("], "(JSON, a selector)."),
        (["throw new Error('x')"], "catch the error."),
    ],
)
async def test_what_consoles_take(browser: Browser, scripts: list[str], instead: str) -> None:
    """What a console takes and a script does not comes with the way to write it; else what next."""
    tab = await browser.new_tab()
    *before, last = scripts
    for script in before:
        await tab.evaluate(script)
    with pytest.raises(PageError) as refused:
        await tab.evaluate(last)
    assert refused.value.hint.endswith(instead)


_DEEP = "Array(400).fill().reduce((inner) => [inner], [])"
_THROWING = "({ get a() { throw 1 } })"


@pytest.mark.parametrize(
    "script", ["a = {}; a.a = a", "Symbol('x')", "window", _DEEP, _THROWING, f"[{_THROWING}]"]
)
async def test_no_value(browser: Browser, script: str) -> None:
    """A value that cannot leave the page says so, as the script's fault."""
    tab = await browser.new_tab()
    with pytest.raises(PageError, match="cannot leave the page") as refused:
        await tab.evaluate(script)
    assert refused.value.code == "EVAL_THREW"


_THROWN = {
    "throw 5": "5",
    "throw null": "null",
    "throw undefined": "undefined",
    "throw ''": "",
    "throw 'words'": "words",
    "throw 12n": "12n",
    "throw {a: 1}": "Object",
    "throw Symbol('q')": "Symbol(q)",
    "throw new Error('\\ud800')": "Error: \ufffd",
    "throw new Error('')": "Error",
    "no such(": "SyntaxError: Unexpected identifier 'such'",
    "nothing.here": "ReferenceError: nothing is not defined",
    "Promise.reject(new TypeError('late'))": "TypeError: late",
    "Promise.reject()": "undefined",
    "new Proxy({}, {get() { throw new Error('trap') }})": "Error: trap",
}


async def test_exceptions(browser: Browser) -> None:
    """Whatever is thrown is told in its own words."""
    tab = await browser.new_tab()
    heard = {}
    for script in _THROWN:
        with pytest.raises(PageError) as thrown:
            await tab.evaluate(script)
        heard[script] = thrown.value.code, str(thrown.value)
    assert heard == {
        script: ("EVAL_THREW", f"the script threw: {quoted(said)}")
        for script, said in _THROWN.items()
    }


async def test_long_exception(browser: Browser) -> None:
    """An exception of a megabyte is cut before it reaches a log or a model."""
    tab = await browser.new_tab()
    with pytest.raises(PageError) as thrown:
        await tab.evaluate("throw new Error('x'.repeat(1e6))")
    assert len(str(thrown.value)) + len(str(thrown.value.facts)) < 5_000


async def test_navigation_during_a_script(browser: Browser, site: Site) -> None:
    """A script whose page goes away says so, and the next one runs in the new page."""
    tab = await browser.new_tab(site.url("/form"))
    with pytest.raises(PageError, match="navigated while") as gone:
        await tab.evaluate("location.href = '/'; new Promise(() => {})")
    assert gone.value.code == "EVAL_THREW"
    assert (await tab.navigation.here()).url == site.url("/")


@pytest.mark.parametrize(
    "script",
    ["for (;;);", "new Promise(() => {})", "Promise.resolve().then(() => { for (;;); })"],
)
async def test_endless_scripts(browser: Browser, connect: Connect, script: str) -> None:
    """A script that does not end is a TIMEOUT; other tabs answer meanwhile, the page after it."""
    async with connect(timeouts=_HURRIED) as hurried:
        tab, other = await hurried.new_tab(), await hurried.new_tab()
        answers: list[object] = []

        async def ask_other() -> None:
            answers.append(await other.evaluate("1 + 1"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_other)
            with pytest.raises(DeadlineExceeded) as late:
                await tab.evaluate(script)
        assert late.value.facts["timeout"] == "evaluate"
        assert (answers, await tab.evaluate("1 + 1")) == ([2], 2)


async def test_loop_of_the_page(browser: Browser, connect: Connect) -> None:
    """A loop that the page itself runs costs one deadline; the next call works."""
    async with connect(timeouts=_HURRIED) as hurried:
        tab = await hurried.new_tab()
        await tab.evaluate("setTimeout(() => { for (;;); }, 0); 1")
        with pytest.raises(DeadlineExceeded):
            await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 50))")
        assert await tab.evaluate("1 + 1") == 2


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt"])
async def test_dialog_in_a_script(browser: Browser, kind: str) -> None:
    """A script that opens a dialog ends with DIALOG_OPEN at once, and so does the next."""
    tab = await browser.new_tab()
    with pytest.raises(PageError) as opened:
        await tab.evaluate(f"said = {kind}('Well?')")
    facts = {"type": kind, "message": "Well?", "url": "about:blank", "frame": tab.frames.main.id}
    assert (opened.value.code, opened.value.facts) == ("DIALOG_OPEN", facts)
    for call in (tab.evaluate("1"), tab.scripts.isolated("1")):
        with pytest.raises(PageError, match=kind):
            await call
    await tab.dialogs.answer(accept=True, text="yes")
    said = {"alert": None, "confirm": True, "prompt": "yes"}[kind]
    assert await tab.evaluate("said") == said


async def test_strict_policy(browser: Browser, site: Site) -> None:
    """The policy of a page does not stop our scripts."""
    tab = await browser.new_tab(site.url("/csp"))
    assert await tab.evaluate("document.title") == "Strict policy"
    assert await tab.scripts.isolated("document.title") == "Strict policy"


async def test_isolated_world(browser: Browser, site: Site) -> None:
    """Page and isolated world share the document, not one variable or patched function."""
    tab = await browser.new_tab(site.url("/form"))
    await tab.evaluate("document.querySelector = () => 'patched'; Array.prototype.map = null; 0")
    assert await tab.scripts.isolated("[document.querySelector('input').tagName].map(String)") == [
        "INPUT"
    ]
    await tab.scripts.isolated("globalThis.ours = 1")
    assert await tab.evaluate("'ours' in globalThis") is False
    await tab.navigate(site.url("/"))
    assert await tab.scripts.isolated("typeof ours") == "undefined"


async def test_many_at_once(browser: Browser) -> None:
    """Two hundred scripts at once in one page each get their own answer."""
    tab = await browser.new_tab()
    answers: dict[int, object] = {}

    async def ask(number: int) -> None:
        answers[number] = await tab.evaluate(f"Promise.resolve({number})")

    async with trio.open_nursery() as nursery:
        for number in range(200):
            nursery.start_soon(ask, number)
    assert answers == {number: number for number in range(200)}
