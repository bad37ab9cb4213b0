"""What is known of each programming language: its files, its grammar wheel, its definitions."""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["LANGUAGES", "Language", "extensions_named", "language_name", "language_of"]


@frozen
class Language:
    """A language with a tree-sitter grammar on the package index.

    Args:
        name: Lower-case name, as answers show it.
        module: The grammar's module.
        definitions: Tree-sitter query: `@name` is the identifier, `@def.KIND` the whole definition.
        function: The module's function that gives the grammar.
    """

    name: str
    module: str
    definitions: str
    function: str = "language"


_JAVASCRIPT: Final = """
(class_declaration name: (_) @name) @def.class
(function_declaration name: (_) @name) @def.function
(generator_function_declaration name: (_) @name) @def.function
(method_definition name: (_) @name) @def.method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (class)]) @def.function
(assignment_expression left: (member_expression property: (_) @name)
  right: [(arrow_function) (function_expression) (class)]
  (#not-eq? @name "exports")) @def.function
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name value: (call_expression)))) @def.constant
(variable_declarator value: (object (pair key: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @def.method))
(assignment_expression right: (object (pair key: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @def.method))
(export_statement value: (object (pair key: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @def.method))
"""
_TYPESCRIPT: Final = (
    _JAVASCRIPT
    + """
(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name) @def.enum
(internal_module name: (_) @name) @def.module
(abstract_method_signature name: (_) @name) @def.method
(public_field_definition name: (_) @name
  value: [(arrow_function) (function_expression)]) @def.method
"""
)
_C: Final = """
(function_definition declarator: (function_declarator declarator: (_) @name)) @def.function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @name))) @def.function
(struct_specifier name: (_) @name body: (_)) @def.struct
(enum_specifier name: (_) @name body: (_)) @def.enum
(union_specifier name: (_) @name body: (_)) @def.union
(type_definition declarator: (type_identifier) @name) @def.type
(preproc_function_def name: (_) @name) @def.macro
"""

LANGUAGES: Final = {
    language.name: language
    for language in (
        Language(
            "python",
            "tree_sitter_python",
            """
(class_definition name: (_) @name) @def.class
(function_definition name: (_) @name) @def.function
""",
        ),
        Language(
            "javascript",
            "tree_sitter_javascript",
            _JAVASCRIPT
            + """
(field_definition property: (_) @name
  value: [(arrow_function) (function_expression)]) @def.method
""",
        ),
        Language("typescript", "tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
        Language("tsx", "tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
        Language(
            "go",
            "tree_sitter_go",
            """
(function_declaration name: (_) @name) @def.function
(method_declaration name: (_) @name) @def.method
(type_spec name: (_) @name) @def.type
""",
        ),
        Language(
            "rust",
            "tree_sitter_rust",
            """
(function_item name: (_) @name) @def.function
(function_signature_item name: (_) @name) @def.function
(struct_item name: (_) @name) @def.struct
(enum_item name: (_) @name) @def.enum
(union_item name: (_) @name) @def.union
(trait_item name: (_) @name) @def.trait
(impl_item type: (_) @name) @def.impl
(mod_item name: (_) @name body: (_)) @def.module
(type_item name: (_) @name) @def.type
(macro_definition name: (_) @name) @def.macro
""",
        ),
        Language(
            "java",
            "tree_sitter_java",
            """
(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.enum
(record_declaration name: (_) @name) @def.record
(annotation_type_declaration name: (_) @name) @def.annotation
(method_declaration name: (_) @name) @def.method
(constructor_declaration name: (_) @name) @def.constructor
""",
        ),
        Language(
            "ruby",
            "tree_sitter_ruby",
            """
(class name: (_) @name) @def.class
(module name: (_) @name) @def.module
(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(assignment left: (constant) @name right: (call)) @def.constant
""",
        ),
        Language("c", "tree_sitter_c", _C),
        Language(
            "cpp",
            "tree_sitter_cpp",
            _C
            + """
(class_specifier name: (_) @name body: (_)) @def.class
(namespace_definition name: (_) @name) @def.namespace
(alias_declaration name: (_) @name) @def.type
(function_definition declarator: (reference_declarator
  (function_declarator declarator: (_) @name))) @def.function
""",
        ),
        Language(
            "csharp",
            "tree_sitter_c_sharp",
            """
(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(struct_declaration name: (_) @name) @def.struct
(record_declaration name: (_) @name) @def.record
(enum_declaration name: (_) @name) @def.enum
(method_declaration name: (_) @name) @def.method
(constructor_declaration name: (_) @name) @def.constructor
(property_declaration name: (_) @name) @def.property
""",
        ),
        Language(
            "php",
            "tree_sitter_php",
            """
(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(trait_declaration name: (_) @name) @def.trait
(enum_declaration name: (_) @name) @def.enum
(function_definition name: (_) @name) @def.function
(method_declaration name: (_) @name) @def.method
""",
            "language_php",
        ),
    )
}

_EXTENSIONS: Final = {
    "python": "py pyi pyw pyx",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "ruby": "rb rake gemspec",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh hxx ino",
    "csharp": "cs",
    "php": "php",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "swift": "swift",
    "objective-c": "m mm",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs",
    "lua": "lua",
    "zig": "zig",
    "dart": "dart",
    "r": "r",
    "julia": "jl",
    "perl": "pl pm",
    "groovy": "groovy gradle",
    "clojure": "clj cljs cljc",
    "shell": "sh bash zsh fish",
    "powershell": "ps1 psm1",
    "sql": "sql",
    "protobuf": "proto",
    "graphql": "graphql gql",
    "terraform": "tf",
    "vue": "vue",
    "svelte": "svelte",
    "html": "html htm xhtml",
    "css": "css scss sass less",
    "xml": "xml svg xsd",
    "markdown": "md markdown mdx",
    "restructuredtext": "rst",
    "asciidoc": "adoc asciidoc",
    "text": "txt",
    "json": "json jsonl jsonc",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf",
    "csv": "csv tsv",
}
"""Of each language; the usual one first."""
_BY_EXTENSION: Final = {
    extension: name for name, extensions in _EXTENSIONS.items() for extension in extensions.split()
}
_BY_NAME: Final = {
    "Makefile": "makefile",
    "GNUmakefile": "makefile",
    "Dockerfile": "dockerfile",
    "Containerfile": "dockerfile",
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "Jenkinsfile": "groovy",
    "CMakeLists.txt": "cmake",
}


def language_name(path: str) -> str | None:
    """Return the language of a file by its name, or None when the name does not say."""
    name = path.rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return _BY_NAME.get(name) or (_BY_EXTENSION.get(extension.lower()) if dot else None)


def extensions_named(word: str) -> frozenset[str]:
    """Return the extensions that a word stands for: itself, and with a language's name all of its.

    The usual extension of a language is no name: `json` stands for no `jsonl`.
    """
    extensions = _EXTENSIONS.get(word, word).split()
    return frozenset({word} if word in extensions[:1] else {word, *extensions})


def language_of(path: str) -> Language | None:
    """Return the language of a file if there is a grammar for it."""
    return LANGUAGES.get(language_name(path) or "")
