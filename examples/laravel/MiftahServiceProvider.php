<?php

declare(strict_types=1);

namespace App\Socialite;

use Illuminate\Support\ServiceProvider;
use Laravel\Socialite\Facades\Socialite;

class MiftahServiceProvider extends ServiceProvider
{
    public function boot(): void
    {
        Socialite::extend('miftah', function ($app) {
            $config = $app['config']['services.miftah'];

            return Socialite::buildProvider(MiftahProvider::class, $config)
                ->setIssuer($config['issuer']);
        });
    }
}
