"""The call log as a SQL table: who called what, when, and what became of it."""
