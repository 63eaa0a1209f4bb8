import { replyRecord } from '../http/faulty-answer.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { ExchangeAnswer, ExchangeBody } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';

/** POST /api/v2/oidc/jwt: exchanges a state for the token of the person who signed in, once. */
export function exchangeState(app: TypedApp, { engine, signer }: ProviderOptions): void {
  const schema = {
    operationId: 'exchangeState',
    summary: 'Exchange a state for a token, once',
    body: ExchangeBody,
    response: { 200: ExchangeAnswer },
  };
  app.post(
    '/api/v2/oidc/jwt',
    { schema, config: { operation: 'exchange' } },
    async (request, reply) => {
      const { state } = request.body;
      const result = engine.exchange(state);
      if (!result.ok) return replyRecord(reply, result.record);
      return reply.send({ state, token: await signer.sign(result.token) });
    },
  );
}
