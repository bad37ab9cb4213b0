"""What requests of tests come to in views of Django and REST framework, but for their verbs.

Every row was read off a run of Django 5.2 and REST framework 3.16.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Told

_VIEWS = (
    "from django import forms\nfrom django.views import generic\n"
    "from rest_framework import serializers, viewsets\n"
    "class Entry(forms.ModelForm):\n    def clean_name(self): pass\n    def save(self): pass\n"
    "class Books(generic.ListView):\n    def dispatch(self, request): pass\n"
    "    def get_queryset(self): pass\n    def get_context_data(self): pass\n"
    "    def form_valid(self, form): pass\n    def other(self): pass\n"
    "class Add(generic.CreateView):\n    form_class = Entry\n    def get_form_kwargs(self): pass\n"
    "    def get_success_url(self): pass\n    def get_context_data(self): pass\n"
    "class Own(generic.ListView):\n    def get(self, request): pass\n"
    "    def get_queryset(self): pass\n"
    "class Plain:\n    def get(self): pass\n    def dispatch(self): pass\n"
    "class BookSerializer(serializers.ModelSerializer):\n    def validate_name(self, it): pass\n"
    "    def create(self, data): pass\n    def update(self, book, data): pass\n"
    "    def to_representation(self, book): pass\n"
    "class BookSet(viewsets.ModelViewSet):\n    serializer_class = BookSerializer\n"
    "    def get_queryset(self): pass\n    def get_permissions(self): pass\n"
    "    def perform_update(self, serializer): pass\n    def destroy(self, request): pass\n"
)
_URLS = (
    "from django.urls import include, path\nfrom rest_framework import routers\n"
    "from views import Add, Books, BookSet, Own, Plain\nrouter = routers.DefaultRouter()\n"
    "router.register('set', BookSet)\n"
    "urlpatterns = [\n    path('books/', Books.as_view()), path('add/', Add.as_view()),\n"
    "    path('own/', Own.as_view()), path('plain/', Plain.as_view()),\n"
    "    path('api/', include(router.urls)),\n]\n"
)
_SEEN = {"BookSet.get_permissions", "BookSerializer.to_representation"}

CASES = {
    "get('/books/')": {"Books.dispatch", "Books.get_queryset", "Books.get_context_data"},
    "get('/add/')": {"Add.get_form_kwargs", "Add.get_context_data"},
    "post('/add/')": {
        "Add.get_form_kwargs", "Add.get_success_url", "Entry.clean_name", "Entry.save",
    },
    "get('/own/')": {"Own.get"},
    "get('/plain/')": {"Plain.get"},
    "get('/api/set/')": {*_SEEN, "BookSet.get_queryset"},
    "post('/api/set/')": {*_SEEN, "BookSerializer.validate_name", "BookSerializer.create"},
    "put('/api/set/1/')": {
        *_SEEN, "BookSet.get_queryset", "BookSet.perform_update", "BookSerializer.validate_name",
    },
    "delete('/api/set/1/')": {"BookSet.get_permissions", "BookSet.destroy"},
}  # fmt: skip


@pytest.mark.parametrize("request_", CASES)
def test_a_request_comes_to(request_: str, told: Told) -> None:
    files = {
        "views.py": _VIEWS,
        "urls.py": _URLS,
        "test_views.py": f"def test_it(client): client.{request_}\n",
    }
    assert told(files, "test_views.py") == {"test_it": CASES[request_]}
