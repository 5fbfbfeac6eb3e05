"""A Django REST framework service with its three paginators over one SQLite table; run as `python3 drf.py DATABASE PORT`."""

import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection, models
from django.urls import path

settings.configure(
    DEBUG=False, ALLOWED_HOSTS=["*"], SECRET_KEY="test", ROOT_URLCONF=__name__, INSTALLED_APPS=["rest_framework"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1]}}, USE_TZ=True, TIME_ZONE="UTC",
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": [], "UNAUTHENTICATED_USER": None,
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    })
django.setup()

from rest_framework import generics, pagination, serializers  # noqa: E402  (only works once Django is set up)


class Book(models.Model):
    title = models.TextField()
    price = models.FloatField(null=True)
    is_lent = models.BooleanField()
    added = models.DateTimeField()

    class Meta:
        app_label = "books"
        db_table = "book"


class BookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = ["id", "title", "price", "is_lent", "added"]


class Pages(pagination.PageNumberPagination):
    page_size = 70


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 70


class Cursors(pagination.CursorPagination):
    page_size = 70
    ordering = "-id"


def books(paginator):
    return generics.ListAPIView.as_view(
        queryset=Book.objects.order_by("id"), serializer_class=BookSerializer, pagination_class=paginator)


urlpatterns = [path("pages", books(Pages)), path("offsets", books(Offsets)), path("cursors", books(Cursors))]

if __name__ == "__main__":
    from datetime import datetime, timedelta, timezone

    with connection.schema_editor() as editor:
        editor.create_model(Book)
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    Book.objects.bulk_create(
        Book(title=f"Book {n} \U0001f4d6", price=None if n % 9 == 0 else n / 7, is_lent=n % 2 == 0,
             added=start + timedelta(minutes=n))
        for n in range(2_000))
    call_command("runserver", sys.argv[2], use_reloader=False)
