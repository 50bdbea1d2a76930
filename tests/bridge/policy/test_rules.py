"""What may be done where."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import PolicyDenied, UsageError
from bridge.policy.options import PolicyOptions
from bridge.policy.patterns import Pattern, parse_pattern
from bridge.policy.rules import Effect, Level, Policy, decide, decide_request

_OPEN = Policy.from_options(
    PolicyOptions(
        allow_domain=("*.allowed.test",),
        read_domain=("news.test", "local.test:8080"),
        enable_mutations=True,
        unsafe_enable_eval=True,
        enable_downloads=True,
        enable_uploads=True,
        uploads_dir=Path("up"),
    ),
    file='never = ["secret.allowed.test", "127.0.0.1"]',
)
_EVERYWHERE = Policy.from_options(PolicyOptions(unsafe_all_domains=True))
_LOADING = (Effect.READ, Effect.NAVIGATE)
_HOSTS = st.sampled_from(["allowed.test", "a.allowed.test", "news.test", "evil.test", "127.0.0.1"])
_URLS = st.builds("http://{}:{}/".format, _HOSTS, st.sampled_from([80, 443, 8080]))
_PATTERNS = st.lists(
    st.builds(Pattern, _HOSTS, st.just(False), st.sampled_from([None, 80])), max_size=3
).map(tuple)
_POLICIES = st.builds(
    Policy,
    never=_PATTERNS,
    read=_PATTERNS,
    act=_PATTERNS,
    mutations=st.booleans(),
    eval=st.booleans(),
    downloads=st.booleans(),
    uploads=st.booleans(),
)
_EFFECTS = st.sampled_from(Effect)


@given(_EFFECTS, st.text(st.characters(exclude_categories=())) | _URLS)
def test_nothing_is_allowed_by_default(effect: Effect, url: str) -> None:
    """Without options nothing but the blank page is allowed, whatever the address."""
    verdict = decide(effect, url, Policy())
    assert verdict.allowed == (effect is Effect.LOCAL)


@pytest.mark.parametrize("effect", _LOADING)
def test_the_blank_page(effect: Effect) -> None:
    """The blank page may always be visited and read."""
    assert decide(effect, "about:blank", Policy()).allowed


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "view-source:http://allowed.test/", "chrome://settings"),
        *(
            "devtools://devtools/x",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://allowed.test/",
        ),
        *("blob:http://allowed.test/1", "filesystem:http://allowed.test/temporary/x"),
        *("chrome-extension://abc/x", "about:config", "about:srcdoc", "ws://allowed.test/"),
    ],
)
def test_schemes(url: str) -> None:
    """Only http, https and about:blank can be gone to; a refusal names the scheme."""
    verdict = decide(Effect.NAVIGATE, url, _OPEN)
    assert not verdict.allowed
    assert f" {url.partition(':')[0]}:" in verdict.reason
    assert verdict.flag == ""


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "chrome://settings", "view-source:http://x/"]
)
def test_schemes_that_no_flag_opens(url: str) -> None:
    """Files and Chrome's own pages stay closed where every host is open."""
    assert not decide(Effect.NAVIGATE, url, _EVERYWHERE).allowed
    assert decide(Effect.NAVIGATE, "data:text/html,x", _EVERYWHERE).allowed


def test_a_blob_is_its_makers() -> None:
    """What a page made in memory may be read where that page may."""
    assert decide(Effect.READ, "blob:http://allowed.test/1", _OPEN).allowed
    assert not decide(Effect.READ, "blob:http://evil.test/1", _OPEN).allowed
    assert not decide(Effect.READ, "blob:null/1", _OPEN).allowed


def test_an_error_page_may_be_read() -> None:
    """Chrome's own error page can be read, to say what went wrong, and not gone to."""
    assert decide(Effect.READ, "chrome-error://chromewebdata/", Policy()).allowed
    assert not decide(Effect.NAVIGATE, "chrome-error://chromewebdata/", Policy()).allowed


@given(_EFFECTS, _URLS, _POLICIES, st.lists(_HOSTS, max_size=2))
def test_never_wins(effect: Effect, url: str, policy: Policy, hosts: list[str]) -> None:
    """No list and no grant opens what is ruled out."""
    for host in hosts:
        policy = policy.with_grant(host, Level.ACT)
    ruled_out = any(p.covers(*_place(url)) for p in policy.never)
    if ruled_out and effect is not Effect.LOCAL:
        verdict = decide(effect, url, policy)
        assert not verdict.allowed
        assert not decide_request(url, policy).allowed


@given(_EFFECTS, _URLS, _POLICIES, _HOSTS, st.sampled_from(Level))
def test_a_grant_only_adds(
    effect: Effect, url: str, policy: Policy, host: str, level: Level
) -> None:
    """Whatever was allowed before a grant is allowed after it, and only that host gains."""
    before = decide(effect, url, policy).allowed
    after = decide(effect, url, policy.with_grant(host, level)).allowed
    assert after >= before
    if after != before:
        assert _place(url)[0] == host


@given(_URLS, _POLICIES)
def test_reading_is_the_least(url: str, policy: Policy) -> None:
    """Whoever may do anything with a page may read it, and its requests pass the gate."""
    strongest = any(
        decide(effect, url, policy).allowed for effect in Effect if effect.name != "LOCAL"
    )
    assert decide(Effect.READ, url, policy).allowed == strongest
    assert decide_request(url, policy).allowed == strongest
    assert policy.reaches(*_place(url)) == strongest


@pytest.mark.parametrize("effect", [Effect.ACT, Effect.EVAL, Effect.UPLOAD])
def test_a_host_to_read_only(effect: Effect) -> None:
    """What may be read only is not acted on, and the refusal says so."""
    assert decide(Effect.READ, "https://news.test/", _OPEN).allowed
    verdict = decide(effect, "https://news.test/", _OPEN)
    assert not verdict.allowed
    assert "only reading it" in verdict.reason
    assert verdict.flag == "--allow-domain news.test"
    reader = replace(_OPEN, act=())
    assert decide(effect, "https://news.test/", reader).reason.endswith(
        "is not allowed, only reading it: no host may be more than read"
    )


def test_ports_count() -> None:
    """A pattern with a port lets no other one in, and a refusal names the port."""
    assert decide(Effect.READ, "http://local.test:8080/", _OPEN).allowed
    verdict = decide(Effect.READ, "http://local.test:9090/", _OPEN)
    assert verdict.flag == "--allow-domain local.test:9090"


@pytest.mark.parametrize(
    ("effect", "flag"),
    [
        (Effect.READ, ""),
        (Effect.ACT, "--enable-mutations"),
        (Effect.EVAL, "--unsafe-enable-eval"),
        (Effect.DOWNLOAD, "--enable-downloads"),
        (Effect.UPLOAD, "--enable-uploads --uploads-dir FOLDER"),
    ],
)
def test_switches(effect: Effect, flag: str) -> None:
    """Each kind of harm has its own switch, which a refusal names, alone or with the host."""
    here = Policy(act=(parse_pattern("allowed.test"),))
    assert decide(effect, "https://allowed.test/", here).flag == flag
    both = f"--allow-domain evil.test {flag}".strip()
    assert decide(effect, "https://evil.test/", here).flag == both


def test_uploads_need_a_folder() -> None:
    """The switch alone uploads nothing."""
    policy = Policy(act=(parse_pattern("*"),), uploads=True)
    assert decide(Effect.UPLOAD, "https://a.test/", policy).flag == "--uploads-dir FOLDER"


def test_all_switches_on() -> None:
    """With every switch on, everything may be done on the hosts allowed, and nowhere else."""
    for effect in Effect:
        assert decide(effect, "https://a.allowed.test/", _OPEN).allowed
    for effect in (Effect.ACT, Effect.EVAL, Effect.DOWNLOAD, Effect.UPLOAD):
        assert not decide(effect, "https://evil.test/", _OPEN).allowed


def test_a_granted_host_needs_no_switch() -> None:
    """When the user said yes to acting on a host, that is enough there and nowhere else."""
    policy = Policy(act=(parse_pattern("b.test"),)).with_grant("a.test", Level.ACT)
    assert decide(Effect.ACT, "https://a.test/", policy).allowed
    assert not decide(Effect.ACT, "https://b.test/", policy).allowed
    assert not decide(Effect.EVAL, "https://a.test/", policy).allowed


def test_a_refusal_tells_everything() -> None:
    """A refusal names the host, the reason, what is allowed, and the exact flag to add."""
    with pytest.raises(PolicyDenied) as caught:
        decide(Effect.READ, "https://user@EVIL.test/x", _OPEN).check()
    assert caught.value.report() == (
        "POLICY_DENIED: reading evil.test is not allowed: allowed are *.allowed.test, news.test, "
        "local.test:8080\nThe owner can allow it by starting with --allow-domain evil.test."
    )
    assert caught.value.facts == {"host": "evil.test", "flag": "--allow-domain evil.test"}


def test_a_refusal_without_a_way() -> None:
    """Where nothing would allow it, a refusal does not name a flag."""
    with pytest.raises(PolicyDenied) as caught:
        decide(Effect.READ, "https://secret.allowed.test/x", _OPEN).check()
    assert 'ruled out by "never" in the policy file' in caught.value.message
    assert "--" not in caught.value.hint


def test_a_long_list_is_cut() -> None:
    """A refusal stays short however much is allowed."""
    policy = Policy(read=tuple(Pattern(f"{n}.test") for n in range(1000)))
    assert decide(Effect.READ, "http://x/", policy).reason.endswith("19.test and 980 more")


@pytest.mark.parametrize(
    ("url", "passes"),
    [
        ("http://allowed.test/", True),
        ("wss://allowed.test/", True),
        ("data:image/png,x", True),
        ("blob:http://evil.test/1", True),
        ("about:srcdoc", True),
        ("chrome-extension://abc/x.js", True),
        ("ws://evil.test/", False),
        ("http://evil.test/", False),
        ("file:///etc/passwd", False),
        ("chrome://version/", False),
        ("no address", False),
    ],
)
def test_requests(url: str, passes: bool) -> None:
    """A page's requests pass by host; what never leaves the browser passes."""
    assert decide_request(url, _OPEN).allowed == passes


def test_when_a_gate_is_needed() -> None:
    """Only where every host is open, and none ruled out, is there nothing to guard."""
    assert not _EVERYWHERE.restricts
    assert Policy().restricts
    assert _OPEN.restricts
    assert Policy.from_options(PolicyOptions(allow_domain=("*:80",))).restricts
    never = Policy.from_options(PolicyOptions(unsafe_all_domains=True), file='never = ["a.test"]')
    assert never.restricts


@pytest.mark.parametrize(
    "text",
    [
        "never",
        "other = []",
        "read = 'a.test'",
        "read = [1]",
        "act = ['a*']",
        "\x00",
        "read = " + "[" * 9_999,
    ],
)
def test_a_bad_file(text: str) -> None:
    """A policy file that cannot be understood allows nothing: it is an error."""
    with pytest.raises(UsageError):
        Policy.from_options(PolicyOptions(), file=text)


def test_a_bad_flag() -> None:
    """A pattern that cannot be understood is an error, not a host that never matches."""
    with pytest.raises(UsageError, match="ex\\*"):
        Policy.from_options(PolicyOptions(allow_domain=("ex*mple.com",)))


def _place(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").strip("/").partition(":")
    return host, int(port)


@pytest.mark.parametrize("host", ["*", "*.com", "*.test", "a,b.test", "x" * 300])
def test_what_could_be_a_pattern(host: str) -> None:
    """A star is a host to browsers: it is refused without a flag or anything to be granted."""
    for effect in (Effect.NAVIGATE, Effect.READ, Effect.ACT):
        verdict = decide(effect, f"http://{host}/", Policy())
        assert (verdict.allowed, verdict.flag) == (False, "")
        assert len(verdict.reason) < 200
