<?php

return [
    'name' => 'Shop',
    'env' => 'production',
    'debug' => false,
    'key' => env('SESSION_SECRET'),
    'cipher' => 'AES-256-CBC',
    'timezone' => 'UTC',
    'locale' => 'en',
    'fallback_locale' => 'en',
    'providers' => [
        Illuminate\Cookie\CookieServiceProvider::class,
        Illuminate\Encryption\EncryptionServiceProvider::class,
        Illuminate\Filesystem\FilesystemServiceProvider::class,
        Illuminate\Foundation\Providers\FoundationServiceProvider::class,
        Illuminate\Session\SessionServiceProvider::class,
        Illuminate\View\ViewServiceProvider::class,
        Laravel\Socialite\SocialiteServiceProvider::class,
        App\Socialite\MiftahServiceProvider::class,
        Routes::class,
    ],
    'aliases' => [],
];
