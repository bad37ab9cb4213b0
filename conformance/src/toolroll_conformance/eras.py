"""Which protocol eras a stranger's server speaks: one that it does not is nothing to hold it to."""

from __future__ import annotations

from toolroll.contract import Contract
from toolroll_conformance.case import Given
from toolroll_conformance.legs.base import CannotServe, Leg
from toolroll_conformance.legs.dialect import HANDSHAKE_ERA
from toolroll_conformance.legs.http import HttpConnection
from toolroll_conformance.legs.stdio import StdioConnection
from toolroll_conformance.reply import NoReply, ProtocolError, ServerGone
from toolroll_conformance.session import Session
from toolroll_conformance.workspace import Workspace

__all__ = ["spoken_eras"]


def spoken_eras(session: Session) -> tuple[str, ...]:
    """Return the eras of a session's legs that the server speaks.

    Every leg's, where it seems to speak none: then the checks tell what is wrong with it.
    """
    contract = session.target.contract
    return tuple(leg.era for leg in session.legs if _speaks(leg, contract)) or tuple(
        leg.era for leg in session.legs
    )


def _speaks(leg: Leg, contract: Contract) -> bool:
    """Ask by the handshake of the one era, and by `server/discover`, which the other demands."""
    with leg.storage.lend() as storage, Workspace.make(contract.pack, Given(), storage) as place:
        try:
            connection = leg.open(place)
        except CannotServe:
            return False
        try:
            if leg.era == HANDSHAKE_ERA:
                return True  # opened by it
            assert isinstance(connection, StdioConnection | HttpConnection)
            return leg.era in connection.discover().get("supportedVersions", ())
        except (NoReply, ProtocolError, ServerGone):
            return False
        finally:
            connection.close()
