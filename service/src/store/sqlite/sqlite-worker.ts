/**
 * The only writer of the database file, in its own thread. It waits for the disk, so that the
 * thread with the requests never does. It has few imports, because a thread has a heap of its own.
 */
import { parentPort } from 'node:worker_threads';
import type { Message, Request, SqlFault, WorkerSettings } from './worker-protocol.ts';
import { faultOf } from './sql-fault.ts';
import { OpenFault, Writer } from './writer.ts';

const port = parentPort;
if (port === null) throw new Error('the store runs this file as a worker thread');

let writer: Writer | null = null;

function send(message: Message): void {
  port?.postMessage(message);
}

function answer(request: Request): void {
  if (request.kind === 'open') open(request.settings);
  else if (writer === null) throw new Error(`asked for ${request.kind} before it was opened`);
  else if (request.kind === 'batch') runBatch(writer, request);
  else if (request.kind === 'flush') flush(writer);
  else release(writer);
}

function open(settings: WorkerSettings): void {
  try {
    writer = new Writer(settings);
    send({ kind: 'opened', location: writer.location });
  } catch (error) {
    const stage = error instanceof OpenFault ? error.stage : 'open';
    const cause = error instanceof OpenFault ? error.cause : error;
    send({ kind: 'refused', stage, fault: faultOf(cause) });
    port?.close();
  }
}

/** The reply is sent before a checkpoint is made: the batch is already on the disk, in the log. */
function runBatch(to: Writer, { units }: Extract<Request, { kind: 'batch' }>): void {
  send({ kind: 'batch', reply: to.runBatch(units) });
  const fault = faultIn(() => {
    const bytes = to.checkpointIfDue();
    if (bytes !== null) send({ kind: 'longLog', bytes });
  });
  if (fault !== null) send({ kind: 'broken', fault });
}

function flush(to: Writer): void {
  send({ kind: 'done', fault: faultIn(() => to.flush()) });
}

function release(to: Writer): void {
  send({ kind: 'done', fault: faultIn(() => to.release()) });
  port?.close();
}

/** The fault of an action; null when it succeeded. */
function faultIn(action: () => void): SqlFault | null {
  try {
    action();
    return null;
  } catch (error) {
    return faultOf(error);
  }
}

port.on('message', answer);
