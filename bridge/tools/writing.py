r"""How a secret may be written in what comes out: escaped for an address, JSON or HTML, in base64,
in other letters.

Sign by sign, for each of those escapes other signs, and not all of them. An escape may have been
escaped in its turn (an address in an address, JSON in JSON): `&` is `%26`, `%2526` or `%252526`,
and `"` has one, three or seven backslashes. What may repeat has a limit, or is kept once it is
matched: no text takes longer than its length asks for.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

_FRAGMENT = 8  # characters of base64 that are no coincidence
_START = 6  # characters of a value that are none where a text was cut
_KNOWN = 60  # characters of a value that are looked for at once there
_NEAR = 20 * _KNOWN  # characters that so many may have become
_ANY_CASE = 6  # characters of a value that are no other word in other letters
_CUT = re.compile(r"…|\\u2026")  # what every text has where it was cut, and in JSON
_ALPHABETS = ("cp1252", "cp1250", "cp1251")  # bytes of a page that is not in UTF-8
_EAST_ASIAN = ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr")
_FIRST_EAST_ASIAN = "\u2e80"
# An escape that was cut in two.
_TORN = (
    r"(?:%(?:25){0,2}26%(?:25){0,2}23\d{0,7}(?:%(?:25){0,2}3?)?|%(?:25){0,2}u[0-9A-Fa-f]{0,4}"
    r"|(?:%(?:25){0,2}[0-9A-Fa-f]{0,2}){1,4}|&(?:amp;){0,2}\#?\w{0,6}|\\{1,8}\w{0,4})?"
)
_END = f"{_TORN}(?={_CUT.pattern})"
# An escape in a value may change its letters; of its backslashes nobody knows which are doubled.
_SIGN = re.compile(r"%[0-9A-Fa-f]{2}|\\+|\r\n?|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_.-]")  # what nobody escapes
_MARKS = "_.-"  # but Markdown
_ROUND = {"[": [r"\("], "]": [r"\)"]}  # in a list of links, where words forge no mark
_ODD = re.compile(r"[\\&%]")  # what an escape may begin with
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos", "\xa0": "nbsp"}
_BASE64 = (base64.b64encode, base64.urlsafe_b64encode)
_PERCENT = "%(?:25){0,2}"
_AMPERSAND = "&(?:amp;){0,2}"
_BACKSLASH = rf"(?:\\|{_PERCENT}5[cC])"
_BACKSLASHES = (r"\\" + _BACKSLASH + "{0,6}+", f"{_PERCENT}5[cC]{_BACKSLASH}{{0,6}}+")
Ways = list[str]
"""How one sign of a value may be written: patterns, each of which begins with a character."""


class Written:
    """The values by name, found in texts; there is at least one."""

    def __init__(self, values: Mapping[str, str]) -> None:
        forms = [(form, name) for name, value in values.items() for form in _forms(value)]
        self._forms = sorted(
            forms, key=lambda each: len(each[0]), reverse=True
        )  # the longest first
        self._whole = _Pattern(
            [(form[0], "".join(map(_either, form[1:])), name) for form, name in self._forms]
        )

    def replaced(self, text: str) -> str:
        """The text with names for values."""
        told = self._whole.replaced(text)
        if not _CUT.search(told):
            return told
        return self._ends.replaced(self._cut.replaced(self._long.replaced(told)))

    @cached_property
    def _cut(self) -> "_Pattern":
        """What may be left of them where a text that held them was cut."""
        forms = [(form, name) for form, name in self._forms if len(form) > _START]
        return _Pattern([(form[0], _start(form) + _END, name) for form, name in forms])

    @cached_property
    def _long(self) -> "_Several":
        """The same of values of which more may be left than is looked for at once."""
        return _Several(
            [(_Followed(form), name) for form, name in self._forms if len(form) > _KNOWN]
        )

    @cached_property
    def _ends(self) -> "_Several":
        """What may be left of them behind a cut: of some long texts the middle is left out."""
        return _Several([(_End(form), name) for form, name in self._forms if len(form) > _START])


class _Pattern:
    """Any of many forms, each by its first sign, a pattern of what follows, and whose it is.

    It begins with a choice of characters, and none of them comes twice: found ten times sooner than
    where it begins with a choice of ways (20 secrets in 200 KB of text). The empty group that is
    met last tells whose a form is.
    """

    def __init__(self, forms: Sequence[tuple[Ways, str, str]]) -> None:
        begun: dict[str, list[tuple[str, str]]] = {}
        for first, rest, name in forms:
            for way in first:
                length = 2 if way[0] == "\\" else 1
                begun.setdefault(way[:length], []).append((way[length:] + rest, name))
        self._names = [name for rests in begun.values() for _, name in rests]
        parts = [
            f"{sign}(?:{'|'.join(f'{rest}()' for rest, _ in rests)})"
            for sign, rests in begun.items()
        ]
        self._found = re.compile("|".join(parts) or r"(?!)")

    def replaced(self, text: str) -> str:
        """The text with names for forms."""
        return self._found.sub(
            lambda found: f"{{{{{self._names[(found.lastindex or 1) - 1]}}}}}", text
        )


class _Several:
    """Forms that are looked for one after the other, and whose they are."""

    def __init__(self, forms: "Sequence[tuple[_Followed | _End, str]]") -> None:
        self._forms = forms

    def replaced(self, text: str) -> str:
        """The text with names for what is left of them."""
        for form, name in self._forms:
            text = form.replaced(text, f"{{{{{name}}}}}")
        return text


class _Followed:
    """A form too long for one pattern, where a cut has ended it: begun, and followed to there.

    What only begins like it costs as much as could be followed: a page may be full of that. It is
    in pieces of some signs each, which are made when they are needed.
    """

    def __init__(self, form: Sequence[Ways]) -> None:
        self._begun = re.compile("".join(map(_either, form[:_KNOWN])))
        self._pieces = [form[n : n + _KNOWN] for n in range(_KNOWN, len(form), _KNOWN)]
        self._made: dict[int, tuple[re.Pattern[str], re.Pattern[str]]] = {}

    def replaced(self, text: str, name: str) -> str:
        """The text with this name for what is left of it."""
        kept, place = [], 0
        for found in self._begun.finditer(text):
            end = self._end(text, found.end()) if found.start() >= place else None
            if end is not None:
                kept += [text[place : found.start()], name]
                place = end
        return "".join([*kept, text[place:]])

    def _end(self, text: str, place: int) -> int | None:
        """Where it was cut, if that is all there is from here to there."""
        for number in range(len(self._pieces)):
            cut, whole = self._piece(number)
            if found := cut.match(text, place):
                return found.end()
            if (found := whole.match(text, place)) is None:
                return None
            place = found.end()
        return None

    def _piece(self, number: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Some of a piece and the cut, and all of it."""
        if number not in self._made:
            signs = self._pieces[number]
            whole = "".join(map(_either, signs))
            self._made[number] = re.compile(_some(signs) + _END), re.compile(whole)
        return self._made[number]


class _End:
    """A form whose end stands behind a cut: found by its last signs, and followed back to there."""

    def __init__(self, form: Sequence[Ways]) -> None:
        self._last = re.compile("".join(map(_either, form[-_START:])))
        before = ""
        for sign in form[-_KNOWN:-_START]:
            before = f"(?:{before}{_either(sign)})?"
        self._before = re.compile(before)

    def replaced(self, text: str, name: str) -> str:
        """The text with this name for the end of it."""
        kept, place = [], 0
        for found in self._last.finditer(text):
            begin = self._begin(text, found.start())
            if begin is None:
                continue
            if begin >= place:  # else it is more of the same end
                kept += [text[place:begin], name]
            place = found.end()
        return "".join([*kept, text[place:]])

    def _begin(self, text: str, end: int) -> int | None:
        """Where the cut was, if there is only more of the form from there to here."""
        near = text[max(end - _NEAR, 0) : end]
        cuts = [cut.end() for cut in _CUT.finditer(near)]
        if not cuts or self._before.fullmatch(near, cuts[-1]) is None:
            return None
        return end - len(near) + cuts[-1]


def _start(form: Sequence[Ways]) -> str:
    """Of what follows its first sign: some of it, and any number of those behind."""
    return "".join(map(_either, form[1:_START])) + _some(form[_START:_KNOWN])


def _some(signs: Sequence[Ways]) -> str:
    """Any number of these, from the first."""
    more = ""
    for sign in reversed(signs):
        more = f"(?:{_either(sign)}{more})?"
    return more


def _either(ways: Ways) -> str:
    return f"(?:{'|'.join(ways)})" if len(ways) > 1 else ways[0]


def _forms(value: str) -> Iterator[list[Ways]]:
    """How a value may come back: its signs, one after the other."""
    one_line = " ".join(value.split())  # as our own sentences quote it
    joined = "".join(value.splitlines())  # as a field of one line takes it
    for plain in dict.fromkeys((value, one_line, value.strip(), joined)):
        yield list(_signs(plain, any_case=len(plain) >= _ANY_CASE))
        if _ODD.search(plain):  # it may look escaped: what it is taken for is not what it is
            yield [[re.escape(each)] for each in plain]
    encoded: list[str] = []
    for sent in dict.fromkeys((value, "\r\n".join(value.splitlines()))):
        data = sent.encode(errors="replace")
        encoded += [encode(data).decode() for encode in _BASE64]
        for encode in _BASE64:
            for offset in range(3):
                encoded += _fragment(encode(b"\0" * offset + data).decode(), offset, len(data))
    for text in dict.fromkeys(encoded):
        yield list(_signs(text, any_case=False))


def _signs(text: str, *, any_case: bool) -> Iterator[Ways]:
    """What is painted may be in capitals, and the name of a host is in small letters."""
    after = False  # a backslash
    for sign in _SIGN.findall(text):
        if len(sign) > 1 and sign[0] == "%":
            yield _escape(sign)
        elif sign[0] == "\\":
            yield _backslashes(len(sign))
        elif sign[0] in "\r\n":
            yield _line_end(after=after)
        else:
            cases = (sign, sign.lower(), sign.upper()) if any_case else (sign,)
            yield [way for each in dict.fromkeys(cases) for way in _ways(each, after=after)]
        after = sign[0] == "\\"


def _escape(sign: str) -> Ways:
    """Of a `%2f` that is part of the value itself."""
    other = [way for way in _ways("%", after=False) if way[0] != "%"]
    return [_PERCENT + _in_hex(sign[1:]), *(way + _in_hex(sign[1:]) for way in other)]


def _backslashes(count: int) -> Ways:
    """Of so many: there are as many or more of them, and those of the next sign's escape."""
    one = [r"\\\\{0,6}u005[cC]", r"\\\\{0,6}x5[cC]", *_entities("\\"), f"{_PERCENT}5[cC]", r"\\"]
    more = f"{_either(one)}{{{count - 1},{16 * count - 1}}}+"
    return [way + more for way in one]


def _line_end(*, after: bool) -> Ways:
    """Forms send CR and LF for one; in HTML, Markdown and lists more may begin the next line.

    No two of these fit the same text, for a value may have many lines.
    """
    drawn = [rf"{end}[ \t>]*" for end in (r"\n", r"\r\n?+", r"<br>\n?+")]
    feed = [way for way in _ways("\n", after=after) if way != re.escape("\n")]
    back = [way for way in _ways("\r", after=after) if way != re.escape("\r")]
    return [*drawn, *feed, *(f"{way}{_either(feed)}?+" for way in back)]


def _ways(sign: str, *, after: bool) -> Ways:
    """Patterns of one sign, in whatever it may have been escaped for.

    `after` backslashes, those of its own escape have been matched with them.
    """
    if len(sign) > 1 or _PLAIN.fullmatch(sign):  # `ß` is more than one in capitals
        itself = re.escape(sign)
        return [itself, rf"\\{itself}"] if sign in _MARKS else [itself]
    data = sign.encode(errors="replace")
    plain = ["".join(_PERCENT + _in_hex(f"{byte:02x}") for byte in data), *_entities(sign)]
    plain += [r"\+"] if sign == " " else []
    plain += [re.escape(sign)] if sign != "%" else []
    units = json.dumps(sign)[1:-1].split("\\u")[1:] or [f"{ord(sign):04x}"]
    codes = [f"{_BACKSLASH}{{1,7}}+".join(f"u{_in_hex(each)}" for each in units)]
    codes += [f"x{_in_hex(f'{ord(sign):02x}')}"]
    short = json.dumps(sign)[1:-1]
    codes += [short[1]] if len(short) == 2 and short[1] != sign else []  # \n
    escaped = _either([*plain, *codes])
    others = _ROUND.get(sign, []) if sign.isascii() else [_in_old_pages(sign, units)]
    return [*plain, *others, *(codes if after else ()), *(each + escaped for each in _BACKSLASHES)]


def _in_old_pages(sign: str, units: list[str]) -> str:
    """In an address that a form of a page not in UTF-8 makes, or a script with `escape`.

    What the page's letters have no sign for is sent as an entity.
    """
    ways = [f"26{_PERCENT}23{ord(sign)}{_PERCENT}3[bB]"]
    ways.append(_PERCENT.join(f"u{_in_hex(each)}" for each in units))
    for charset in _EAST_ASIAN if sign >= _FIRST_EAST_ASIAN else _ALPHABETS:
        with suppress(UnicodeEncodeError):
            ways.append("".join(map(_byte, sign.encode(charset))).removeprefix(_PERCENT))
    return f"{_PERCENT}(?:{'|'.join(dict.fromkeys(ways))})"


def _byte(byte: int) -> str:
    sign = chr(byte)
    return sign if sign.isascii() and sign.isalnum() else _PERCENT + _in_hex(f"{byte:02x}")


def _entities(sign: str) -> Ways:
    number = ord(sign)
    names = [rf"\#0{{0,6}}{number};", rf"\#[xX]0{{0,6}}{_in_hex(f'{number:x}')};"]
    names += [f"{_ENTITIES[sign]};"] if sign in _ENTITIES else []
    return [_AMPERSAND + name for name in names]


def _in_hex(digits: str) -> str:
    """With either kind of letters."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in digits)


def _fragment(encoded: str, offset: int, length: int) -> Iterator[str]:
    """The part of a base64 text that is there whatever comes before and after the value."""
    begin, end = -(-offset * 8 // 6), (offset + length) * 8 // 6
    if end - begin >= _FRAGMENT:
        yield encoded[begin:end]
