"""The tools that the conformance suites call by name, declared like any other.

Importing this module puts them into the registry, behind the product's own, so only a process of
its own does.
"""

from dataclasses import replace

from bridge.errors import UsageError
from bridge.policy.rules import Effect
from bridge.tools import catalogue as catalogue
from bridge.tools.answer import Image
from bridge.tools.context import ToolContext
from bridge.tools.registry import TOOLS, tool
from bridge.tools.reply import Reply
from tests.support.toy_door import PIXEL

SET = "conformance"
_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
fixture = tool(effect=Effect.LOCAL, toolset=SET, tab=False, during_dialog=True)


def _declare(name: str, reply: Reply) -> None:
    async def answer(ctx: ToolContext) -> Reply:
        """A fixture."""
        return reply

    tool(effect=Effect.LOCAL, toolset=SET, tab=False, during_dialog=True, name=name)(answer)


_declare("test_simple_text", Reply(said="This is a simple text response for testing."))
_declare("test_image_content", Reply(said="An image:", images=(Image(PIXEL, "image/png"),)))
_declare("test_audio_content", Reply(said="A sound:"))
_declare("test_embedded_resource", Reply(said="A resource:"))
_declare(
    "test_multiple_content_types",
    Reply(said="Multiple content types test:", images=(Image(PIXEL, "image/png"),)),
)
_declare("json_schema_2020_12_tool", Reply(said="Nothing."))
_declared = TOOLS["json_schema_2020_12_tool"]
TOOLS["json_schema_2020_12_tool"] = replace(
    _declared, arguments=replace(_declared.arguments, schema=_SCHEMA)
)


@fixture
async def test_error_handling(ctx: ToolContext) -> Reply:
    """Fail."""
    raise UsageError("BAD_ARGS", "This tool intentionally returns an error for testing")


@fixture
async def test_tool_with_progress(ctx: ToolContext) -> Reply:
    """Tell of progress three times."""
    for done in (0, 50, 100):
        await ctx.caller.progress(done, 100, "")
    return Reply(said="Done.")
