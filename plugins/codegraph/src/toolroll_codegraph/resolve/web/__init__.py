"""Requests of tests and clients, and what the web's frameworks make of them."""

from toolroll_codegraph.resolve.web.requests import Requests

__all__ = ["Requests"]
