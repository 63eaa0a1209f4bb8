/**
 * The floor of open streams: only Node, which answers every GET but that of `/livez` with an event
 * stream, and every POST as a start: `node stream-floor.ts <port>`.
 */
import { createServer } from 'node:http';
import process from 'node:process';
import { answerWithHeap } from './heap-answer.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const STARTED = JSON.stringify({ data: { attempt_id: ID, attempt_token: 'a'.repeat(64) } });
const EVENT = `retry: 2000\n\nevent: status\nid: 1\ndata: ${STARTED}\n\n`;

const server = createServer((request, response) => {
  request.resume();
  const isStream = request.method === 'GET' && request.url !== '/livez';
  if (!isStream) {
    const length = Buffer.byteLength(STARTED);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.end(STARTED);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(EVENT);
});
server.listen(Number(process.argv[2]), '127.0.0.1');
process.on('message', answerWithHeap);
