"""Tools that fill in: fields, lists, whole forms, files."""

from typing import Annotated

import trio

from bridge.errors import BridgeError, PolicyDenied, UsageError
from bridge.page.fields import is_refused
from bridge.page.filling import BY_KEYS, Value
from bridge.page.quoting import cut
from bridge.page.settling import Aftermath, Told, not_actionable
from bridge.page.target import Target
from bridge.page.uploads import allowed_path
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.outcomes import changes_of, together, told, unsent, which
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted, quoted
from bridge.tools.schema import Ref, Selector, Text
from bridge.tools.targets import (
    allow_frame,
    frame_is_readable,
    is_ref,
    may_act,
    may_press,
    optional_target_of,
    target_of,
)

_LONGEST = 2_000  # characters of an error about several fields
_MOST_KEYS = 5_000  # a key takes 3 ms on a slow machine, and what was typed in vain is not told


@tool(effect=Effect.ACT, name="type")
async def type_(
    ctx: ToolContext,
    text: Text,
    ref: Ref | None = None,
    selector: Selector | None = None,
    clear: Annotated[bool, "Replace what is there."] = False,
    press_enter: bool = False,
    key_events: Annotated[bool, "Key by key."] = False,
) -> Reply:
    """Type into a field, or where the focus is."""
    if key_events and len(text) > _MOST_KEYS:
        raise UsageError(
            "BAD_ARGS",
            f"{len(text):,} characters are too many for keyEvents, which takes {_MOST_KEYS:,}",
            hint="Leave keyEvents out, or type it in several calls. Nothing was typed.",
        )
    target = await optional_target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.type(
        target,
        text,
        clear=clear,
        enter=press_enter,
        key_events=key_events,
        leave=may_press(ctx),
    )
    enter = " and pressed Enter" if press_enter else ""
    name = target.name if target is not None else "what has the focus"
    said = _typed(name, enter, after, keys=key_events)
    return await told(ctx, after, said, unsent(after.told))


def _typed(name: str, enter: str, after: Aftermath, *, keys: bool) -> str:
    facts = after.told
    done = f"Typed into {name}{which(facts.get('matches', 1))}{enter}."
    if facts and is_refused(facts):
        unsent = "; Enter was not pressed" if enter else ""
        why = f"{name}: it did not take the text and {_holds(facts)}{unsent}"
        raise not_actionable(why, "" if keys else BY_KEYS, delivered=True)
    if not facts.get("there", False):
        return done + (" It has left the page since." if facts.get("gone") else "")
    if facts["exact"]:
        return done + _as_given(facts)
    holds = _holds(facts)
    if facts.get("gone"):
        return f"{done} The page has put another one in its place since, which {holds}."
    return f"{done} It does not hold the text as given: it {holds}."


def _as_given(facts: Told) -> str:
    if facts.get("spread"):
        return " The text went on into the fields behind it."
    if facts["partly"]:
        return " The editor shows only the end of what it holds, and that is as given."
    if facts.get("added"):  # who is used to tools that replace would not look again
        return f" It was not empty: it {_holds(facts)} now. To replace, type with clear."
    return ""


def _holds(facts: Told) -> str:
    limit = f" (at most {facts['limit']})" if facts["limit"] is not None else ""
    if facts["value"] is None:
        return f"holds {counted(facts['length'], 'character')}{limit}"
    form = f" (wants the form {facts['form']})" if facts["form"] else ""
    return f"holds {quoted(facts['value'])}{limit}{form}"


@tool(effect=Effect.ACT)
async def select_option(
    ctx: ToolContext,
    values: Annotated[list[str], "Values or labels."],
    ref: Ref | None = None,
    selector: Selector | None = None,
) -> Reply:
    """Select options of a <select>; for other lists click the list and the option."""
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.choose(target, values)
    facts = after.told
    if not facts:  # the page was gone before it could tell
        return await told(ctx, after, f"Selected in {target.name}.")
    selected = ", ".join(quoted(each) for each in facts["selected"][:20]) or "nothing"
    if not facts["kept"]:
        raise not_actionable(
            f"{target.name}: the page did not keep the choice; selected is {selected}",
            delivered=True,
        )
    kept = "" if facts["changed"] else " already"
    return await told(
        ctx, after, f"Selected in {target.name}{which(facts['matches'])}{kept}: {selected}."
    )


@tool(effect=Effect.ACT)
async def fill_form(
    ctx: ToolContext,
    fields: Annotated[dict[str, Value], "Ref, label or selector: text, true/false, or options."],
    submit_selector: Selector | None = None,
) -> Reply:
    """Fill in several fields at once; then click what submits them, if named."""
    if not fields:
        raise UsageError("BAD_ARGS", "there are no fields", hint="Give at least one.")
    wanted = list(zip(await _fields(ctx, list(fields)), fields.values(), strict=True))
    filled = await ctx.tab.filling.fill(wanted, leave=may_press(ctx))
    problems = [f"{each.name}: {each.problem}" for each in filled if each.problem]
    if problems:
        hints = dict.fromkeys(each.hint for each in filled if each.hint)
        done, were = len(filled) - len(problems), "was" if len(wanted) == 1 else "were"
        all_ = counted(len(wanted), "field")
        raise not_actionable(
            cut(f"{done} of {all_} {were} filled in, and not {'; '.join(problems)}", _LONGEST),
            " ".join(["What was filled in stays; nothing was submitted.", *hints]),
            delivered=True,
        )
    said = f"Filled in {len(filled)} of {counted(len(wanted), 'field')}."
    said += "".join(f" {each.name}: {each.remark}." for each in filled if each.remark)
    afters = [each.after for each in filled if each.after is not None]
    asked = any(after.dialog is not None for after in afters)  # nothing else goes on before that
    if submit_selector is not None and len(filled) == len(wanted) and not asked:
        submit, after = await _submit(ctx, submit_selector, said)
        afters.append(after)
        said += f" Clicked {submit.name}."
    if not afters:
        return Reply(said=said)
    last = afters[-1]
    if not last.arrived:  # else what it was before is gone
        last.changes = together(changes_of(ctx, after) for after in afters)
        last.frame = None  # of each its own was asked about
    return await told(ctx, last, said, unsent(last.told))


async def _submit(ctx: ToolContext, selector: str, done: str) -> tuple[Target, Aftermath]:
    """Click what submits; if it cannot be, the error also says what was done until then."""
    try:
        submit = await target_of(ctx, None, selector, Effect.ACT)
        return submit, await ctx.tab.actions.click(submit, admit=may_act(ctx))
    except BridgeError as error:
        error.hint = f"{done} {error.hint}".rstrip()
        raise


async def _fields(ctx: ToolContext, names: list[str]) -> list[Target]:
    """Fields by ref, by what they are called on the page, or by a selector."""
    words = [name for name in names if not is_ref(name)]
    others = [each for each in ctx.tab.frames if each.parent and frame_is_readable(ctx, each)]
    called = await ctx.tab.filling.called(words, others) if words else {}
    for field in called.values():
        if field is not None:
            await allow_frame(ctx, Effect.ACT, field.frame)
    return [
        called.get(name)
        or await (
            target_of(ctx, name, None, Effect.ACT)
            if is_ref(name)
            else target_of(ctx, None, name, Effect.ACT)
        )
        for name in names
    ]


@tool(effect=Effect.UPLOAD)
async def upload_file(
    ctx: ToolContext,
    paths: Annotated[list[str], "In the folder for uploads."],
    ref: Ref | None = None,
    selector: Selector | None = None,
) -> Reply:
    """Give files to a file field, to what opens a file chooser, or to what takes dropped files."""
    folder = ctx.uploads_dir
    if folder is None:
        raise PolicyDenied(
            "POLICY_DENIED",
            "there is no folder for uploads",
            hint="The owner can name one by starting with --uploads-dir FOLDER.",
        )
    files = [await trio.to_thread.run_sync(allowed_path, path, folder) for path in paths]
    target = await target_of(ctx, ref, selector, Effect.UPLOAD)
    after = await ctx.tab.uploads.upload(target, files)
    names = after.told.get("names")
    if names is not None and len(names) != len(files):
        raise not_actionable(
            f"{target.name}: the page kept {len(names)} of {counted(len(files), 'file')}",
            delivered=True,
        )
    shown = ", ".join(quoted(file.name) for file in files) or "no file"
    if after.told.get("dropped"):
        return await told(ctx, after, f"Dropped {shown} on {target.name}; a click asked for none.")
    return await told(ctx, after, f"Gave {shown} to {target.name}.")
