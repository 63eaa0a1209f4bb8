<?php

// A double of the parts of Laravel Socialite 5 that examples/laravel extends and calls, by their
// public and protected interface. Debian does not have Socialite itself.

namespace Laravel\Socialite\Contracts {
    interface Factory
    {
        public function driver($driver = null);
    }
}

namespace Laravel\Socialite\Facades {
    use Illuminate\Support\Facades\Facade;
    use Laravel\Socialite\Contracts\Factory;

    class Socialite extends Facade
    {
        protected static function getFacadeAccessor()
        {
            return Factory::class;
        }
    }
}

namespace Laravel\Socialite {
    use Illuminate\Support\Manager;
    use Illuminate\Support\ServiceProvider;

    class SocialiteServiceProvider extends ServiceProvider
    {
        public function register()
        {
            $this->app->singleton(Contracts\Factory::class, fn ($app) => new SocialiteManager($app));
        }
    }

    class SocialiteManager extends Manager implements Contracts\Factory
    {
        public function buildProvider($provider, $config)
        {
            ['client_id' => $id, 'client_secret' => $secret, 'redirect' => $redirect] = $config;
            $request = $this->container->make('request');

            return new $provider($request, $id, $secret, $redirect, $config['guzzle'] ?? []);
        }

        public function getDefaultDriver()
        {
            throw new \InvalidArgumentException('No driver was named.');
        }
    }
}

namespace Laravel\Socialite\Two {
    use GuzzleHttp\Client;
    use Illuminate\Http\RedirectResponse;
    use Illuminate\Http\Request;
    use Illuminate\Support\Str;

    class InvalidStateException extends \InvalidArgumentException
    {
    }

    interface ProviderInterface
    {
        public function redirect();

        public function user();
    }

    class User
    {
        private array $all = [];

        public function setRaw(array $raw)
        {
            return $this;
        }

        public function map(array $attributes)
        {
            $this->all = $attributes;

            return $this;
        }

        public function getId()
        {
            return $this->all['id'];
        }

        public function getName()
        {
            return $this->all['name'];
        }
    }

    abstract class AbstractProvider
    {
        protected $scopes = [];

        protected $scopeSeparator = ',';

        protected $encodingType = PHP_QUERY_RFC1738;

        protected $usesPKCE = false;

        protected $user;

        public function __construct(
            protected Request $request,
            protected $clientId,
            protected $clientSecret,
            protected $redirectUrl,
            private $guzzle = [],
        ) {
        }

        abstract protected function getAuthUrl($state);

        abstract protected function getTokenUrl();

        abstract protected function getUserByToken($token);

        abstract protected function mapUserToObject(array $user);

        public function redirect()
        {
            $kept = ['state' => Str::random(40)];
            if ($this->usesPKCE) {
                $kept['code_verifier'] = Str::random(96);
            }
            $this->request->session()->put($kept);

            return new RedirectResponse($this->getAuthUrl($kept['state']));
        }

        protected function buildAuthUrlFromBase($url, $state)
        {
            $query = http_build_query($this->getCodeFields($state), '', '&', $this->encodingType);

            return "$url?$query";
        }

        protected function getCodeFields($state = null)
        {
            $fields = [
                'client_id' => $this->clientId,
                'redirect_uri' => $this->redirectUrl,
                'scope' => implode($this->scopeSeparator, $this->scopes),
                'response_type' => 'code',
                'state' => $state,
            ];
            if (! $this->usesPKCE) {
                return $fields;
            }
            $hash = hash('sha256', $this->request->session()->get('code_verifier'), true);

            return $fields + [
                'code_challenge' => rtrim(strtr(base64_encode($hash), '+/', '-_'), '='),
                'code_challenge_method' => 'S256',
            ];
        }

        protected function hasInvalidState()
        {
            $state = $this->request->session()->pull('state', '');

            return $state === '' || $this->request->input('state') !== $state;
        }

        protected function getCode()
        {
            return $this->request->input('code');
        }

        public function getAccessTokenResponse($code)
        {
            $form = [
                'grant_type' => 'authorization_code',
                'client_id' => $this->clientId,
                'client_secret' => $this->clientSecret,
                'code' => $code,
                'redirect_uri' => $this->redirectUrl,
            ];
            if ($this->usesPKCE) {
                $form['code_verifier'] = $this->request->session()->pull('code_verifier');
            }
            $answer = $this->getHttpClient()->post($this->getTokenUrl(), ['form_params' => $form]);

            return json_decode((string) $answer->getBody(), true);
        }

        protected function userInstance(array $response, array $user)
        {
            return $this->user = $this->mapUserToObject($user);
        }

        protected function getHttpClient()
        {
            return new Client($this->guzzle);
        }
    }
}
