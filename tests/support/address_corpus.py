"""Addresses that try to look like another host, made from a few real ones by every known trick.

The list is the same in every run. What an address means is not written here: the test asks Chrome.
"""

import random
from collections.abc import Callable, Iterator

_HOSTS = ("allowed.test", "evil.test", "sub.allowed.test", "straße.test", "127.0.0.1", "[::1]")
_WIDE = {ord("a") + n: 0xFF41 + n for n in range(26)} | {
    ord("0") + n: 0xFF10 + n for n in range(10)
}
_LOOKALIKES = str.maketrans({"a": "а", "e": "е", "o": "о", "l": "ӏ"})  # noqa: RUF001 -- Cyrillic
_INVISIBLE = ("\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u180e")
_BROKEN = ("%00", "%2f", "%23", "%40", "%5c", "%zz", "%", " ", "^", "|", "<", ">", "\x7f", "\x00")

Trick = Callable[[str, random.Random], str]

_TRICKS: tuple[Trick, ...] = (
    lambda host, r: host.upper(),
    lambda host, r: "".join(r.choice((c.upper(), c)) for c in host),
    lambda host, r: host + ".",
    lambda host, r: host + "..",
    lambda host, r: "." + host,
    lambda host, r: host.replace(".", "。"),
    lambda host, r: host.replace(".", "．"),  # noqa: RUF001 -- a full-width stop
    lambda host, r: host.replace(".", "｡"),
    lambda host, r: host.replace(".", "%2e"),
    lambda host, r: host.replace(".", "%E3%80%82"),
    lambda host, r: "".join(f"%{byte:02x}" for byte in host.encode()),
    lambda host, r: _percent_one(host, r),
    lambda host, r: host.translate(_WIDE),
    lambda host, r: host.translate(_LOOKALIKES),
    lambda host, r: _insert(host, r.choice(_INVISIBLE), r),
    lambda host, r: _insert(host, r.choice(_BROKEN), r),
    lambda host, r: _insert(host, r.choice("\t\n\r"), r),
    lambda host, r: f"allowed.test@{host}",
    lambda host, r: f"allowed.test:80@{host}",
    lambda host, r: f"allowed.test%40{host}",
    lambda host, r: f"{host}#@allowed.test",
    lambda host, r: f"{host}?@allowed.test",
    lambda host, r: f"{host}\\@allowed.test",
    lambda host, r: f"allowed.test\\@{host}",
    lambda host, r: f"allowed.test/@{host}",
    lambda host, r: f"{host}:{r.choice((0, 80, 443, 8080, 65535, 65536, 'x', '', '080', '-1'))}",
    lambda host, r: f"xn--{host}",
    lambda host, r: f"allowed.test.{host}",
    lambda host, r: f"allowedtest{host}",
    lambda host, r: host.replace("s", "ſ").replace("k", "K"),  # noqa: RUF001
    lambda host, r: "a" * 64 + "." + host,
    lambda host, r: _insert(host, "\ud800", r),
    lambda host, r: _insert(host, "😀", r),
)
_SLASHES = ("//", "//", "//", "/", "", "\\\\", "/\\", "////", "\t//", "/\n/")
_SCHEMES = ("http:", "https:", "HtTp:", "ht\ttp:", " http:", "ws:", "wss:", "ftp:")

_WRITTEN = (
    *("http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://127.1/"),
    *("http://0x7f.1/", "http://127.0.1/", "http://0177.0.0.1/", "http://127.0.0.1./"),
    *("http://256.1/", "http://1.2.3.4.5/", "http://0x/", "http://00/", "http://0/", "http://09/"),
    *("http://4294967295/", "http://4294967296/", "http://1.2.3.0x100/", "http://127.0.0.0x1/"),
    *("http://[::ffff:127.0.0.1]/", "http://[0:0:0:0:0:ffff:7f00:1]/", "http://[::127.0.0.1]/"),
    *(
        "http://[0000::0001]/",
        "http://[::1%25lo]/",
        "http://[::1]:80/",
        "http://[::1/",
        "http://::1/",
    ),
    *(
        "http://[fe80::1]/",
        "http://[::g]/",
        "http://[1::2::3]/",
        "http://[::1].test/",
        "http://[]/",
    ),
    *("http://①②⑦.⓪.⓪.①/", "http://１２７.０.０.１/", "http://0x７f.1/"),  # noqa: RUF001
    *(
        "http://faß.test/",
        "http://xn--fa-hia.test/",
        "http://xn--a/",
        "http://xn--/",
        "http://xn--0/",
    ),
    *(
        "http://\u0661.test/",
        "http://a\u0300.test/",
        "http://\u0300a.test/",
        "http://a\u200db.test/",
    ),
    *("http://-a.test/", "http://a-.test/", "http://a--b.test/", "http://_a.test/", "http://a_b/"),
    *("http:///allowed.test/", "http:allowed.test/", "http:/allowed.test/", "//allowed.test/"),
    *(
        "allowed.test",
        "allowed.test:80",
        "localhost:8080",
        "http://",
        "http:",
        "",
        " ",
        "http://@/",
    ),
    *("http://:80/", "http://a:b@/", "http://a@b@evil.test/", "http://a b.test/", "http://é.test/"),
    *("javascript:alert(1)", "data:text/html,<p>x", "about:blank", "about:srcdoc", "ABOUT:blank"),
    *("about:blank#x", "about:blank?x", "about:config", "about://allowed.test/"),
    *("blob:http://allowed.test/1-2", "blob:https://evil.test:8443/1", "blob:null/1", "blob:"),
    *("blob:blob:http://allowed.test/1", "blob:file:///etc/passwd", "blob:http://a@evil.test/1"),
    *("filesystem:http://allowed.test/temporary/x", "view-source:http://allowed.test/"),
    *(
        "file:///etc/passwd",
        "file://allowed.test/x",
        "file:etc",
        "chrome://version",
        "devtools://x/",
    ),
    *(
        "chrome-extension://abc/",
        "http+unix://x/",
        "intent://allowed.test/#x",
        "mailto:a@allowed.test",
    ),
    *(
        "urn:allowed.test",
        "foo://allowed.test/",
        "foo://ALLOWED.test:80/",
        "foo:///x",
        "h ttp://x/",
    ),
    *("ws://allowed.test/", "wss://allowed.test:443/", "ftp://allowed.test/", "1http://x/"),
    *("\u00a0http://allowed.test/", "\ufeffhttp://allowed.test/", "\x00http://allowed.test/"),
    *("http://allowed.test\x00.evil.test/", "http://allowed.test%00.evil.test/"),
    "http://" + "a." * 130 + "test/",
    "http://" + "a" * 300 + "/",
    "http://allowed.test/" + "x" * 5000,
)


def addresses() -> tuple[str, ...]:
    """All of them, each once."""
    return tuple(dict.fromkeys((*_WRITTEN, *_made())))


def _made() -> Iterator[str]:
    chance = random.Random(20260)
    for host in _HOSTS:
        for trick in _TRICKS:
            yield f"http://{trick(host, chance)}/"
            slashes, scheme = chance.choice(_SLASHES), chance.choice(_SCHEMES)
            yield f"{scheme}{slashes}{trick(host, chance)}/page"
            yield f"http://{trick(trick(host, chance), chance)}"


def _insert(host: str, what: str, chance: random.Random) -> str:
    place = chance.randrange(len(host) + 1)
    return host[:place] + what + host[place:]


def _percent_one(host: str, chance: random.Random) -> str:
    place = chance.randrange(len(host))
    return host[:place] + f"%{ord(host[place]) % 256:02X}" + host[place + 1 :]
