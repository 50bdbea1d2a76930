"""Hides what gives access to somebody's account, in headers, addresses and bodies. Pure.

It goes by names, for nothing else tells a token from any other text: headers that carry
credentials, cookies, and fields called password, token and the like.
"""

import re
from collections.abc import Mapping

HIDDEN = "(hidden)"

_SECRETS = "passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|credential|otp"
# Nothing is given back of what was read: a page can write names that would be tried again for ever.
_RUN = r"[\w.\[\]%$:+-]*+"  # browsers write user[password] as user%5Bpassword%5D
_NAME = rf"(?={_RUN}=)(?=[\w.\[\]%$:+-]*?(?:{_SECRETS})){_RUN}"
_HEADER = re.compile(rf"auth|session|csrf|xsrf|signature|{_SECRETS}", re.I)
_PLAIN_HEADERS = frozenset({"www-authenticate", "proxy-authenticate"})
_PARAMETER = re.compile(rf"(?P<name>[?&#;]{_NAME})=[^&#;\s]*+", re.I)
_USER = re.compile(r"(?<=//)[^/?#@\s]+@")
_FORM = re.compile(rf"(?P<name>(?:^|&){_NAME})=[^&\s]*+", re.I)
_KEY = rf'(?=[^"\\\r\n]*?(?:{_SECRETS}))[^"\\\r\n]{{0,200}}+'
_NUMBER = r"-?\d[\d.eE+-]*"
_JSON = re.compile(
    r'(?P<name>"(?=[^"\\\r\n]{0,200}+"\s*+:)'
    rf'{_KEY}"\s*+:\s*+)(?:"(?:[^"\\]|\\.)*+"|{_NUMBER})',
    re.I,
)
_NESTED = re.compile(  # the same as text within JSON, its quotes escaped
    r'(?P<name>\\"(?=[^"\\\r\n]{0,200}+\\"\s*+:)'
    rf'{_KEY}\\"\s*+:\s*+)(?:\\"(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))*+\\"|{_NUMBER})',
    re.I,
)
_LINE = r"[^\r\n]{0,1000}+"
_PART = re.compile(
    rf'(?P<name>^content-disposition:[^\r\n]{{0,200}}?\bname="{_KEY}"{_LINE}'
    rf"(?:\r?\n(?!\r?\n){_LINE}){{0,10}}+\r?\n\r?\n).*?(?=\r?\n--|\Z)",
    re.I | re.S | re.M,
)


def masked_headers(headers: Mapping[str, str]) -> list[str]:
    """`name: value` lines in the order of their names; cookies keep their names."""
    lines = []
    for name, value in sorted(headers.items(), key=lambda item: item[0].lower()):
        for each in value.split("\n"):
            lines.append(f"{name.lower()}: {_masked_value(name.lower(), each)}")
    return lines


def masked_url(url: str) -> str:
    """An address without user and password, or values of parameters that sound like secrets."""
    return _PARAMETER.sub(_hide_parameter, _USER.sub(f"{HIDDEN}@", url))


def masked_body(text: str) -> str:
    """A form, JSON or multipart body without the values of fields that sound like secrets."""
    hidden = _JSON.sub(rf'\g<name>"{HIDDEN}"', text)
    hidden = _NESTED.sub(rf'\g<name>\\"{HIDDEN}\\"', hidden)
    hidden = _PART.sub(rf"\g<name>{HIDDEN}", hidden)
    return _FORM.sub(rf"\g<name>={HIDDEN}", hidden)


def _hide_parameter(found: re.Match[str]) -> str:
    return f"{found['name']}={HIDDEN}"


def _masked_value(name: str, value: str) -> str:
    if name == "cookie":
        return "; ".join(f"{pair.partition('=')[0].strip()}={HIDDEN}" for pair in value.split(";"))
    if name == "set-cookie":
        pair, semicolon, attributes = value.partition(";")
        return f"{pair.partition('=')[0].strip()}={HIDDEN}{semicolon}{attributes}"
    if _HEADER.search(name) and name not in _PLAIN_HEADERS:
        return HIDDEN
    return masked_url(value)
