<?php

declare(strict_types=1);

namespace App\Socialite;

use RuntimeException;

/** The person has refused or was too late. The message is the code of the error, `access_denied`. */
class SignInRefused extends RuntimeException
{
}
