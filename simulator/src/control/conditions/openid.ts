/** What tests choose for the OpenID Provider of the service in this process. */
import { object, oneOf, openObject } from '@miftah/schema';
import { ID_TOKEN_FLAWS } from '../../engine/scopes.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { ControlError, scopesFull } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';

const id_token = oneOf(ID_TOKEN_FLAWS);

const NextBody = object({ id_token });

const NextAnswer = openObject(
  { data: openObject({ id_token }) },
  { description: 'What will be wrong in the next ID token of the scope.' },
);

const TAKES = `The body is {"id_token":"${ID_TOKEN_FLAWS.join('"} or {"id_token":"')}"}.`;

/** POST /simulator/openid/next: the next ID token of the scope is wrong, once. */
export function nextOfOpenid(app: TypedApp, { engine, hasOpenid }: ControlOptions): void {
  const schema = {
    operationId: 'nextOfOpenid',
    summary: 'Choose what is wrong in the next ID token',
    body: NextBody,
    response: { 200: NextAnswer },
  };
  const refuses = ['openid.elsewhere', 'scopes.full'] as const;
  app.post('/openid/next', { schema, config: { takes: TAKES, refuses } }, (request) => {
    const scope = scopeOfCaller(request);
    if (!hasOpenid) throw new ControlError('openid.elsewhere');
    const { id_token: idToken } = request.body;
    if (!engine.scopes.change(scope, { idToken })) throw scopesFull(engine.scopes);
    return { data: { id_token: idToken } };
  });
}
