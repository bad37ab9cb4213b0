"""What REST framework's serializers and Django's forms and models call of a project's methods."""

from __future__ import annotations

import pytest

M = "<module>"
_MODEL = (
    "from django.db import models\nclass Book(models.Model):\n    def publish(self): pass\n"
    "    def clean(self): self.publish()\n"
)
_SERIALIZER = (
    "from rest_framework import serializers, viewsets, generics\n"
    "class Base(serializers.ModelSerializer):\n"
    "    def create(self, validated_data): return Book()\n"
    "class BookSerializer(Base):\n    class Meta:\n        model = Book\n"
    "    def validate(self, attrs): return attrs\n    def validate_title(self, value): pass\n"
)

CASES = {
    "saving and checking come to the serializer's own methods": (
        _SERIALIZER + "def add(request):\n    serializer = BookSerializer(data=request.data)\n"
        "    serializer.is_valid(raise_exception=True)\n    serializer.save().publish()\n",
        {
            ("add", "BookSerializer.validate"), ("add", "BookSerializer.validate_title"),
            ("add", "Base.create"), ("add", "Book.publish"),
        },
    ),
    "views have their serializers": (
        _SERIALIZER + "class Books(viewsets.ModelViewSet):\n    serializer_class = BookSerializer\n"
        "    def perform_create(self, serializer): serializer.save().publish()\n"
        "    def check(self): self.get_serializer(1).validate({})\n",
        {
            ("Books.perform_create", "Base.create"), ("Books.perform_create", "Book.publish"),
            ("Books.check", "BookSerializer.validate"),
        },
    ),
    "fields that are computed, and the objects that are shown": (
        _SERIALIZER + "class More(BookSerializer):\n"
        "    score = serializers.SerializerMethodField()\n"
        "    rank = serializers.SerializerMethodField(method_name='find_rank')\n"
        "    def get_score(self, obj): obj.publish()\n    def find_rank(self, book): pass\n"
        "    def update(self, instance, data): instance.publish()\n",
        {
            (M, "More.get_score"), (M, "More.find_rank"), ("More.get_score", "Book.publish"),
            ("More.update", "Book.publish"),
        },
    ),
    "forms, and models that are checked": (
        "from django import forms\nclass Title(forms.Form):\n    def clean(self): pass\n"
        "    def clean_title(self): pass\n    def save(self): pass\n"
        "def post(data):\n    if Title(data).is_valid(): Book().full_clean()\n",
        {
            ("post", "Title.clean"), ("post", "Title.clean_title"), ("post", "Book.clean"),
        },
    ),
    "forms of WTForms": (
        "from flask_wtf import FlaskForm\nclass Title(FlaskForm):\n"
        "    def validate(self): pass\n    def validate_name(self, field): pass\n"
        "class Plain(FlaskForm):\n    def validate_name(self, field): pass\n"
        "def post():\n    Title().validate_on_submit()\n    Plain().validate()\n",
        {("post", "Title.validate"), ("post", "Title.validate_name"),
         ("post", "Plain.validate_name")},
    ),
    "who has such names without the library calls nothing": (
        "class Mine:\n    def create(self): pass\n    def validate(self): pass\n"
        "def go():\n    Mine().save()\n    Mine().is_valid()\n    Mine().get_serializer()\n",
        set(),
    ),
    "a method of the project's own is called itself": (
        _SERIALIZER + "class Own(BookSerializer):\n    def save(self): pass\n"
        "def go(): Own().save()\n",
        {("go", "Own.save")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(_MODEL + source) == {("Book.clean", "Book.publish"), *expected}
