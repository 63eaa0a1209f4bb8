<?php

// An application of Laravel around examples/laravel, with Debian's packages alone.

use Illuminate\Contracts;
use Illuminate\Foundation;
use Illuminate\Http\Request;

$example = dirname(__DIR__, 5).'/examples/laravel';
require 'Illuminate/autoload.php';
require 'GuzzleHttp/autoload.php';
require 'phpseclib3/autoload.php';
load('App\\Socialite\\', $example);
// The folder `src` of Socialite, where somebody has it.
$socialite = getenv('SOCIALITE_SOURCES');
$socialite === false ? require __DIR__.'/socialite.php' : load('Laravel\\Socialite\\', $socialite);

/** Finds the classes of a namespace in a folder. */
function load(string $namespace, string $folder): void
{
    spl_autoload_register(function (string $name) use ($namespace, $folder) {
        $file = $folder.'/'.str_replace('\\', '/', substr($name, strlen($namespace))).'.php';
        if (str_starts_with($name, $namespace) && is_file($file)) {
            require $file;
        }
    });
}

class Kernel extends Foundation\Http\Kernel
{
    protected $middlewareGroups = [
        'web' => [
            Illuminate\Cookie\Middleware\EncryptCookies::class,
            Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class,
            Illuminate\Session\Middleware\StartSession::class,
            Foundation\Http\Middleware\VerifyCsrfToken::class,
        ],
    ];
}

class Routes extends Illuminate\Support\ServiceProvider
{
    public function boot(): void
    {
        $this->app['router']->middleware('web')->group(dirname(__DIR__, 5).'/examples/laravel/routes.php');
    }
}

$app = new Foundation\Application(getenv('HOME'));
$app->singleton(Contracts\Http\Kernel::class, Kernel::class);
$app->singleton(Contracts\Debug\ExceptionHandler::class, Foundation\Exceptions\Handler::class);
$kernel = $app->make(Contracts\Http\Kernel::class);
$request = Request::capture();
$kernel->terminate($request, $kernel->handle($request)->send());
