"""Schemas of Mongoose: methods, statics, virtual properties and hooks of what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

_OPEN = (
    "const mongoose = require('mongoose');\nfunction done() {}\n"
    "const schema = new mongoose.Schema({ name: String });\n"
)
_MODEL = "const User = mongoose.model('User', schema);\n"

CASES = {
    "methods and statics that are assigned": (
        "schema.methods.greet = function () { return this.format(); };\n"
        "schema.methods.format = function () { return done(); };\n"
        "schema.statics.active = function () { return this.named(); };\n"
        "schema.statics.named = function () { return this.find({}); };\n"
        f"{_MODEL}"
        "async function use() { const user = await User.findById(1); user.greet();\n"
        "  const made = new User({}); made.greet(); (await User.active())[0].greet(); }\n",
        {
            ("greet", "format"),
            ("format", "done"),
            ("active", "named"),
            ("use", "active"),
            ("use", "greet"),
        },
    ),
    "methods by calls, one by one and in tables, and in options": (
        "schema.method('greet', function greet() { return this.check(); });\n"
        "schema.method({ check() { return done(); } });\n"
        "schema.static('active', function active() { return done(); });\n"
        f"{_MODEL}"
        "const parts = { methods: { hide() {} }, statics: { all() {} } };\n"
        "const other = new mongoose.Schema({}, parts);\n"
        "const Post = mongoose.model('Post', other);\n"
        "function use() { User.active(); new User().greet(); Post.all(); new Post().hide(); }\n",
        {
            ("greet", "check"),
            ("check", "done"),
            ("active", "done"),
            ("use", "active"),
            ("use", "greet"),
            ("use", "all"),
            ("use", "hide"),
        },
    ),
    "virtual properties, hooks and plugins": (
        "schema.virtual('label').get(function label() { return this.trim(); }).set(done);\n"
        "schema.methods.trim = function () {};\n"
        "schema.pre('save', function before(next) { this.trim(); next(); });\n"
        "schema.pre('find', function query() { this.trim(); });\n"
        "function plug(it) { it.statics.page = function () { return done(); }; }\n"
        f"schema.plugin(plug);\n{_MODEL}"
        "async function use() { const user = await User.findOne(); user.label; User.page(); }\n",
        {
            ("label", "trim"),
            ("before", "trim"),
            ("page", "done"),
            ("use", "label"),
            ("use", "page"),
        },
    ),
    "classes and queries of several steps": (
        "class Own { greet() { return this.check(); } check() {} }\nschema.loadClass(Own);\n"
        f"{_MODEL}"
        "async function use() { const users = await User.find().sort('x').exec();\n"
        "  users.forEach((user) => user.greet()); }\n",
        {("greet", "check"), ("use", "<lambda1>"), ("<lambda1>", "greet")},
    ),
    "who merely has such names is no schema": (
        "const mine = { methods: {}, find() {} };\nmine.methods.greet = function () {};\n"
        "function use() { mine.find().greet(); new mongoose.Schema({}).methods.greet(); }\n",
        {("use", "find")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges: Edges, name: str) -> None:
    source, expected = CASES[name]
    found = edges(_OPEN + source, suffix=".js")
    assert {tuple(end.rpartition(".")[2] for end in pair) for pair in found} == expected


def test_a_model_is_found_by_its_name_in_other_files(edges: Edges) -> None:
    found = edges(
        {
            "user.ts": "import mongoose, { Schema, model } from 'mongoose';\n"
            "const schema = new Schema<any>({});\n"
            "schema.methods.greet = function (this: any) {};\n"
            "export default model('User', schema);\n",
            "by_import.ts": "import User from './user';\n"
            "export async function one() { (await User.findOne({})).greet(); }\n",
            "by_name.ts": "import mongoose from 'mongoose';\n"
            "export function two() { new (mongoose.model('User'))({}).greet(); }\n",
        }
    )
    greet = "user.ts::schema.methods.greet"
    assert found == {("by_import.ts::one", greet), ("by_name.ts::two", greet)}
