"""Our own JavaScript, as one script: everything in `js/`, in one closure of the isolated world.

The script makes an object, `lib`, whose methods are what Python calls. It never touches the page's
own world, and leaves nothing in the isolated one either but second names of properties
(`overlaid.py`) and itself, for frames to take: the object is held by its handle.
"""

from functools import cache
from importlib.resources import files

from bridge.page.overlaid import past_overlays, second_names

ORDER = (
    "clock",
    "refs",
    "text",
    "tree",
    "letters",
    "joints",
    "areas",
    "visible",
    "clips",
    "ink",
    "internals",
    "roles",
    "pseudo",
    "labels",
    "names",
    "states",
    "suspects",
    "walk",
    "brief",
    "covered",
    "veiled",
    "maths",
    "spans",
    "settle",
    "snapshot",
    "seen",
    "elements",
    "texts",
    "markup",
    "content",
    "links",
    "finding",
    "waiting",
    "ready",
    "hit",
    "shapes",
    "refusals",
    "changes",
    "placing",
    "press",
    "replaced",
    "forms",
    "keys",
    "fields",
    "called",
    "choosing",
    "scrolling",
    "files",
    "storage",
)
"""Files of `js/`, without their ending; a later one may use the functions of an earlier one."""

FIRST = "overlaid"
"""What comes before them all."""

ALONE = ("hush",)
"""Scripts of their own, for the page's own world."""

# A child of the same origin takes it from its parent: 3 ms instead of the 12 it takes to send it.
# The key is a symbol, for which no element of the page can stand in.
_HEAD = """(function library() {
"use strict";
globalThis[Symbol.for("chrome-bridge")] = library;
const lib = {};
"""

# Every answer carries the next free number, so that the next document of the frame goes on there.
_TAIL = """
const answer = (value) => [nextNumber, value ?? null];
const failed = (error) => {
  if (!(error instanceof Failure)) throw error;
  return [nextNumber, null, error.code, error.message, error.facts];
};
lib.call = (name, base, frame, args) => {
  nextNumber = Math.max(nextNumber, base);
  firstNumber ||= nextNumber;
  prefix = frame;
  wasCalled = true;
  try {
    const value = lib[name](...args);
    return value instanceof Promise ? value.then(answer, failed) : answer(value);
  } catch (error) {
    return failed(error);
  }
};
lib.hand = (name, args) => lib[name](...args);
return lib;
})()
"""

BORROW = """(() => {
  try {
    return (0, eval)(`(${parent[Symbol.for("chrome-bridge")].toString()})()`);
  } catch {
    return null; // of another origin, or without a library
  }
})()
"""
CALL = "function (name, base, frame, ...args) { return this.call(name, base, frame, args); }"
REHEARSAL = "function () { this.rehearse(); }"
HAND = "function (name, ...args) { return this.hand(name, args); }"


@cache
def source() -> str:
    """The script; its value is the library object."""
    scripts = past_overlays("\n".join(map(script, ORDER)))
    return lean(_HEAD + script(FIRST) + second_names() + scripts + _TAIL)


def lean(script: str) -> str:
    """Without what people read it by: a sixth less to be sent to each document.

    No text in our scripts goes over more than one line. Letters beyond ASCII are told by their
    numbers: for the sake of one, Chrome takes two bytes for each of all the others.
    """
    lines = (line.strip() for line in script.splitlines())
    kept = "\n".join(line for line in lines if line and not line.startswith("//"))
    return kept.encode("ascii", "backslashreplace").decode("ascii")


@cache
def script(name: str) -> str:
    """One file of `js/`."""
    return (files("bridge.page") / "js" / f"{name}.js").read_text(encoding="utf-8")
