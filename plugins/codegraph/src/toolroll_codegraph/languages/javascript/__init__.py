"""JavaScript and TypeScript: `module.py`; their files in components are read by
`component_module.py`."""
