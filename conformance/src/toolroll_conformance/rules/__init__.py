"""What every pack owes and nobody should write twice: one module for each kind of promise."""
