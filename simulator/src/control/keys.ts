import { EmptyBody, keyRow, KeysAnswer, RotateBody } from './wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { KeptKey } from '../keys/key-ring.ts';
import type { ControlOptions } from '../options.ts';

const response = { 200: KeysAnswer };

/** GET /simulator/keys: the keys that are published, and what each is for. */
export function listKeys(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = { operationId: 'listKeys', summary: 'The keys, and what each is for', response };
  app.get('/keys', { schema }, async () => answer(await keys.all(engine.now())));
}

/** POST /simulator/keys/announce: publishes the next key, which signs nothing yet. */
export function announceKey(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = {
    operationId: 'announceKey',
    summary: 'Publish the next key before it signs',
    body: EmptyBody,
    response,
  };
  app.post('/keys/announce', { schema }, async () => answer(await keys.announce(engine.now())));
}

/** POST /simulator/keys/rotate: another key signs; the old one stays published, or goes at once. */
export function rotateKeys(app: TypedApp, { engine, keys }: ControlOptions): void {
  const schema = {
    operationId: 'rotateKeys',
    summary: 'Sign with another key',
    body: RotateBody,
    response,
  };
  app.post('/keys/rotate', { schema }, async ({ body }) =>
    answer(await keys.rotate(engine.now(), body.old)),
  );
}

function answer(keys: readonly KeptKey[]) {
  return { data: keys.map(keyRow) };
}
