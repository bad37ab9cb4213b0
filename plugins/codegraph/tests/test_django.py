"""What Django gives a project's models: managers, query sets, related objects, views' objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

MODELS = """
from django.contrib.auth.models import AbstractUser
from django.db import models

class Books(models.QuerySet):
    def published(self): return self.filter(state="published")
    def first_of(self, author): return self.published().filter(author=author).first()

class Recent(models.Manager):
    def get_queryset(self): return super().get_queryset().filter(new=True)
    def make(self): return self.model(title="")

class User(AbstractUser):
    def name(self): pass

class Author(models.Model):
    user = models.OneToOneField(User, on_delete=models.CASCADE)
    def name(self): return self.user.name()

class Tag(models.Model):
    def label(self): pass

class Book(models.Model):
    author = models.ForeignKey("Author", on_delete=models.CASCADE, related_name="books")
    sequel = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    tags = models.ManyToManyField(Tag)
    objects = Books.as_manager()
    recent = Recent()
    def price(self): pass

class Review(models.Model):
    book = models.ForeignKey(to="shop.Book", on_delete=models.CASCADE)
    def score(self): return self.book.price()
"""
IMPORTS = """
from django.contrib.auth import get_user_model
from django.shortcuts import get_list_or_404, get_object_or_404
from django.views.generic import DetailView
from models import Author, Book, Review, Tag, User
"""
CASES = {
    "one": ("Author.objects.get(pk=1).name()", {"Author.name"}),
    "first of filtered": ("Review.objects.filter(x=1).order_by('y').first().score()",
                          {"Review.score"}),
    "created": ("review = Review.objects.create(book=None)\n    review.score()", {"Review.score"}),
    "pair": ("tag, made = Tag.objects.get_or_create(x=1)\n    tag.label()", {"Tag.label"}),
    "each": ("for tag in Tag.objects.all():\n        tag.label()", {"Tag.label"}),
    "item": ("Tag.objects.all()[0].label()", {"Tag.label"}),
    "slice": ("[tag.label() for tag in Tag.objects.all()[:3]]", {"Tag.label"}),
    "own manager": ("Book.objects.first_of(None).price()", {"Books.first_of", "Book.price"}),
    "own method behind others": ("Book.objects.filter(x=1).published().last().price()",
                                 {"Books.published", "Book.price"}),
    "own query set": ("Book.recent.filter(x=1).get().price()", {"Book.price"}),
    "made by a manager": ("Book.recent.make().price()", {"Recent.make", "Book.price"}),
    "foreign key": ("Book.objects.first().author.name()", {"Author.name"}),
    "to itself": ("Book.objects.first().sequel.price()", {"Book.price"}),
    "many to many": ("for tag in Book.objects.first().tags.all(): tag.label()", {"Tag.label"}),
    "back by its name": ("for book in Author.objects.first().books.all(): book.price()",
                         {"Book.price"}),
    "back by Django's name": ("for it in Book.objects.get(x=1).review_set.all(): it.score()",
                              {"Review.score"}),
    "back from many": ("for book in Tag.objects.get(x=1).book_set.all(): book.price()",
                       {"Book.price"}),
    "back to one": ("User.objects.get(x=1).author.name()", {"Author.name"}),
    "or not found": ("get_object_or_404(Book, pk=1).price()", {"Book.price"}),
    "of some or not found": ("get_object_or_404(Tag.objects.filter(x=1)).label()", {"Tag.label"}),
    "list or not found": ("for tag in get_list_or_404(Tag): tag.label()", {"Tag.label"}),
    "user": ("get_user_model().objects.get(x=1).name()", {"User.name"}),
    "numbers": ("Tag.objects.count().label()", set()),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_django(body: str, expected: set[str], edges: Edges) -> None:
    found = edges({"models.py": MODELS, "main.py": f"{IMPORTS}\ndef run():\n    {body}\n"})
    called = {callee.removeprefix("models.py::") for caller, callee in found if caller == "run"}
    assert called == expected


def test_models_know_what_they_relate_to(edges: Edges) -> None:
    found = edges({"models.py": MODELS})
    calls = {(a.removeprefix("models.py::"), b.removeprefix("models.py::")) for a, b in found}
    assert calls == {
        ("Books.first_of", "Books.published"), ("Author.name", "User.name"),
        ("Review.score", "Book.price"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("base", "body"),
    [
        ("django.views.generic.DetailView", "model = Book\n    def go(self): self.object.price()"),
        ("django.views.generic.DetailView",
         "model = Book\n    def go(self): self.get_queryset().first().price()"),
        ("django.views.generic.DetailView",
         "model = Book\n    def get_object(self): return super().get_object().price()"),
        ("rest_framework.viewsets.ModelViewSet",
         "queryset = Book.objects.all()\n    def go(self): self.get_object().price()"),
    ],
)  # fmt: skip
def test_a_view_shows_objects_of_its_model(base: str, body: str, edges: Edges) -> None:
    module, _, name = base.rpartition(".")
    source = (
        f"from {module} import {name}\nfrom models import Book\nclass View({name}):\n    {body}\n"
    )
    found = edges({"models.py": MODELS, "main.py": source})
    assert "models.py::Book.price" in {b for a, b in found if a.startswith("View.")}


def test_the_admin_hands_objects_of_a_model_to_its_classes(edges: Edges) -> None:
    found = edges(
        {
            "models.py": MODELS,
            "main.py": "from django.contrib import admin\nfrom models import Author, Book, Tag\n"
            "def cost(book): book.price()\n"
            "def free(modeladmin, request, queryset): queryset.first_of(None).price()\n"
            "@admin.register(Book)\nclass Books(admin.ModelAdmin):\n"
            "    list_display = ['title', cost, 'upper']\n    actions = [free]\n"
            "    def upper(self, it): it.price()\n"
            "    def save_model(self, request, obj, form, change): obj.price()\n"
            "    def get_list(self, request): request.price()\n"
            "class Tags(admin.TabularInline):\n    model = Tag\n"
            "    def shown(self, obj): obj.label()\n"
            "class Authors(admin.ModelAdmin):\n    def shown(self, obj): obj.name()\n"
            "admin.site.register([Author], Authors)\n"
            "class Own:\n    def upper(self, obj): obj.price()\n",
        }
    )
    assert {(a, b.removeprefix("models.py::")) for a, b in found if "::" not in a} == {
        ("cost", "Book.price"), ("free", "Books.first_of"), ("free", "Book.price"),
        ("Books.upper", "Book.price"), ("Books.save_model", "Book.price"),
        ("Tags.shown", "Tag.label"), ("Authors.shown", "Author.name"),
    }  # fmt: skip


def test_a_signal_of_a_model_hands_an_object_over(edges: Edges) -> None:
    found = edges(
        {
            "models.py": MODELS,
            "main.py": "from django.db.models.signals import post_save\n"
            "from django.dispatch import receiver\nfrom models import Book\n"
            "@receiver(post_save, sender=Book)\n"
            "def saved(sender, instance, **kwargs): instance.price()\n"
            "@receiver(post_save)\ndef any_saved(sender, instance, **kwargs): instance.price()\n",
        }
    )
    assert {(a, b) for a, b in found if "::" not in a} == {("saved", "models.py::Book.price")}


def test_a_class_with_objects_of_its_own_is_no_model(edges: Edges) -> None:
    found = edges(
        "class Base: pass\nclass Book(Base):\n    def price(self): pass\n"
        "def run(): Book.objects.first().price()\n"
    )
    assert found == set()
