"""A Miftah with its simulator for tests, and the people who sign in there.

The fixtures `miftah`, `phone`, `clock` and `webhooks` of pytest give it. All that it does is done by the
API and the control API of the simulator.
"""

from ._instance import Instance
from ._people import Browser, Clock, ClockState, Phone, Prompt
from ._scope import MiftahScope
from ._webhooks import ReceivedWebhook, Webhooks

__all__ = [
    "Browser",
    "Clock",
    "ClockState",
    "Instance",
    "MiftahScope",
    "Phone",
    "Prompt",
    "ReceivedWebhook",
    "Webhooks",
]
