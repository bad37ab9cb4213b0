"""What repositories, models and classes of JavaScript's object mappers give of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

USER = "export class User { named() { return 1; } }\n"
NEST = (
    'import { User } from "./user";\nimport { Repository } from "typeorm";\n'
    'import { InjectRepository } from "@nestjs/typeorm";\nexport class Users {\n'
    "  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}\n"
    "  async find() {\n%s\n  }\n}\n"
)
TAKEN = {
    "one": "const user = await this.users.findOneBy({ id: 1 }); user.named();",
    "several": "for (const user of await this.users.find()) user.named();",
    "counted": "const [users, count] = await this.users.findAndCount(); users[0].named();",
    "saved": "(await this.users.save(this.users.create({}))).named();",
    "a query": "const users = await this.users.createQueryBuilder('u').where('x').getMany();\n"
               "    users.map((user) => user.named());",
}  # fmt: skip


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_a_repository_gives_objects_of_its_class(taken: str, edges: Edges) -> None:
    found = edges({"user.ts": USER, "users.ts": NEST % taken})
    assert "user.ts::User.named" in {callee for _, callee in found}


def test_a_query_of_mongoose_gives_its_class_whatever_is_asked_of_it(edges: Edges) -> None:
    found = edges(
        {
            "user.ts": USER,
            "users.ts": 'import { Model, HydratedDocument } from "mongoose";\n'
            'import { User } from "./user";\n'
            "export async function one(users: Model<HydratedDocument<User>>) {\n"
            "  (await users.findOne({}).populate('x').exec()).named();\n}\n"
            "export async function all(users: Model<User>) {\n"
            "  (await users.find({}).sort('x').lean()).forEach((user) => user.named());\n}\n",
        }
    )
    assert {callee for _, callee in found} >= {"user.ts::User.named"}
    assert {caller.partition(".<")[0] for caller, callee in found if callee.endswith("named")} == {
        "users.ts::one",
        "users.ts::all",
    }


def test_a_class_inherits_what_finds_its_objects(edges: Edges) -> None:
    found = edges(
        {
            "post.ts": 'import { Model } from "sequelize";\n'
            "export class Post extends Model { title() { return 1; } }\n"
            "export class Plain { title() { return 1; } }\n",
            "use.ts": 'import { Plain, Post } from "./post";\nexport async function one() {\n'
            "  (await Post.findByPk(1)).title();\n}\nexport async function all() {\n"
            "  for (const post of await Post.findAll()) post.title();\n}\n"
            "export async function plain() { (await Plain.findByPk(1)).title(); }\n",
        }
    )
    assert found == {("use.ts::one", "post.ts::Post.title"), ("use.ts::all", "post.ts::Post.title")}


def test_a_projects_own_repository_is_not_a_librarys(edges: Edges) -> None:
    found = edges(
        {
            "user.ts": USER,
            "own.ts": "export class Repository<T> { findOne() { return null; } }\n",
            "use.ts": 'import { Repository } from "./own";\nimport { User } from "./user";\n'
            "export function one(users: Repository<User>) { users.findOne().named(); }\n",
        }
    )
    assert found == {("use.ts::one", "own.ts::Repository.findOne")}


def test_a_type_parameter_is_what_it_extends(edges: Edges) -> None:
    found = edges(
        {
            "user.ts": USER,
            "use.ts": 'import { User } from "./user";\n'
            "export function one<T extends User>(user: T) { user.named(); }\n"
            "export class Box<T extends User, K> {\n  constructor(private held: T) {}\n"
            "  two() { this.held.named(); }\n  three(key: K) { key.named(); }\n}\n"
            "export const four = <TUser extends User>(all: TUser[]) => all[0].named();\n"
            "export function five(user: InstanceType<typeof User>) { user.named(); }\n",
        }
    )
    callers = ("one", "Box.two", "four", "five")
    assert found == {(f"use.ts::{name}", "user.ts::User.named") for name in callers}


SOURCES = {
    "a repository": "async function run() {\n  const users = source.getRepository(User);\n"
                    "  (await users.findOneBy({}))!.named(); }\n",
    "the manager": "async function run() { (await source.manager.findOne(User, {}))!.named(); }\n",
    "the source": "async function run() {\n"
                  "  for (const it of await source.find(User)) it.named(); }\n",
    "a transaction": "async function run() { await source.transaction('READ', inside); }\n"
                     "async function inside(m: any) {\n"
                     "  (await m.getRepository(User).find())[0].named(); }\n",
}  # fmt: skip


@pytest.mark.parametrize("taken", SOURCES.values(), ids=SOURCES)
def test_a_data_source_gives_objects_of_the_class_that_is_asked_for(
    taken: str, edges: Edges
) -> None:
    found = edges(
        {
            "user.ts": USER,
            "source.ts": 'import { DataSource } from "typeorm";\n'
            "export const source = new DataSource({});\n",
            "run.ts": 'import { User } from "./user";\nimport { source } from "./source";\n'
            + taken,
        }
    )
    assert "user.ts::User.named" in {callee for _, callee in found}
