<?php

declare(strict_types=1);

namespace App\Socialite;

use RuntimeException;

/** What the provider has answered is not for this sign-in: nobody is signed in. */
class InvalidToken extends RuntimeException
{
}
