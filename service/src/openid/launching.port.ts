import type { AttemptRecord } from '../attempt/attempt.ts';
import type { Locale } from '../values/locale.ts';
import type { AttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';

/** A press of the button before a sign-in, which has its attempt by then. */
export interface Launch {
  readonly record: AttemptRecord;
  /** The secret of the browser, which gets it as a cookie. */
  readonly browser: string;
  readonly locale: Locale;
  /** The browser's network address, which the provider is told. */
  readonly address: string | null;
}

/**
 * How the browser of an attempt gets to the page on which the person signs in.
 *
 * - L-1: `launch` binds the attempt to the browser and gives the address of that page. It is refused
 *   for a second browser.
 * - L-2: `isLauncher` says whether this is the browser that the attempt is bound to. In plain
 *   simulator mode, where nobody is kept from deciding any attempt, every browser is.
 */
export interface Launching {
  /** @throws Refusal by rejection */
  launch(press: Launch, now: Ms): Promise<string>;
  isLauncher(
    attemptId: AttemptId,
    cookieOf: (attemptId: string) => string | null,
  ): Promise<boolean>;
}
