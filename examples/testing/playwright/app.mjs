import { createServer } from 'node:http';
import { createClient } from '@miftah/client';

const PAGE = `<!doctype html>
<html lang="en">
  <title>Shop</title>
  <p id="told">You are not signed in</p>
  <button id="browser">Sign in by browser</button>
  <button id="phone">Sign in by phone</button>
  <script>
    const told = document.querySelector('#told');
    document.querySelector('#browser').onclick = () => location.assign('/login');
    document.querySelector('#phone').onclick = async () => {
      const { number } = await (await fetch('/phone', { method: 'POST' })).json();
      told.textContent = 'Choose ' + number + ' on your phone';
      told.textContent = await (await fetch('/phone')).text();
    };
  </script>
</html>`;

/**
 * The application under test: a page with a sign-in by browser and one by phone. It has one visitor;
 * how a back end keeps several apart is in examples/web.
 * @param {string} baseUrl the address of Miftah's API
 */
export function createApp(baseUrl) {
  const miftah = createClient({ baseUrl });
  /** @type {import('@miftah/client').Attempt | undefined} */
  let attempt;

  /** @param {import('@miftah/client').IssueOptions} [options] what the browser has brought back */
  async function finish(options) {
    const { user } = (await attempt?.issueToken(options)) ?? {};
    return `You are ${user?.englishName}`;
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer({ method, url = '/', headers }, response) {
    const { pathname, searchParams, origin } = new URL(url, `http://${headers.host}`);
    if (pathname === '/login') {
      attempt = await miftah.start({ locale: 'en', returnAddress: `${origin}/return` });
      response.writeHead(303, { location: attempt.authorizationUrl }).end();
    } else if (pathname === '/return') {
      response.end(await finish({ completionCode: searchParams.get('completion_code') ?? '' }));
    } else if (pathname === '/phone' && method === 'POST') {
      attempt = await miftah.start({ locale: 'en', nationalId: '1000002201' });
      response.end(JSON.stringify({ number: attempt.random }));
    } else if (pathname === '/phone') {
      const end = await attempt?.waitForResult();
      response.end(end?.status === 'authenticated' ? await finish() : 'You are not signed in');
    } else {
      response.setHeader('content-type', 'text/html').end(PAGE);
    }
  }

  return createServer((request, response) => void answer(request, response));
}
