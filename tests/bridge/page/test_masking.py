"""Nothing that gives access to an account is shown."""

import time

import pytest

from bridge.page.masking import masked_body, masked_headers, masked_url


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "proxy-authorization",
        "X-Auth-Token",
        "X-API-Key",
        "x-csrf-token",
        "x-session",
    ],
)
def test_credential_headers(name: str) -> None:
    """Headers that carry credentials show only that they were there."""
    assert masked_headers({name: "CANARY"}) == [f"{name.lower()}: (hidden)"]


def test_cookies_keep_their_names() -> None:
    """Cookies show names and attributes, one line for each that is set."""
    assert masked_headers({"Cookie": "a=CANARY; b=CANARY"}) == ["cookie: a=(hidden); b=(hidden)"]
    assert masked_headers({"Set-Cookie": "a=CANARY; Path=/\nb=CANARY"}) == [
        "set-cookie: a=(hidden); Path=/",
        "set-cookie: b=(hidden)",
    ]


def test_other_headers() -> None:
    """Everything else is shown, in the order of the names; a challenge holds no secret."""
    assert masked_headers({"B": "2", "a": "1", "WWW-Authenticate": "Basic"}) == [
        "a: 1",
        "b: 2",
        "www-authenticate: Basic",
    ]
    assert masked_headers({"Location": "/x?token=CANARY"}) == ["location: /x?token=(hidden)"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://a/?q=1&access_token=CANARY&z=2", "http://a/?q=1&access_token=(hidden)&z=2"),
        ("http://a/#id_token=CANARY", "http://a/#id_token=(hidden)"),
        ("http://a/?apiKey=CANARY", "http://a/?apiKey=(hidden)"),
        ("http://a/?user%5Btoken%5D=CANARY", "http://a/?user%5Btoken%5D=(hidden)"),
        ("http://me:CANARY@a/x@y", "http://(hidden)@a/x@y"),
        ("http://a/token/b?q=token", "http://a/token/b?q=token"),
    ],
)
def test_addresses(url: str, shown: str) -> None:
    """Parameters that sound like secrets lose their value, and nothing else does."""
    assert masked_url(url) == shown


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("user=a&password=CANARY&z=1", "user=a&password=(hidden)&z=1"),
        ("user%5Bpassword%5D=CANARY&b=1", "user%5Bpassword%5D=(hidden)&b=1"),
        ("ctl00%24txtPassword=CANARY", "ctl00%24txtPassword=(hidden)"),
        ("login%3Apassword=CANARY", "login%3Apassword=(hidden)"),
        (
            '{"a": 1, "newPassword": "CAN\\"ARY", "b": 2}',
            '{"a": 1, "newPassword": "(hidden)", "b": 2}',
        ),
        ('{"otp":123456}', '{"otp":"(hidden)"}'),
        ('{"login:password": "CANARY"}', '{"login:password": "(hidden)"}'),
        (
            r'{"body": "{\"password\": \"CAN\\\"ARY\", \"b\": 2}"}',
            r'{"body": "{\"password\": \"(hidden)\", \"b\": 2}"}',
        ),
        ("just text about a password", "just text about a password"),
        (
            '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nCANARY\r\n--x--',
            '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n(hidden)\r\n--x--',
        ),
        (
            '--x\r\nContent-Disposition: form-data; name="a$password"\r\n\r\nCANARY\r\n--x--',
            '--x\r\nContent-Disposition: form-data; name="a$password"\r\n\r\n(hidden)\r\n--x--',
        ),
    ],
)
def test_bodies(body: str, shown: str) -> None:
    """Fields of forms, JSON and multipart bodies that sound like secrets lose their value."""
    assert masked_body(body) == shown


@pytest.mark.parametrize(
    "piece",
    [
        *('"', "&", "a", 'name="', '"token":"', "\\", "\r\n"),
        *("token", '"token', "&token", 'name="token', 'name="token"', 'name="token"\n'),
        *('\\"token\\":\\"', 'content-disposition: name="token"\n', 'name="token"' * 80 + "\n"),
    ],
)
@pytest.mark.parametrize("before", ["", "http://a/?", 'name="'])
def test_nothing_takes_long(before: str, piece: str) -> None:
    """A body or an address made to be slow is read in about the time of any other."""
    text = before + piece * (500_000 // len(piece))
    began = time.process_time()
    masked_body(text)
    masked_url(text)
    assert time.process_time() - began < 2.0
