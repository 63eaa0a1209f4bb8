/** What tests choose for the OpenID Provider of the service in this process. */
import { boolean, object, oneOf, openObject } from '@miftah/schema';
import { ID_TOKEN_FLAWS } from '../../engine/scopes.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { ControlError, scopesFull } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';
import { EmptyBody } from '../wire.ts';

const id_token = oneOf(ID_TOKEN_FLAWS);

const NextBody = object({ id_token });

const NextAnswer = openObject(
  { data: openObject({ id_token }) },
  { description: 'What will be wrong in the next ID token of the scope.' },
);

const REFUSES = ['openid.elsewhere'] as const;
const TAKES = `The body is {"id_token":"${ID_TOKEN_FLAWS.join('"} or {"id_token":"')}"}.`;

/** POST /simulator/openid/next: the next ID token of the scope is wrong, once. */
export function nextOfOpenid(app: TypedApp, { engine, openid }: ControlOptions): void {
  const schema = {
    operationId: 'nextOfOpenid',
    summary: 'Choose what is wrong in the next ID token',
    body: NextBody,
    response: { 200: NextAnswer },
  };
  const refuses = [...REFUSES, 'scopes.full'] as const;
  app.post('/openid/next', { schema, config: { takes: TAKES, refuses } }, (request) => {
    const scope = scopeOfCaller(request);
    if (openid === null) throw new ControlError('openid.elsewhere');
    const { id_token: idToken } = request.body;
    if (!engine.scopes.change(scope, { idToken })) throw scopesFull(engine.scopes);
    return { data: { id_token: idToken } };
  });
}

const RotateAnswer = openObject(
  {
    data: openObject({
      rotated: boolean({ description: 'False: another call of the same moment has done it.' }),
    }),
  },
  { description: 'Whether ID tokens are signed with other keys now.' },
);

/** POST /simulator/openid/keys/rotate: signs ID tokens with the next keys, as an operator may. */
export function rotateOpenidKeys(app: TypedApp, { openid }: ControlOptions): void {
  const schema = {
    operationId: 'rotateOpenidKeys',
    summary: 'Sign ID tokens with the next keys',
    body: EmptyBody,
    response: { 200: RotateAnswer },
  };
  const config = { takes: 'The body is {}.', refuses: REFUSES };
  app.post('/openid/keys/rotate', { schema, config }, async () => {
    if (openid === null) throw new ControlError('openid.elsewhere');
    return { data: { rotated: await openid.rotateKeys() } };
  });
}
