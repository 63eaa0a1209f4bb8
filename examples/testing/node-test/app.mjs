import { randomUUID } from 'node:crypto';
import { createClient } from '@miftah/client';
import { signInForExpress } from '@miftah/client/express';

/**
 * The application under test: it signs people in by browser and by phone. With Express it would be
 * `app.use(signIn)`.
 * @param {{ appUrl: string, baseUrl: string, clientKey: string, secret: string }} options
 * @returns {import('node:http').RequestListener}
 */
export function createApp({ appUrl, secret, ...options }) {
  /** @type {Map<string, string>} by session, who has signed in */
  const names = new Map();
  const signIn = signInForExpress({
    client: createClient(options),
    appUrl,
    secret,
    /**
     * @param {import('@miftah/client').ApiToken} token
     * @param {import('node:http').IncomingMessage} _request
     * @param {import('node:http').ServerResponse} response
     */
    signedIn({ user }, _request, response) {
      const session = randomUUID();
      names.set(session, user.englishName);
      response.appendHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`);
      response.writeHead(303, { location: '/' }).end();
    },
  });
  return (request, response) =>
    void signIn(request, response, (error) => {
      const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
      const name = names.get(session);
      if (error !== undefined) response.writeHead(500).end();
      else response.end(name === undefined ? 'You are not signed in' : `You are ${name}`);
    });
}
