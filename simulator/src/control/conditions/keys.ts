import { EmptyBody, keyRow, KeysAnswer, RotateBody } from '../wire.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { KeptKey } from '../../keys/key-ring.ts';
import type { ControlOptions } from '../../options.ts';

const ANNOUNCE_TAKES = 'The body is {}.';
const ROTATE_TAKES = 'The body is {}, {"old":"keep"} or {"old":"drop"}.';

const response = { 200: KeysAnswer };

/** GET /simulator/keys: the published keys and the role of each. */
export function listKeys(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = { operationId: 'listKeys', summary: 'The keys, and what each is for', response };
  app.get('/keys', { schema }, async () => answer(await keys.all(engine.now())));
}

/** POST /simulator/keys/announce: publishes the next key, which does not sign yet. */
export function announceKey(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = {
    operationId: 'announceKey',
    summary: 'Publish the next key before it signs',
    body: EmptyBody,
    response,
  };
  app.post('/keys/announce', { schema, config: { takes: ANNOUNCE_TAKES } }, async () =>
    answer(await keys.announce(engine.now())),
  );
}

/**
 * POST /simulator/keys/rotate: signs with another key; the old key stays published, or is removed.
 */
export function rotateKeys(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = {
    operationId: 'rotateKeys',
    summary: 'Sign with another key',
    body: RotateBody,
    response,
  };
  app.post('/keys/rotate', { schema, config: { takes: ROTATE_TAKES } }, async ({ body }) =>
    answer(await keys.rotate(engine.now(), body.old)),
  );
}

function answer(keys: readonly KeptKey[]) {
  return { data: keys.map(keyRow) };
}
