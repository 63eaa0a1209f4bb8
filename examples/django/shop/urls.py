from django.urls import path

from . import views

urlpatterns = [
    path("", views.home),
    path("sign-in/start", views.start),
    path("sign-in/return", views.came_back),
    path("sign-in/wait", views.wait),
    path("sign-in/events", views.events),
    path("sign-in/finish", views.finish),
    path("sign-in/cancel", views.cancel),
    path("sign-out", views.sign_out),
]
