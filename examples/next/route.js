/**
 * For Next.js: `app/sign-in/[...step]/route.js`. A form of your pages that is posted to
 * `/sign-in/start` signs in, by phone with a member `national_id` and by browser without it. In
 * next.config.js, `serverExternalPackages: ['@miftah/client']` lets it find the file of its element.
 */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { createClient } from '@miftah/client';
import { signInForWeb } from '@miftah/client/web';

const { MIFTAH_URL = '', MIFTAH_KEY, APP_URL = '', APP_SECRET = '' } = process.env;

/**
 * Who is signed in, by the id in their cookie. Use the store of your sessions in its place.
 * @type {Map<string, import('@miftah/client').User>}
 */
export const sessions = new Map();

const signIn = signInForWeb({
  client: createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY }),
  appUrl: APP_URL,
  secret: APP_SECRET,
  signedIn: ({ user }) => {
    const id = randomUUID(); // a new one, so that an id from before the sign-in opens nothing
    sessions.set(id, user);
    const cookie = `__Host-session=${id}; Path=/; HttpOnly; Secure; SameSite=Lax`;
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } });
  },
});

/** @param {Request} request */
export const GET = async (request) =>
  (await signIn(request)) ?? new Response(null, { status: 404 });
export const POST = GET;
