/** The floor: what Node itself needs to look at a header and answer some 300 bytes of JSON. */
import { createServer } from 'node:http';
import process from 'node:process';

const TOKEN_LENGTH = 64;

const attempt = {
  attempt_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  status: 'pending',
  provider_status: 'PENDING',
  message: 'The attempt is waiting for the person to approve the request on their phone.',
  token_ready: false,
  user: null,
  expires_at: '2026-01-31T09:05:00+00:00',
};

const server = createServer((request, response) => {
  const token = request.headers['x-provider-attempt-token'];
  const isKnown = typeof token === 'string' && token.length === TOKEN_LENGTH;
  const body = JSON.stringify(isKnown ? { data: attempt } : { code: 'attempt.not_found' });
  response.writeHead(isKnown ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
});

server.listen(Number(process.argv[2]), '127.0.0.1');
