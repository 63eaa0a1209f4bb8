import os
import secrets

# Where browsers reach this application, and the service that signs its people in.
APP_URL = os.environ.get("APP_URL", "http://127.0.0.1:8080")
MIFTAH_URL = os.environ.get("MIFTAH_URL", "http://127.0.0.1:3000/api/v1")
MIFTAH_KEY = os.environ.get("MIFTAH_KEY", "mfk_test_simulator")

IS_SECURE = APP_URL.startswith("https:")
SECRET_KEY = os.environ.get("SECRET_KEY") or secrets.token_hex(32)
ALLOWED_HOSTS = [APP_URL.split("://")[1].split(":")[0]]
ROOT_URLCONF = "shop.urls"
USE_TZ = True
INSTALLED_APPS = ["django.contrib.sessions", "shop"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

# Sessions stay at the server, never in the cookie: they have the secrets of a sign-in. Of several
# processes each would have its own: use those of a database, or a shared cache.
SESSION_ENGINE = "django.contrib.sessions.backends.cache"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_SECURE
