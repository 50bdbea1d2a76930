"""Switches that a user adds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from launcher.chrome_args import OWNED, PROXY, check_extra, merge, name_of

_NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True).filter(
    lambda n: "features" not in n
)
_VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
_SWITCHES = st.one_of(_NAMES.map("--{}".format), st.builds("--{}={}".format, _NAMES, _VALUES))


@pytest.mark.parametrize("name", sorted(OWNED))
@pytest.mark.parametrize("form", ["--{}", "--{}=x"])
def test_an_owned_switch_is_refused_with_another_way(name: str, form: str) -> None:
    """What the launcher decides itself is refused, and the sentence says what to use instead."""
    with pytest.raises(UsageError) as caught:
        check_extra([form.format(name)])
    assert caught.value.code == "BAD_ARGS"
    assert f"--{name}" in caught.value.message
    assert OWNED[name] in caught.value.message


def test_case_does_not_hide_an_owned_switch() -> None:
    """Windows reads switches without case, so another case is refused as well."""
    with pytest.raises(UsageError):
        check_extra(["--Remote-Debugging-Port=9222"])


@pytest.mark.parametrize(
    "switch",
    [
        "",
        "-",
        "--",
        "---x",
        "--=x",
        "-no-sandbox",
        "mute-audio",
        "/headless",
        "-- headless",
        "--a\0b",
        "--a=\0",
        " --headless",
        "https://example.com",
    ],
)
def test_what_is_not_a_switch_is_refused(switch: str) -> None:
    """Anything but --name or --name=value would be read as a page to open, or end the switches."""
    with pytest.raises(UsageError) as caught:
        check_extra([switch])
    assert caught.value.code == "BAD_ARGS"


def test_ways_around_a_proxy_are_refused_only_when_asked() -> None:
    """A forbidden name is refused, and allowed when nothing forbids it."""
    for name in PROXY:
        check_extra([f"--{name}=x"])
        with pytest.raises(UsageError, match=name):
            check_extra([f"--{name}=x"], forbidden=PROXY)


def test_features_are_merged_into_one_switch() -> None:
    """Lists of features from both sides become one switch, each feature once."""
    merged = merge(
        ["--disable-features=A,B"], ["--disable-features=B,C", "--disable-features=D", "--x"]
    )
    assert merged == ("--disable-features=A,B,C,D", "--x")


def test_an_enabled_feature_leaves_the_disabled_ones() -> None:
    """A user who enables a feature gets it, also with a field trial or parameters."""
    merged = merge(["--disable-features=A,B", "--enable-features=C"], ["--enable-features=A<T:k/v"])
    assert merged == ("--disable-features=B", "--enable-features=C,A<T:k/v")


def test_an_empty_list_is_left_out() -> None:
    """A switch whose last feature went away goes too."""
    assert merge(["--disable-features=A"], ["--enable-features=A"]) == ("--enable-features=A",)


def test_an_extra_switch_replaces_ours_in_its_place() -> None:
    """The user's value wins, and Chrome sees the switch once."""
    assert merge(["--a=1", "--b"], ["--a=2", "--b"]) == ("--a=2", "--b")


@given(st.lists(_SWITCHES, max_size=8), st.lists(_SWITCHES, max_size=8))
def test_nothing_is_repeated_and_nothing_lost(ours: list[str], extra: list[str]) -> None:
    """Every name of either side is there once, with the value Chrome would have taken."""
    merged = merge(ours, extra)
    names = [name_of(switch) for switch in merged]
    assert len(names) == len(set(names))
    assert dict.fromkeys(names) == dict.fromkeys(name_of(switch) for switch in [*ours, *extra])
    last = {name_of(switch): switch for switch in [*ours, *extra]}
    assert set(merged) == set(last.values())


@given(st.lists(_SWITCHES, max_size=8))
def test_merging_again_changes_nothing(extra: list[str]) -> None:
    """A merged command line is already merged."""
    once = merge([], extra)
    assert merge(once, []) == once
