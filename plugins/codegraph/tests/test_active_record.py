"""What Active Record gives a project's models: relations, associations, delegated methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

MODELS = """
class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
end

class User < ApplicationRecord
  has_many :posts, dependent: :destroy
  has_many :comments, through: :posts
  has_one :profile
  belongs_to :team, class_name: "Group", optional: true
  delegate :bio, to: :profile
  def name; end
end

class Post < ApplicationRecord
  belongs_to :user
  has_many :comments, -> { order(:id) }
  has_many :readers, through: :comments, source: :users
  scope :published, -> { where(state: "published") }
  def self.recent(count) = published.limit(count)
  def publish!; end
end

class Comment < ApplicationRecord
  belongs_to :post
  belongs_to :thing, polymorphic: true
  def approve; end
end

class Profile < ApplicationRecord
  def bio; end
end

class Group < ApplicationRecord
  def title; end
end

class Category < ApplicationRecord
  has_many :children, class_name: "Category"
  has_and_belongs_to_many :posts
  def rename; end
end
"""
CASES = {
    "one": ("Post.find(1).publish!", {"Post.publish!"}),
    "one by an attribute": ("Post.find_by(id: 1)&.publish!", {"Post.publish!"}),
    "one by a named attribute": ("Post.find_by_title('x').publish!", {"Post.publish!"}),
    "created": ("Post.create!(title: 'x').publish!", {"Post.publish!"}),
    "first of filtered": ("Post.where(x: 1).order(:y).first.publish!", {"Post.publish!"}),
    "each": ("Post.all.each { |post| post.publish! }", {"Post.publish!"}),
    "each in batches": ("Post.where(x: 1).find_each { |post| post.publish! }", {"Post.publish!"}),
    "mapped": ("Post.includes(:user).map(&:publish!)", {"Post.publish!"}),
    "scope": ("Post.published.last.publish!", {"Post.publish!"}),
    "scope behind others": ("Post.where(x: 1).published.take.publish!", {"Post.publish!"}),
    "own class method": ("Post.recent(3).first.publish!", {"Post.recent", "Post.publish!"}),
    "own class method behind others": ("Post.where(x: 1).recent(3).first.publish!",
                                       {"Post.recent", "Post.publish!"}),
    "belongs to": ("Post.first.user.name", {"User.name"}),
    "has many": ("User.first.posts.each { |post| post.publish! }", {"Post.publish!"}),
    "has many through": ("User.first.comments.first.approve", {"Comment.approve"}),
    "has many by its source": ("Post.first.readers.first.name", {"User.name"}),
    "has one": ("User.first.profile.bio", {"Profile.bio"}),
    "class by its name": ("User.first.team.title", {"Group.title"}),
    "to itself": ("Category.first.children.first.rename", {"Category.rename"}),
    "both ways": ("Category.first.posts.where(x: 1).first.publish!", {"Post.publish!"}),
    "built": ("User.first.posts.create!(x: 1).publish!", {"Post.publish!"}),
    "assigned": ("post = Post.first\n  post.user = User.new\n  post.user.name", {"User.name"}),
    "delegated": ("User.first.bio", {"Profile.bio"}),
    "numbers": ("Post.count.publish!", set()),
    "of any class": ("Comment.first.thing.publish!", set()),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_active_record(body: str, expected: set[str], edges: Edges) -> None:
    files = {"models.rb": MODELS, "main.rb": f"require_relative 'models'\ndef run\n  {body}\nend\n"}
    called = {
        callee.removeprefix("models.rb::") for caller, callee in edges(files) if caller == "run"
    }
    assert called == expected


@pytest.mark.parametrize(
    ("name", "model"),
    [("categories", "Category"), ("boxes", "Box"), ("people", "Person"), ("statuses", "Status"),
     ("addresses", "Address"), ("line_items", "LineItem"), ("news", "New"), ("women", "Woman")],
)  # fmt: skip
def test_many_are_named_after_the_class_of_one(name: str, model: str, edges: Edges) -> None:
    found = edges(
        f"class {model} < ActiveRecord::Base\n  def go; end\nend\n"
        f"class Owner < ActiveRecord::Base\n  has_many :{name}\n"
        f"  def run; {name}.each {{ |it| it.go }}; end\nend\n",
        suffix=".rb",
    )
    assert found == {("Owner.run", f"{model}.go")}


def test_other_classes_have_no_relations(edges: Edges) -> None:
    found = edges(
        "class Base; end\nclass Post < Base\n  has_many :comments\n  def go; end\nend\n"
        "class Comment < Base\n  def go; end\nend\n"
        "def run; Post.where(x: 1).first.go; Post.new.comments.first.go; end\n",
        suffix=".rb",
    )
    assert found == set()
