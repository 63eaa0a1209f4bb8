import type { TypedApp } from '../http/type-provider.ts';
import { KeysAnswer } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';

/** GET /api/v1/mfa/jwk: the public keys for the tokens of both flows. */
export function listKeys(app: TypedApp, { engine, keys }: ProviderOptions): void {
  const schema = {
    operationId: 'listPublicKeys',
    summary: 'The public keys of both flows',
    response: { 200: KeysAnswer },
  };
  const config = { operation: 'jwk' } as const;
  app.get('/api/v1/mfa/jwk', { schema, config, exposeHeadRoute: false }, async () => ({
    keys: [...(await keys.published(engine.now()))],
  }));
}
