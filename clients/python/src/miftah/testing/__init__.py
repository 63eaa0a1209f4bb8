"""A Miftah with its simulator for tests, and the people who sign in there.

The fixtures `miftah`, `phone` and `clock` of pytest give it. All that it does is done by the API and
the control API of the simulator.
"""

from ._instance import Instance
from ._people import Browser, Clock, ClockState, Phone, Prompt
from ._scope import MiftahScope

__all__ = ["Browser", "Clock", "ClockState", "Instance", "MiftahScope", "Phone", "Prompt"]
