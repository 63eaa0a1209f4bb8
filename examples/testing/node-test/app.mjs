import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from '@miftah/client';

/**
 * The application under test: a back end that signs people in by browser.
 * @param {{ baseUrl: string, clientKey: string }} options of the client of Miftah
 */
export function createApp(options) {
  const login = createClient(options).createLogin(new Map());
  /** @type {Map<string, string>} by session, who has signed in */
  const names = new Map();

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer(request, response) {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const session = /session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    if (url.pathname === '/login') {
      const id = randomUUID();
      const returnAddress = new URL('/return', url).href;
      const { authorizationUrl = '' } = await login.start(id, { locale: 'en', returnAddress });
      response.writeHead(303, { location: authorizationUrl, 'set-cookie': `session=${id}` }).end();
    } else if (url.pathname === '/return') {
      const result = await login.finish(session, { returned: url });
      if (result.outcome === 'authenticated') {
        names.set(session, result.token.user.englishName);
      }
      response.writeHead(303, { location: '/' }).end();
    } else {
      response.end(names.has(session) ? `You are ${names.get(session)}` : 'You are not signed in');
    }
  }

  return createServer((request, response) => void answer(request, response));
}
