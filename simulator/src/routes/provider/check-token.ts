import type { TypedApp } from '../../http/type-provider.ts';
import { TokenBody } from '../../http/wire.ts';
import type { ProviderOptions } from '../../options.ts';

/** POST /api/v2/oidc/jwt/valid: whether a token is one of ours and good now, in one bare word. */
export function checkToken(app: TypedApp, { engine, signer }: ProviderOptions): void {
  app.post('/api/v2/oidc/jwt/valid', { schema: { body: TokenBody } }, async (request, reply) => {
    const claims = await signer.read(request.body.id_token, engine.now());
    return reply.type('application/json').send(JSON.stringify(claims !== null));
  });
}
