import type { TypedApp } from '../http/type-provider.ts';
import { TokenBody, Valid } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';

/**
 * POST /api/v2/oidc/jwt/valid: whether a token is the provider's and valid now: `true` or `false`.
 */
export function checkToken(app: TypedApp, { engine, signer }: ProviderOptions): void {
  const schema = {
    operationId: 'checkToken',
    summary: 'Whether a token is one of ours and good now',
    body: TokenBody,
    response: { 200: Valid },
  };
  app.post(
    '/api/v2/oidc/jwt/valid',
    { schema, config: { operation: 'token_valid' } },
    async ({ body }) => {
      const claims = await signer.read(body.id_token, engine.now());
      return claims !== null;
    },
  );
}
