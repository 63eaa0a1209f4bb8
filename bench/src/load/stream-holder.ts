/**
 * Holds event streams open in its own process, so that no process needs a file for each end of a
 * stream: starts attempts, opens two streams for each, and answers every message when it is done.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Connection } from './connection.ts';
import type { HolderAnswer, HolderJob } from './holder-job.ts';
import { member, post, streamRequest } from './requests.ts';

/** As many as the service allows for one attempt. */
const STREAMS_OF_AN_ATTEMPT = 2;
/** Opened side by side. */
const WIDTH = 50;
const FIRST_EVENT = '\ndata: ';

interface Started {
  readonly id: string;
  readonly token: string;
}

const started: Started[] = [];
const open = new Set<Socket>();
let ended = 0;

process.on('message', (job: HolderJob) => {
  void answerTo(job).then((answer) => process.send?.(answer));
});

async function answerTo(job: HolderJob): Promise<HolderAnswer> {
  try {
    if (job.kind === 'start') await startAttempts(job);
    if (job.kind === 'open') await openStreams(job);
    return { open: open.size, ended };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function startAttempts({ port, attempts }: HolderJob): Promise<void> {
  const connection = await Connection.open(port);
  while (started.length < attempts) {
    const { status, body } = await connection.exchange(post('/start', { locale: 'ar' }, port));
    const [id, token] = [member(body, 'data', 'attempt_id'), member(body, 'data', 'attempt_token')];
    if (typeof id !== 'string' || typeof token !== 'string') throw new Error(`start: ${status}`);
    started.push({ id, token });
  }
  connection.close();
}

async function openStreams({ port, localAddress }: HolderJob): Promise<void> {
  const wanted = Array.from({ length: STREAMS_OF_AN_ATTEMPT }, () => started).flat();
  const openNext = async (): Promise<void> => {
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      open.add(await openStream(next, port, localAddress));
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, openNext));
}

/** Resolves with the first event. */
async function openStream(attempt: Started, port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  socket.write(streamRequest(attempt, port));
  let text = '';
  while (!text.includes(FIRST_EVENT)) {
    text += await nextText(socket);
    if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(`a stream: ${text.slice(0, 12)}`);
  }
  // Heartbeats and the last event are read and dropped.
  socket.resume();
  socket.once('close', () => {
    open.delete(socket);
    ended += 1;
  });
  return socket;
}

function nextText(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('a stream was closed before its first event'));
    socket.once('close', gone);
    socket.once('data', (chunk: Buffer) => {
      socket.removeListener('close', gone);
      resolve(chunk.toString('latin1'));
    });
  });
}
