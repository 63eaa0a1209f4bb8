/** Keys, the gateway, and errors. */
import { assumed, at, documented, several, type Behaviour } from './behaviour.ts';

export const ANSWERS: readonly Behaviour[] = [
  ...at(
    'keys',
    several('one set for both flows: `kty`, `e`, `use`, `kid`, `alg` RS256, `n`'),
    assumed('`kid` is the thumbprint of the key', 'it has no meaning to callers'),
    assumed('an old key stays published for ten minutes', 'longer than any token is good'),
  ),
  ...at(
    'gateway',
    several('wants the pair `APP-ID` and `APP-KEY`, or `app_id` and `app_key`'),
    several('else 403 and the text "Authentication failed"'),
    several('paths are below `/stg` and below no prefix at once; a setting narrows it'),
    several('an unknown path, or a wrong prefix, is 404 and the text "No Mapping Rule matched"'),
    assumed('a pair is in one spelling', 'nobody mixes them'),
    assumed('it looks at the path before it looks at the keys', 'nobody says'),
    several('an outage is 500 or 503 with a text or a page'),
  ),
  ...at(
    'errors',
    documented('a record has `status` as text, `timestamp` null, `message`, `code`'),
    documented('`reference` is an integer that increases from call to call'),
    assumed(
      'it increases over restarts too, and begins at 4180001',
      'as a number for support does',
    ),
    assumed(
      'unreadable, too large and foreign bodies have codes ending in `031-046`',
      'the form of the codes is known, these are not',
    ),
    assumed(
      'the messages, but for `422-016-023`',
      'only "Active Trx" in `400-034-050` is reported',
    ),
  ),
];
