<?php

declare(strict_types=1);

namespace App\Socialite;

use GuzzleHttp\RequestOptions;
use Illuminate\Http\RedirectResponse;
use Illuminate\Support\Arr;
use Illuminate\Support\Str;
use Laravel\Socialite\Two\AbstractProvider;
use Laravel\Socialite\Two\InvalidStateException;
use Laravel\Socialite\Two\ProviderInterface;
use Laravel\Socialite\Two\User;
use phpseclib3\Crypt\PublicKeyLoader;
use phpseclib3\Crypt\RSA;

/** Signs people in by the OpenID Provider of Miftah: code with PKCE, state, nonce, a checked ID token. */
class MiftahProvider extends AbstractProvider implements ProviderInterface
{
    private const NONCE = 'miftah_nonce';

    /** How far the clocks of the two machines may be apart. */
    private const SKEW_SECONDS = 60;

    protected $scopes = ['openid', 'profile'];

    protected $scopeSeparator = ' ';

    protected $encodingType = PHP_QUERY_RFC3986;

    protected $usesPKCE = true;

    private string $issuer = '';

    private ?array $metadata = null;

    /** @param string $issuer PUBLIC_URL of the service */
    public function setIssuer(string $issuer): static
    {
        $this->issuer = $issuer;

        return $this;
    }

    public function redirect(): RedirectResponse
    {
        $this->request->session()->put(self::NONCE, Str::random(40));

        return parent::redirect();
    }

    /**
     * @throws InvalidStateException when this browser has not begun the sign-in, or not here
     * @throws SignInRefused when the person has refused, or was too late
     * @throws InvalidToken when the answer of the provider is none for this sign-in
     */
    public function user(): User
    {
        if ($this->user !== null) {
            return $this->user;
        }
        $nonce = $this->request->session()->pull(self::NONCE);
        if ($this->hasInvalidState() || $this->request->query('iss') !== $this->issuer) {
            throw new InvalidStateException;
        }
        if ($this->request->query('error') !== null) {
            throw new SignInRefused((string) $this->request->query('error'));
        }
        $response = $this->getAccessTokenResponse($this->getCode());
        $claims = $this->verified((string) Arr::get($response, 'id_token'), (string) $nonce);
        $person = $this->getUserByToken((string) Arr::get($response, 'access_token'));
        if (Arr::get($person, 'sub') !== Arr::get($claims, 'sub')) {
            throw new InvalidToken('userinfo is about somebody else');
        }

        return $this->userInstance($response, $person + $claims);
    }

    protected function getAuthUrl($state): string
    {
        return $this->buildAuthUrlFromBase($this->endpoint('authorization_endpoint'), $state);
    }

    protected function getCodeFields($state = null): array
    {
        $nonce = $this->request->session()->get(self::NONCE);

        return parent::getCodeFields($state) + ['nonce' => $nonce];
    }

    protected function getTokenUrl(): string
    {
        return $this->endpoint('token_endpoint');
    }

    protected function getUserByToken($token): array
    {
        return $this->json($this->endpoint('userinfo_endpoint'), [
            RequestOptions::HEADERS => ['Authorization' => "Bearer $token"],
        ]);
    }

    protected function mapUserToObject(array $user): User
    {
        return (new User)->setRaw($user)->map([
            'id' => $user['sub'],
            'name' => Arr::get($user, 'name'),
            'email' => Arr::get($user, 'email'),
        ]);
    }

    /** The claims of an ID token that is for this sign-in (OpenID Connect Core 1.0, 3.1.3.7). */
    private function verified(string $token, string $nonce): array
    {
        $parts = explode('.', $token);
        if (count($parts) !== 3) {
            throw new InvalidToken('it is no signed token');
        }
        [$head, $claims, $signature] = array_map([$this, 'decoded'], $parts);
        $header = json_decode($head, true) ?? [];
        // Always by RS256, that of this client. The algorithm that a token asks for proves nothing.
        $key = $this->key((string) Arr::get($header, 'kid'));
        if (! $key->verify("$parts[0].$parts[1]", $signature)) {
            throw new InvalidToken('its signature is not that of the provider');
        }
        $claims = json_decode($claims, true) ?? [];
        $this->requireOurs($claims, $nonce);

        return $claims;
    }

    private function requireOurs(array $claims, string $nonce): void
    {
        $now = time();
        $isOurs = [
            'iss' => Arr::get($claims, 'iss') === $this->issuer,
            'aud' => Arr::get($claims, 'aud') === $this->clientId,
            'exp' => is_int($claims['exp'] ?? null) && $claims['exp'] > $now - self::SKEW_SECONDS,
            'iat' => is_int($claims['iat'] ?? null) && $claims['iat'] < $now + self::SKEW_SECONDS,
            'nonce' => $nonce !== '' && hash_equals($nonce, (string) Arr::get($claims, 'nonce')),
        ];
        $wrong = array_keys($isOurs, false, true);
        if ($wrong !== []) {
            throw new InvalidToken('these claims are not for this sign-in: '.implode(', ', $wrong));
        }
    }

    private function key(string $id): RSA\PublicKey
    {
        $keys = $this->json($this->endpoint('jwks_uri'))['keys'];
        $found = Arr::first($keys, fn ($key) => $key['kid'] === $id && $key['kty'] === 'RSA');
        if ($found === null) {
            throw new InvalidToken('no key of the provider has its kid');
        }

        return PublicKeyLoader::load(json_encode($found))
            ->withHash('sha256')
            ->withPadding(RSA::SIGNATURE_PKCS1);
    }

    private function endpoint(string $name): string
    {
        $this->metadata ??= $this->json("$this->issuer/.well-known/openid-configuration");
        if ($this->metadata['issuer'] !== $this->issuer) {
            throw new InvalidToken("the provider calls itself {$this->metadata['issuer']}");
        }

        return $this->metadata[$name];
    }

    private function json(string $address, array $options = []): array
    {
        $answer = $this->getHttpClient()->get($address, $options);

        return json_decode((string) $answer->getBody(), true, 32, JSON_THROW_ON_ERROR);
    }

    private function decoded(string $part): string
    {
        return (string) base64_decode(strtr($part, '-_', '+/'), true);
    }
}
