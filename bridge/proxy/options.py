"""Where other programs find the endpoint: the field is a flag of the command line."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyOptions:
    """Of `proxy`."""

    endpoint_port: Annotated[int, "The port other programs connect to; 0: any."] = 0
